// Marking writes every element's value into an attribute; on a list item that would renumber the list.
() => {
  for (const item of document.querySelectorAll('li[value="0"]')) item.removeAttribute('value');
}
