// Describes the page as it stands: title, address, visible text, actionable elements and pictures, in document coordinates.
([bidAttribute, nameLimit, placeholderLimit]) => {
  held = new Map();
  const cut = (text, limit) => [...text].slice(0, limit).join('');
  const joined = (element) => linesOf(element).map((line) => line.text).join(' ');
  const textOfIds = (ids) =>
    ids.split(SPACE).map((id) => document.getElementById(id)).filter(Boolean).map((e) => trimmed(e.textContent)).join(' ');

  const nameOf = (element) => {
    const labelledBy = element.getAttribute('aria-labelledby');
    if (labelledBy) return textOfIds(labelledBy);
    const label = element.getAttribute('aria-label');
    if (label) return label;
    if (element.tagName !== 'FORM' && element.labels?.length) {
      return [...element.labels].map((l) => joined(l) || trimmed(l.textContent)).filter(Boolean).join(' ');
    }
    if (element.tagName === 'INPUT' && ['submit', 'button', 'reset'].includes(element.type) && element.value) return element.value;
    if (element.tagName === 'A' || element.tagName === 'BUTTON' || element.getAttribute('role') === 'button') {
      const text = joined(element);
      if (text) return text;
      const picture = element.querySelector('img[alt]');
      if (picture) return picture.alt;
    }
    return attribute(element, 'alt') || attribute(element, 'title') || attribute(element, 'placeholder');
  };

  const hasValue = (element) => {
    if (element.tagName === 'SELECT') return [...element.selectedOptions].some((option) => option.label !== '');
    if (element.tagName === 'TEXTAREA') return element.value !== '';
    const valueless = ['checkbox', 'radio', 'submit', 'button', 'reset', 'image'];
    return element.tagName === 'INPUT' && !valueless.includes(element.type) && element.value !== '';
  };

  // Counted once for all children: a page may have tens of thousands of them.
  const places = new Map();
  const placeOf = (element) => {
    const parent = element.parentElement;
    if (!parent) return 1;
    if (!places.has(parent)) {
      const [place, counts] = [new Map(), new Map()];
      for (const child of parent.children) {
        counts.set(child.tagName, (counts.get(child.tagName) ?? 0) + 1);
        place.set(child, counts.get(child.tagName));
      }
      places.set(parent, place);
    }
    return places.get(parent).get(element);
  };

  const pathTo = (element) => {
    const parts = [];
    for (let e = element; e && e !== document.documentElement; e = e.parentElement) {
      if (e !== element && e.hasAttribute('id')) return told(`#${attribute(e, 'id')}>${parts.join('>')}`);
      parts.unshift(`${e.tagName.toLowerCase()}:${placeOf(e)}`);
    }
    return told(parts.join('>'));
  };

  const taken = new Set();
  const keyOf = (element) => {
    const wanted = told(attribute(element, 'id')) || pathTo(element);
    const key = taken.has(wanted) ? pathTo(element) : wanted;
    taken.add(key);
    return key;
  };

  // The browser would otherwise fill in, on reload and on going back, what was typed before.
  for (const field of document.querySelectorAll('form,input,select,textarea')) {
    if (attribute(field, 'autocomplete') !== 'off') field.setAttribute('autocomplete', 'off');
  }

  const elements = [];
  for (const element of document.querySelectorAll('a[href],button,input,select,textarea,form,[role=button]')) {
    const box = union(element.getClientRects());
    const form = element.tagName === 'FORM';
    if (element.type === 'hidden' || !shown(element) || (!box && !form)) continue;
    const key = keyOf(element);
    held.set(key, element);
    elements.push({
      key,
      bid: attribute(element, bidAttribute),
      tag: element.tagName.toLowerCase(),
      type: element.tagName === 'INPUT' ? element.type : '',
      explicit_role: told(trimmed(attribute(element, 'role'))),
      many: element.tagName === 'SELECT' && (element.multiple || element.size > 1),
      name: cut(told(nameOf(element)), nameLimit),
      placeholder: cut(told(attribute(element, 'placeholder')), placeholderLimit),
      options: element.tagName === 'SELECT' ? [...element.options].map((option) => told(option.label)) : [],
      disabled: isDisabled(element),
      checked: element.checked === true || element.getAttribute('aria-checked') === 'true',
      has_value: hasValue(element),
      box,
    });
  }

  const pictures = [...document.images]
    .map((image) => ({ image, box: shown(image) ? union(image.getClientRects()) : null }))
    .filter((found) => found.box)
    .map(({ image, box }) => ({ key: keyOf(image), alt: told(attribute(image, 'alt')), box }));

  return {
    title: cut(told(document.title), nameLimit),
    site: `${location.protocol}//${location.host}`,
    path: told(location.pathname + location.search),
    status: performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0,
    lines: document.body ? linesOf(document.body) : [],
    elements,
    pictures,
    scroll_y: Math.round(scrollY),
    height: Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0),
  };
}
