// Helpers of the other scripts: what can be seen, and what text an element shows.
const SPACE = /[ \t\r\n\f]+/g;
const ONLY_SPACE = /^[ \t\r\n\f]*$/;
const NO_TEXT = new Set([
  'AUDIO', 'CANVAS', 'DATALIST', 'HEAD', 'IFRAME', 'NOSCRIPT', 'OBJECT', 'SCRIPT', 'SELECT', 'STYLE', 'svg', 'TEMPLATE',
  'TEXTAREA', 'VIDEO',
]);

const boxed = (element) => {
  while (element && getComputedStyle(element).display === 'contents') element = element.parentElement;
  return element;
};

// Shrunk to a pixel and clipped: the usual way to hide text from eyes but not from screen readers.
const clippedAway = (element) => {
  const { width, height } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return (width <= 1 || height <= 1) && style.overflow !== 'visible' && style.display !== 'inline';
};

const shown = (element) => {
  const box = boxed(element);
  return !!box && box.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !clippedAway(box);
};

const union = (rects) => {
  const seen = [...rects].filter((r) => r.width > 0 && r.height > 0);
  if (!seen.length) return null;
  const left = Math.min(...seen.map((r) => r.left));
  const top = Math.min(...seen.map((r) => r.top));
  const right = Math.max(...seen.map((r) => r.right));
  const bottom = Math.max(...seen.map((r) => r.bottom));
  return [left + scrollX, top + scrollY, right - left, bottom - top];
};

const trimmed = (text) => text.replace(/^[ \t\r\n\f]+|[ \t\r\n\f]+$/g, '');

// The visible text below an element, one entry for each run of inline content, with the rectangles it was painted in.
const linesOf = (root) => {
  const lines = [];
  let run = null;
  const flush = () => {
    if (run) {
      const text = run.kept ? run.text : trimmed(run.text);
      if (text) lines.push({ text, box: union(run.rects) });
    }
    run = null;
  };
  const addText = (node, style) => {
    const kept = /^(pre|break-spaces)/.test(style.whiteSpace);
    const text = kept ? node.data : node.data.replace(SPACE, ' ');
    if (ONLY_SPACE.test(text)) {
      if (run) run.text += text;
      return;
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()];
    if (!union(rects)) return;
    run ??= { text: '', kept: false, rects: [] };
    run.text += text;
    run.kept ||= kept;
    run.rects.push(...rects);
  };
  const walk = (element) => {
    const style = getComputedStyle(element);
    if (style.display === 'none' || NO_TEXT.has(element.tagName)) return;
    const inline = style.display === 'inline' || style.display === 'contents';
    if (!inline) flush();
    let visible;
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) {
        if (child.data && (visible ??= shown(element))) addText(child, style);
      }
      else if (child.nodeName === 'BR' && run) run.text += '\n';
      else if (child.nodeType === Node.ELEMENT_NODE) walk(child);
    }
    if (!inline) flush();
  };
  walk(root);
  flush();
  return lines;
};

const isDisabled = (element) => element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true';

// A form's own properties may be hidden behind fields of the same name, its attributes never.
const attribute = (element, name) => element.getAttribute(name) ?? '';

const submitterOf = (form) =>
  [...document.querySelectorAll('button,input')].find((e) => e.form === form && e.type === 'submit' && !isDisabled(e));

// What Enter in one of its fields presses, which does nothing if that is disabled.
const defaultButtonOf = (form) =>
  [...document.querySelectorAll('button,input')].find((e) => e.form === form && ['submit', 'image'].includes(e.type));
