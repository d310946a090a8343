// Helpers of the other scripts: what can be seen, and what text an element shows.
const SPACE = /[ \t\r\n\f]+/g;
const ONLY_SPACE = /^[ \t\r\n\f]*$/;
const NO_TEXT = new Set([
  'AUDIO', 'CANVAS', 'DATALIST', 'HEAD', 'IFRAME', 'NOSCRIPT', 'OBJECT', 'SCRIPT', 'SELECT', 'STYLE', 'svg', 'TEMPLATE',
  'TEXTAREA', 'VIDEO',
]);

// The first part of the host is another each episode, and a script may write it anywhere: it is told as STABLE_HOST has it.
const OWN_HOST = location.hostname ? new RegExp(location.hostname.split('.')[0], 'gi') : null;
const told = (text) => (OWN_HOST ? text.replace(OWN_HOST, 'site') : text);

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
  let { left, top, right, bottom } = seen[0];
  for (const r of seen) {
    left = Math.min(left, r.left);
    top = Math.min(top, r.top);
    right = Math.max(right, r.right);
    bottom = Math.max(bottom, r.bottom);
  }
  return [left + scrollX, top + scrollY, right - left, bottom - top];
};

const trimmed = (text) => text.replace(/^[ \t\r\n\f]+|[ \t\r\n\f]+$/g, '');

// What a generator returns that yields the generators it waits for: calls of calls that no document is too deep for.
const resultOf = (first) => {
  const waiting = [first];
  let result;
  while (waiting.length) {
    const { value, done } = waiting.at(-1).next(result);
    if (done) waiting.pop();
    else waiting.push(value);
    result = done ? value : undefined;
  }
  return result;
};

// The visible text below an element, one entry for each run of inline content, with the rectangles it was painted in.
const linesOf = (root) => {
  const lines = [];
  let run = null;
  const flush = () => {
    if (run) {
      const text = run.kept ? run.text : trimmed(run.text);
      if (text) lines.push({ text: told(text), box: union(run.rects) });
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
    for (const rect of rects) run.rects.push(rect);
  };
  const walk = function* (element) {
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
      else if (child.nodeType === Node.ELEMENT_NODE) yield walk(child);
    }
    if (!inline) flush();
  };
  resultOf(walk(root));
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
