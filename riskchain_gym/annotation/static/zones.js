// The hot zones over the picture: real buttons, one for each thing that can be acted on or pinned.
import { el } from "./dom.js";
import { area, clipped, place, samePlace, viewportOf } from "./geometry.js";
import { t } from "./words.js";

const ROLES = new Set(["link", "button", "textbox", "checkbox", "radio", "combobox", "slider", "form"]);
const SHORT = 80;

export const roleName = (role) => (ROLES.has(role) ? t(`role.${role}`) : role);
export const elementName = (element) => `${roleName(element.role)} ${element.name}`.trim();

/**
 * The buttons for a view, in document order; the smaller lies over the larger.
 * @param onUse called with a target: `{element}`, `{line, index}` or `{picture}`, and the event
 */
export function zonesOf(view, onUse, onMenu) {
  const within = viewportOf(view);
  const targets = [];
  const add = (target, box, kind, label) => {
    const seen = box && clipped(box, within);
    if (seen) targets.push({ target, box, seen, kind, label });
  };
  for (const element of view.elements) {
    if (element.role !== "form") add({ element }, element.box, "element", elementName(element));
    else if (isWorthAZone(element, view)) add({ element }, element.box, "form", elementName(element));
  }
  for (const picture of view.pictures) add({ picture }, picture.box, "still", t("role.picture"));
  view.lines.forEach((line, index) => {
    if (!line.text.trim() || !line.box) return;
    if (targets.some((each) => each.kind === "element" && isItsText(each, line))) return;
    add({ line, index }, line.box, "still", t("role.text", { text: line.text.trim().slice(0, SHORT) }));
  });
  const bySize = targets.toSorted((one, other) => area(other.box) - area(one.box));
  bySize.forEach((each, rank) => (each.rank = rank + 1));
  return targets.map((each) => zone(each, view, onUse, onMenu));
}

/** A form around nothing but a button is the button's: only one with fields, or with nothing to click, is shown itself. */
function isWorthAZone(form, view) {
  const inside = view.elements.filter((each) => each !== form && each.box && form.box && clipped(each.box, form.box));
  return inside.length === 0 || inside.some((each) => ["fill", "select", "check"].some((name) => each.can.includes(name)));
}

/** Whether a line says what an element says, in the same place: then the element stands for both. */
const isItsText = ({ target, box }, line) =>
  samePlace(box, line.box) || (target.element.name.trim() === line.text.trim() && clipped(line.box, box) !== null);

function zone({ target, seen, kind, label, rank }, view, onUse, onMenu) {
  const element = target.element;
  const states = element ? ["disabled", "checked", "has_value"].filter((name) => element[name]).map((name) => t(`zone.${name}`)) : [];
  const node = el("button", {
    type: "button", class: `zone ${kind}`, "aria-label": label, title: [label, ...states].join(" · "),
    "aria-description": states.join(", ") || null, "aria-disabled": element?.disabled ? "true" : null,
    "aria-haspopup": element && opensMenu(element) ? "menu" : null,
    "data-testid": "zone", "data-element": element?.element_id ?? target.picture?.key, "data-line": target.index,
    on: {
      click: (event) => onUse(target, event, node),
      contextmenu: (event) => { if (element) { event.preventDefault(); onMenu(element, node); } },
    },
  });
  place(node, seen, view);
  node.style.zIndex = rank;
  return node;
}

export const opensMenu = (element) => element.can.includes("fill") || element.can.includes("select") || element.role === "form";

/** What a plain click on an element does; null where there is something to choose. */
export function plainAction(element) {
  const { element_id, can, checked } = element;
  if (opensMenu(element)) return null;
  if (can.includes("check") && !checked) return { action: "check", element_id };
  return can.includes("click") ? { action: "click", element_id } : null;
}

/** Everything that can be done with an element, as pairs of words and action. */
export function actionsOf(element) {
  const { element_id, can, checked } = element;
  const found = [];
  if (can.includes("fill")) found.push([t("act.fill"), { action: "fill", element_id }]);
  if (can.includes("select")) for (const option of element.options) found.push([option || t("act.blank"), { action: "select", element_id, option }]);
  if (can.includes("check") && !checked) found.push([t("act.check"), { action: "check", element_id }]);
  if (can.includes("click")) found.push([t(checked ? "act.uncheck" : "act.click"), { action: "click", element_id }]);
  if (can.includes("submit")) found.push([t("act.submit"), { action: "submit", element_id }]);
  if (element.role !== "form") for (const key of ["Enter", "Escape"]) found.push([t("act.press", { key }), { action: "press", element_id, key }]);
  return found;
}
