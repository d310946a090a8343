// From document coordinates to the picture of the viewport, and back. All boxes are {x, y, width, height} in CSS pixels.

const TOO_THIN_PX = 3;
const SAME_PLACE = 0.8;

export const viewportOf = (view) => ({ x: 0, y: view.scroll_y, width: view.viewport[0], height: view.viewport[1] });

export const area = (box) => box.width * box.height;

/** The part of a box that lies in another; null where hardly any does. */
export function clipped(box, within) {
  const [x, y] = [Math.max(box.x, within.x), Math.max(box.y, within.y)];
  const width = Math.min(box.x + box.width, within.x + within.width) - x;
  const height = Math.min(box.y + box.height, within.y + within.height) - y;
  return width < TOO_THIN_PX || height < TOO_THIN_PX ? null : { x, y, width, height };
}

/** Whether two boxes frame the same thing. */
export function samePlace(one, other) {
  const both = clipped(one, other);
  return both !== null && area(both) / (area(one) + area(other) - area(both)) >= SAME_PLACE;
}

/** Put a node over the part of the picture that a box of the document takes. */
export function place(node, box, view) {
  const [width, height] = view.viewport;
  const percent = (part, whole) => `${((part / whole) * 100).toFixed(3)}%`;
  node.style.left = percent(box.x, width);
  node.style.top = percent(box.y - view.scroll_y, height);
  node.style.width = percent(box.width, width);
  node.style.height = percent(box.height, height);
}

/** The document coordinates of a pointer over the picture. */
export function pointIn(view, frame, event) {
  const shown = frame.getBoundingClientRect();
  const share = (value, start, size) => Math.min(1, Math.max(0, (value - start) / size));
  return {
    x: share(event.clientX, shown.left, shown.width) * view.viewport[0],
    y: share(event.clientY, shown.top, shown.height) * view.viewport[1] + view.scroll_y,
  };
}

export function spanned(one, other) {
  const round = (value) => Math.round(value * 10) / 10;
  return {
    x: round(Math.min(one.x, other.x)), y: round(Math.min(one.y, other.y)),
    width: round(Math.abs(one.x - other.x)), height: round(Math.abs(one.y - other.y)),
  };
}

/** Where a pin lies on the page of a view; null where that is not known. */
export function pinBox(pin, view) {
  if (pin.region) return pin.region;
  if (pin.element_id) {
    const meant = view.elements.find((each) => each.element_id === pin.element_id) ?? view.pictures.find((each) => each.key === pin.element_id);
    return meant?.box ?? null;
  }
  return view.lines.find((line) => line.text.trim() === pin.quote)?.box ?? null;
}
