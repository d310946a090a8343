// Keeps a marked page what it was: lists keep their numbers, and forms left unsent are empty when they are shown again.
() => {
  // Marking writes every element's value into an attribute; on a list item that would renumber the list.
  for (const item of document.querySelectorAll('li[value="0"]')) item.removeAttribute('value');
  // The browser would otherwise fill in, on reload and on going back, what was typed before.
  for (const field of document.querySelectorAll('form,input,select,textarea')) field.setAttribute('autocomplete', 'off');
}
