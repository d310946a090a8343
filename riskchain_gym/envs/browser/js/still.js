// Runs in every document before anything else: nothing moves and no caret blinks, so that a page always looks the same.
// A constructed sheet leaves the document's own nodes and styles as they were served.
const still = new CSSStyleSheet();
still.replaceSync(
  '*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }' +
  ' html { scroll-behavior: auto !important; }'
);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];

// How often the document has changed, which is how it is known to have come to rest.
let changes = 0;
new MutationObserver((records) => { changes += records.length; })
  .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

// The elements of the last inventory, by key.
let held = new Map();
