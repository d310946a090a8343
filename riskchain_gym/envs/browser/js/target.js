// Looks at the target of an action before it is touched: can it be acted on, where is it, and where would it lead?
([key, mustBeHit, pressed]) => {
  const element = held.get(key);
  if (!element?.isConnected) return { problem: 'element_detached' };
  const isForm = element.tagName === 'FORM';
  if (!shown(element) || (!isForm && !union(element.getClientRects()))) return { problem: 'element_not_visible' };
  if (isDisabled(element)) return { problem: 'element_disabled' };
  // Enter would type a line into some, and open what no page shows for others; a form has no focus.
  const opensOrTypes = ['TEXTAREA', 'SELECT'].includes(element.tagName) || element.isContentEditable ||
    (element.tagName === 'INPUT' && ['file', 'color'].includes(element.type));
  if (pressed && (isForm || (pressed === 'Enter' && opensOrTypes))) return { problem: 'execution_error' };

  const hits = () => {
    const rect = [...element.getClientRects()].find((r) => r.width > 0 && r.height > 0);
    const x = rect.left + rect.width / 2;
    const y = rect.top + rect.height / 2;
    const top = document.elementFromPoint(x, y);
    if (!top) return null;
    return element.contains(top) || top.closest('label')?.control === element ? { x, y } : null;
  };
  let point = null;
  if (mustBeHit) {
    // A sticky bar may cover the place it scrolls to first; only what is covered wherever it stands is intercepted.
    const ways = [
      () => element.scrollIntoViewIfNeeded(true),
      ...['center', 'start', 'end'].map((block) => () => element.scrollIntoView({ block, behavior: 'instant' })),
    ];
    for (const scroll of ways) {
      scroll();
      point = hits();
      if (point) break;
    }
    if (!point) return { problem: 'element_intercepted' };
  } else if (!isForm) {
    element.scrollIntoViewIfNeeded(true);
  }

  const link = element.closest('a[href]');
  const isPushed = ['submit', 'image', 'button', 'reset'].includes(element.type);
  const sends = pressed === 'Enter' && element.tagName === 'INPUT' && !isPushed;
  const submits = isForm || (element.form && (sends || ['submit', 'image'].includes(element.type)));
  let url = '';
  let frame = '';
  if (pressed === 'Escape') {
    // It follows nothing and sends nothing.
  } else if (link) {
    url = link.href;
    frame = link.target;
  } else if (submits) {
    const form = isForm ? element : element.form;
    const submitter = isForm ? submitterOf(form) : sends ? defaultButtonOf(form) : element;
    const action = (submitter && attribute(submitter, 'formaction')) || attribute(form, 'action');
    url = new URL(action, document.baseURI).href;
    frame = (submitter && attribute(submitter, 'formtarget')) || attribute(form, 'target');
  }
  return {
    problem: '',
    point,
    url,
    frame,
    checked: element.checked === true,
    options: element.tagName === 'SELECT' ? [...element.options].map((option) => told(option.label)) : [],
    usable: element.tagName === 'SELECT' ? [...element.options].map((option) => !option.disabled) : [],
  };
}
