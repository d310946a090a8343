// Keeps a marked page what it was: marking writes every element's value into an attribute, which would renumber a list.
() => {
  for (const item of document.querySelectorAll('li[value="0"]')) item.removeAttribute('value');
}
