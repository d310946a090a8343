// Submits a form as its first submit button would, checks of the browser included.
([bidAttribute, bid]) => {
  const form = document.querySelector(`[${bidAttribute}="${CSS.escape(bid)}"]`);
  HTMLFormElement.prototype.requestSubmit.call(form, submitterOf(form));
}
