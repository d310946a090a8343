// Chooses one option of a select by its position, as a user would.
([bidAttribute, bid, index]) => {
  const element = document.querySelector(`[${bidAttribute}="${CSS.escape(bid)}"]`);
  element.selectedIndex = index;
  element.dispatchEvent(new Event('input', { bubbles: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}
