// In pin mode a drag over the picture frames a region.
import { el } from "./dom.js";
import { place, pointIn, spanned } from "./geometry.js";
import { t } from "./words.js";

const START_PX = 6;
const LEAST = 6;

export class Drawing {
  constructor(pane, onRegion) {
    const { frame } = pane;
    const rubber = el("div", { class: "rubber", hidden: true });
    frame.append(rubber);
    let drag = null;
    let isDrawn = false;
    const box = (event) => spanned(pointIn(pane.view, frame, drag.from), pointIn(pane.view, frame, event));
    const isFree = (event) => pane.isPinning && !pane.marks.isLookingBack && !event.target.closest(".menu") && event.button === 0;

    const move = (event) => {
      if (event.pointerId !== drag.id || drag.view !== pane.view) return;
      if (!isDrawn && Math.hypot(event.clientX - drag.from.clientX, event.clientY - drag.from.clientY) < START_PX) return;
      // Not before it is a drag: what holds the pointer gets the click, too.
      if (!isDrawn) frame.setPointerCapture(drag.id);
      isDrawn = true;
      rubber.hidden = false;
      place(rubber, box(event), pane.view);
    };
    const end = (event) => {
      if (event.pointerId !== drag.id) return;
      const isBroken = event.type === "pointercancel" || drag.view !== pane.view;
      const region = isDrawn && !isBroken && box(event);
      drag.over.abort();
      drag = null;
      rubber.hidden = true;
      if (!isDrawn) return;
      if (isBroken) pane.say(t("pin.broken"));
      else if (region.width < LEAST || region.height < LEAST) pane.say(t("pin.small"));
      else onRegion(region);
    };

    frame.addEventListener("pointerdown", (event) => {
      if (drag) return;
      isDrawn = false;
      if (!isFree(event)) return;
      drag = { id: event.pointerId, view: pane.view, from: { clientX: event.clientX, clientY: event.clientY }, over: new AbortController() };
      // A quick hand is out of the frame before the first move is told.
      const heard = { signal: drag.over.signal };
      addEventListener("pointermove", move, heard);
      addEventListener("pointerup", end, heard);
      addEventListener("pointercancel", end, heard);
    });
    // The browser would select text with a drag, and with the next one carry off what is selected.
    frame.addEventListener("mousedown", (event) => {
      if (!isFree(event)) return;
      event.preventDefault();
      getSelection().removeAllRanges();
      (event.target.closest("button") ?? frame).focus({ preventScroll: true });
    });
    frame.addEventListener("dragstart", (event) => event.preventDefault());
    // The click that ends a drag is no click on what lies there.
    frame.addEventListener("click", (event) => {
      if (!isDrawn) return;
      isDrawn = false;
      event.stopPropagation();
      event.preventDefault();
    }, true);
  }
}
