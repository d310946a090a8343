// Runs in every document before anything else: nothing moves and no caret blinks, so that a page always looks the same.
// A constructed sheet leaves the document's own nodes and styles as they were served.
() => {
  const still = new CSSStyleSheet();
  still.replaceSync(
    '*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }' +
    ' html { scroll-behavior: auto !important; }'
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
}
