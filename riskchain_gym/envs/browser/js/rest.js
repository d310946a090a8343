// Returns once what the page had queued has run and, where it has scripts, its DOM has stood still for a frame.
async ([capMs, hasScripts]) => {
  const task = () => new Promise((done) => setTimeout(done));
  const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 50); });
  await task();
  await task();
  if (!hasScripts && !document.scripts.length) return;
  const end = performance.now() + capMs;
  let before;
  do {
    before = changes;
    await frame();
    await task();
  } while (changes !== before && performance.now() < end);
}
