// In pin mode a drag over the picture frames a region.
import { el } from "./dom.js";
import { place, pointIn, spanned } from "./geometry.js";

const START_PX = 6;
const LEAST = 6;

export class Drawing {
  constructor(pane, onRegion) {
    const { frame } = pane;
    const rubber = el("div", { class: "rubber", hidden: true });
    frame.append(rubber);
    let from = null;
    let isDrawn = false;
    const box = (event) => spanned(pointIn(pane.view, frame, from), pointIn(pane.view, frame, event));
    const end = () => {
      from = null;
      rubber.hidden = true;
    };
    frame.addEventListener("pointerdown", (event) => {
      isDrawn = false;
      const isFree = pane.isPinning && !pane.marks.isLookingBack && !event.target.closest(".menu");
      if (isFree && event.button === 0) from = { clientX: event.clientX, clientY: event.clientY };
    });
    frame.addEventListener("pointermove", (event) => {
      if (!from) return;
      if (!isDrawn && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < START_PX) return;
      if (!isDrawn) frame.setPointerCapture(event.pointerId);
      isDrawn = true;
      rubber.hidden = false;
      place(rubber, box(event), pane.view);
    });
    frame.addEventListener("pointerup", (event) => {
      if (!from) return;
      const region = isDrawn ? box(event) : null;
      end();
      if (region && region.width >= LEAST && region.height >= LEAST) onRegion(region);
    });
    frame.addEventListener("pointercancel", end);
    // The click that ends a drag is no click on what lies there.
    frame.addEventListener("click", (event) => {
      if (!isDrawn) return;
      isDrawn = false;
      event.stopPropagation();
      event.preventDefault();
    }, true);
  }
}
