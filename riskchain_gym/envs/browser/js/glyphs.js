// Draws each text and says whether it has a glyph of its own: neither blank nor the box that stands for a missing one.
(texts) => {
  const side = 96;
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const drawn = (text) => {
    context.clearRect(0, 0, side, side);
    context.font = '48px sans-serif';
    context.textBaseline = 'middle';
    context.fillText(text, 16, side / 2);
    return context.getImageData(0, 0, side, side).data.join();
  };
  const blank = drawn('');
  const missing = drawn('\u0378');
  return texts.map((text) => ![blank, missing].includes(drawn(text)));
}
