// Gives an element the focus; says whether it took it.
(key) => {
  const element = held.get(key);
  element.focus();
  return document.activeElement === element;
}
