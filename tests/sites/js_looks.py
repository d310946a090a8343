"""What is wrong with how a page is drawn, asked of the browser."""

from __future__ import annotations

FAULTS = r"""() => {
  const found = new Set(), width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.add('the page scrolls sideways');
  const clips = (e) => !e.matches('.scroll, .mark') && getComputedStyle(e).overflowX === 'hidden';
  for (const e of document.querySelectorAll('body *'))
    if (!(e instanceof SVGElement) && e.textContent.trim() && clips(e)
        && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2))
      found.add(`text is cut off in ${e.className}`);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('select, textarea')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    scrollTo(0, scrollY + range.getBoundingClientRect().top - innerHeight / 2);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
    if (!boxes.length) found.add(`${element.className} is not shown`);
    for (const box of boxes) {
      if (box.left < -1 || box.right > width + 1)
        if (!element.closest('.scroll')) found.add(`${element.className} stands out of the window`);
      for (const x of [box.left + 2, (box.left + box.right) / 2, box.right - 2]) {
        const hit = document.elementFromPoint(x, (box.top + box.bottom) / 2);
        if (hit && !hit.contains(element) && !element.contains(hit))
          found.add(`${element.className} is covered by ${hit.outerHTML.slice(0, 60)}`);
      }
    }
  }
  for (const e of document.querySelectorAll('a, button, input, select, textarea')) {
    e.scrollIntoView({block: 'center'});
    const box = e.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const free = hit === e || e.contains(hit);
    if (box.width < 4 || box.height < 4 || !free) found.add(`${e.className} cannot be clicked`);
  }
  return [...found];
}"""
"""Text that is cut off, covered or out of the window, controls that cannot be clicked, a page that scrolls sideways."""
