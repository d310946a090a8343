// Writes the page as HTML that a person could read: what is shown and what it is, with the ids of actionable elements.
(ids) => {
  const idOf = new Map(ids.map(([key, id]) => [held.get(key), id]));
  const TOLD = new Set([
    'A', 'ADDRESS', 'ARTICLE', 'ASIDE', 'B', 'BLOCKQUOTE', 'BUTTON', 'CAPTION', 'CODE', 'DD', 'DEL', 'DETAILS', 'DIALOG',
    'DL', 'DT', 'EM', 'FIELDSET', 'FIGCAPTION', 'FIGURE', 'FOOTER', 'FORM', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'HEADER',
    'I', 'INS', 'LABEL', 'LEGEND', 'LI', 'MAIN', 'MARK', 'NAV', 'OL', 'P', 'PRE', 'Q', 'S', 'SECTION', 'STRONG', 'SUB',
    'SUMMARY', 'SUP', 'TABLE', 'TD', 'TH', 'TIME', 'TR', 'U', 'UL',
  ]);
  // Told even where nothing stands in them.
  const OPAQUE = new Set(['AUDIO', 'CANVAS', 'HR', 'IFRAME', 'IMG', 'METER', 'OBJECT', 'PROGRESS', 'VIDEO']);
  const CELLS = new Set(['TD', 'TH']);
  const VOID = new Set(['HR', 'IMG', 'INPUT']);
  const WORDS = ['role', 'aria-label', 'title', 'alt', 'placeholder', 'colspan', 'rowspan', 'min', 'max', 'datetime'];
  const STATES = ['aria-expanded', 'aria-selected', 'aria-pressed', 'aria-checked', 'aria-current', 'aria-invalid'];
  const FLAGS = ['disabled', 'required', 'readonly', 'open'];

  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const written = (name, value) => ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`;

  const valueOf = (element) => {
    if (['checkbox', 'radio', 'file', 'image'].includes(element.type)) return '';
    return element.type === 'password' ? '•'.repeat(element.value.length) : element.value;
  };

  const attributesOf = (element) => {
    const { tagName } = element;
    let told = '';
    if (idOf.has(element)) told += written('id', idOf.get(element));
    if (tagName === 'A' && element.hasAttribute('href')) {
      const href = attribute(element, 'href');
      told += written('href', href.startsWith(location.origin) ? href.slice(location.origin.length) || '/' : href);
    }
    if (tagName === 'LABEL' && idOf.has(element.control)) told += written('for', idOf.get(element.control));
    if (tagName === 'INPUT') told += written('type', element.type);
    for (const name of WORDS) if (attribute(element, name)) told += written(name, attribute(element, name));
    for (const name of STATES) {
      const state = attribute(element, name);
      if (state && state !== 'false' || name === 'aria-expanded' && state) told += written(name, state);
    }
    if (tagName === 'INPUT' && valueOf(element)) told += written('value', valueOf(element));
    if (tagName === 'METER' || tagName === 'PROGRESS') told += written('value', String(element.value));
    for (const name of FLAGS) if (element.hasAttribute(name)) told += ` ${name}`;
    if (element.checked === true) told += ' checked';
    return told;
  };

  const painted = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return !!union(range.getClientRects());
  };

  // The text of a run of inline content, or, where blocks stand in it, rows.
  const contentsOf = function* (element) {
    const rows = [];
    let text = '';
    let kept = false;
    const flush = () => {
      const row = kept ? text : trimmed(text);
      if (row) rows.push(row);
      text = '';
      kept = false;
    };
    const style = getComputedStyle(element);
    let visible;
    let blocks = false;
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) {
        const pre = /^(pre|break-spaces)/.test(style.whiteSpace);
        const said = pre ? child.data : child.data.replace(SPACE, ' ');
        if (ONLY_SPACE.test(said)) {
          if (text) text += said;
        } else if ((visible ??= shown(element)) && painted(child)) {
          text += escaped(said);
          kept ||= pre;
        }
      } else if (child.nodeName === 'BR') {
        if (text) text += '<br>';
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        const found = yield read(child);
        if (found.rows) {
          blocks = true;
          flush();
          for (const row of found.rows) rows.push(row);
        } else {
          text += found.text;
          kept ||= found.kept;
        }
      }
    }
    if (!blocks) return { text, kept };
    flush();
    return { rows };
  };

  const read = function* (element) {
    const { tagName } = element;
    const style = getComputedStyle(element);
    const field = ['SELECT', 'TEXTAREA', 'INPUT'].includes(tagName);
    if (style.display === 'none' || (NO_TEXT.has(tagName) && !field && !OPAQUE.has(tagName))) return { text: '', kept: false };
    const inline = style.display === 'inline' || style.display === 'contents';
    const visible = shown(element);
    const attributes = visible ? attributesOf(element) : '';
    const tag = tagName.toLowerCase();
    const close = VOID.has(tagName) ? '' : `</${tag}>`;

    if (field || OPAQUE.has(tagName)) {
      const there = visible && union(element.getClientRects());
      let inner = tagName === 'TEXTAREA' ? escaped(element.value) : '';
      if (tagName === 'SELECT') {
        const options = [...element.options].map(
          (o) => `<option${o.disabled ? ' disabled' : ''}${o.selected ? ' selected' : ''}>${escaped(o.label)}</option>`
        );
        inner = options.join('');
      }
      const text = there ? `<${tag}${attributes}>${inner}${close}` : '';
      return inline ? { text, kept: false } : { rows: text ? [text] : [] };
    }

    const contents = yield contentsOf(element);
    const told = (visible && TOLD.has(tagName)) || attributes !== '';
    if (contents.rows) {
      const { rows } = contents;
      if (!told || (!rows.length && !attributes)) return contents;
      if (!rows.length || (rows.length === 1 && !rows[0].startsWith('<'))) return { rows: [`<${tag}${attributes}>${rows.join('')}${close}`] };
      if (tagName === 'TR' && rows.every((row) => /^<t[dh].*>$/.test(row))) {
        return { rows: [`<${tag}${attributes}>${rows.join('')}${close}`] };
      }
      return { rows: [`<${tag}${attributes}>`, ...rows.map((row) => ` ${row}`), close] };
    }
    let { text } = contents;
    if (!inline && !contents.kept) text = trimmed(text);
    if (told && (text || attributes || CELLS.has(tagName))) text = `<${tag}${attributes}>${text}${close}`;
    return inline ? { text, kept: contents.kept } : { rows: text ? [text] : [] };
  };

  const body = document.body ? resultOf(contentsOf(document.body)) : { rows: [] };
  const rows = body.rows ?? [trimmed(body.text)];
  return told([`<title>${escaped(document.title)}</title>`, ...rows].filter(Boolean).join('\n'));
}
