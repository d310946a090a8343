// Scales a document that is larger than the viewport down until all of it is in view; one that fits stays as it is.
() => {
  const root = document.documentElement;
  const scale = Math.min(innerHeight / root.scrollHeight, innerWidth / root.scrollWidth);
  if (scale < 1) Object.assign(document.body.style, { transform: `scale(${scale})`, transformOrigin: '0 0' });
  return scale;
}
