// Chooses one option of a select by its position, as a user would.
([key, index]) => {
  const element = held.get(key);
  element.selectedIndex = index;
  element.dispatchEvent(new Event('input', { bubbles: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}
