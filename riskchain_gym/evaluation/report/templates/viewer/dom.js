// Elements. Everything from a page, an agent or a file is put in as text, never as markup.
const kept = (child) => child !== null && child !== undefined && child !== false && child !== "";
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    else if (name === "style") Object.assign(node.style, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter(kept));
  return node;
};
const button = (text, run, attributes = {}) => el("button", { type: "button", on: { click: run }, ...attributes }, text);
const pill = (text, tone = "", title = null) => el("span", { class: `pill ${tone}`, title }, text);
const muted = (...children) => el("p", { class: "muted" }, ...children);
const heading = (text, id) => el("h3", { id }, text);
const box = (title, ...children) => el("div", { class: "box" }, el("h4", {}, title), ...children);
const words = (name) => String(name).replaceAll("_", " ");
const unknown = (value, show = String) => (value === null || value === undefined ? "–" : show(value));
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
const dollars = (cost) => (cost > 0 && cost < 0.0001 ? "<0.0001" : cost.toFixed(4));

const row = (...cells) => el("tr", {}, ...cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : el("td", {}, cell))));
const plainTable = (headings, rows, kind = "") => el("div", { class: "scroll" }, el("table", { class: `plain-table ${kind}` },
  el("thead", {}, el("tr", {}, ...headings.map((text) => el("th", { scope: "col" }, text)))), el("tbody", {}, ...rows)));

const announce = (text) => { document.getElementById("announced").textContent = text; };
const copy = async (text, from) => {
  const said = from.textContent;
  try { await navigator.clipboard.writeText(text); from.textContent = "Copied"; announce("Copied"); }
  catch { from.textContent = "Select and copy it below"; announce("It could not be copied: select the text"); }
  setTimeout(() => { from.textContent = said; }, 1500);
};
