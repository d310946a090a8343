// Runs in the page's own world before its scripts: the same clock and the same dice whenever the page is shown.
(() => {
  const Real = Date;
  // A clock that stood still would keep a script that waits for it to move waiting for ever.
  let now = Real.UTC(2026, 5, 15, 2);
  const tick = () => now++;
  globalThis.Date = new Proxy(Real, {
    construct: (target, given, self) => Reflect.construct(target, given.length ? given : [tick()], self),
    apply: () => new Real(tick()).toString(),
    get: (target, name) => (name === 'now' ? tick : Reflect.get(target, name)),
  });
  let dice = 2026;
  Math.random = () => {
    dice = (Math.imul(dice, 1664525) + 1013904223) >>> 0;
    return dice / 4294967296;
  };
})()
