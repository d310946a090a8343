// Submits a form as its first submit button would, checks of the browser included.
(key) => {
  const form = held.get(key);
  HTMLFormElement.prototype.requestSubmit.call(form, submitterOf(form));
}
