// Everything that comes from a site or a person is put in as text, never as markup.

/** Make an element. `on` maps events to handlers, `dataset` to data attributes; false and null are left out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    else if (name === "checked" || name === "disabled" || name === "hidden" || name === "value") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

let count = 0;

/** An id that no other element has. */
export const freshId = (stem) => `${stem}-${++count}`;

/** A key as it is shown beside what it does; only where keys are listed is it read out. */
export const key = (text, { isRead = false } = {}) => el("kbd", { "aria-hidden": isRead ? null : "true" }, text);

/** Whether keys that are typed now go into a text. */
export function isTyping(target) {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");
}

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  back: "M15 5l-7 7 7 7",
  reload: "M19 12a7 7 0 1 1-2-5m2-3v4h-4",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  pin: "M12 21v-6m-5 0h10l-2-4V5h1V3H8v2h1v6z",
  remove: "M6 6l12 12M18 6L6 18",
  restart: "M5 5v5h5M5.5 14a7 7 0 1 0 1-7L5 10",
  target: "M12 3v4m0 10v4M3 12h4m10 0h4m-9-4a4 4 0 1 0 0 8 4 4 0 0 0 0-8",
  remark: "M4 20l1-4L16 5l3 3L8 19z",
};

/** A line drawing that says nothing to a screen reader: what holds it is named. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name, label, run, attributes = {}) {
  return el("button", { type: "button", class: "icon", "aria-label": label, title: label, on: { click: run }, ...attributes }, icon(name));
}

/** Text as an object with sorted keys, so that two forms that say the same are the same text. */
export function canonical(value) {
  const sorted = (each) =>
    each && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.keys(each).sort().map((name) => [name, sorted(each[name])]))
      : Array.isArray(each) ? each.map(sorted) : each;
  return JSON.stringify(sorted(value ?? null));
}
