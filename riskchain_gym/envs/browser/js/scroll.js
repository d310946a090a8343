// Scrolls the page by some pixels.
(pixels) => scrollBy({ top: pixels, behavior: 'instant' })
