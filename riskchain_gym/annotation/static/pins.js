// The list of what was pinned: each a card with its picture, its words and what kind of observation it is.
import { thumbnailAddress } from "./api.js";
import { problemLine } from "./choices.js";
import { canonical, el, freshId, iconButton } from "./dom.js";
import { withChangedPin, withoutPin } from "./form.js";
import { said, t } from "./words.js";

const OBSERVATION_LIMIT = 1000;
export const WIDE = 3.5;
const MANY_LINES = 3;

export function pinList(desk, codebook, show) {
  const list = el("ul", { class: "pins", "data-testid": "pins" });
  const problem = problemLine("pins");
  const none = el("p", { class: "muted" }, t("pins.none"));
  const count = el("span", { class: "muted count" });
  const node = el("section", { class: "question", "data-field": "pins", tabindex: "-1", "aria-label": t("ask.pins"), "aria-describedby": problem.id },
    el("h3", { class: "legend" }, el("span", {}, t("ask.pins")), count), none, problem, list);
  let cards = new Map();

  return {
    node,
    set(pins) {
      none.hidden = pins.length > 0;
      const against = pins.filter((pin) => pin.side === "counterevidence").length;
      count.textContent = pins.length ? t("pins.count", { evidence: pins.length - against, against }) : "";
      const kept = new Map(pins.map((pin) => [pin.id, cards.get(pin.id) ?? card(desk, codebook, pin.id, show)]));
      const held = document.activeElement;
      if (canonical([...kept.keys()]) !== canonical([...cards.keys()])) list.replaceChildren(...[...kept.values()].map((each) => each.node));
      if (list.contains(held)) held.focus();
      cards = kept;
      pins.forEach((pin, at) => cards.get(pin.id).set(pin, at));
    },
    /** Show a problem of the pin at a place of the list; returns what to focus. */
    setProblem(at, part, message) {
      return [...cards.values()][at]?.setProblem(part, message) ?? null;
    },
    clearProblems() {
      for (const each of cards.values()) each.clearProblem();
    },
    /** Bring the card of a new pin into sight. */
    reveal(id) {
      cards.get(id)?.node.scrollIntoView({ block: "nearest" });
      cards.get(id)?.node.classList.add("new");
    },
    focus: () => (list.querySelector("button") ?? node).focus(),
    press: () => false,
  };
}

function card(desk, codebook, id, show) {
  const current = () => desk.form.pins.find((pin) => pin.id === id);
  const edit = (patch) => desk.edit("pins", withChangedPin(desk.form, id, patch));
  // A line of text is wide and low: it is shown as it is, above the words and not beside them.
  const picture = el("img", { alt: "", on: { load: () => node.classList.toggle("wide", picture.naturalWidth > WIDE * picture.naturalHeight) } });
  const number = el("span", { class: "pin-number" });
  const look = el("button", { type: "button", class: "thumb", "data-testid": "pin-show", on: { click: () => show(current()) } }, picture, number);
  const quote = el("blockquote", {});
  const where = el("span", { class: "muted" });
  const kind = el("select", { "aria-label": t("pins.kind"), "data-testid": "pin-anchor", on: { change: () => edit({ anchor_type: kind.value }) } },
    ...codebook.anchors.map((entry) => el("option", { value: entry.name }, said(entry))));
  const sideName = freshId("side");
  const sides = ["evidence", "counterevidence"].map((side) => el("label", {},
    el("input", { type: "radio", name: sideName, value: side, "data-testid": `pin-${side}`, on: { change: () => edit({ side }) } }), el("span", {}, t(`pins.${side}`))));
  const remark = el("input", {
    type: "text", class: "remark", maxlength: String(OBSERVATION_LIMIT), placeholder: t("pins.remark-hint"), "aria-label": t("pins.remark"),
    "data-testid": "pin-remark", hidden: true, on: { input: () => edit({ observation: remark.value }) },
  });
  const write = iconButton("remark", t("pins.remark"), () => { remark.hidden = false; remark.focus(); }, { "data-testid": "pin-write" });
  const remove = iconButton("remove", t("pins.remove"), () => takeOut(desk, id, node), { "data-testid": "pin-remove" });
  const hint = el("p", { class: "pin-hint", hidden: true, "data-testid": "pin-hint" });
  const problem = problemLine("pin");
  const node = el("li", { class: "pin", "data-testid": "pin", "data-pin": id }, look,
    el("div", { class: "pin-body" },
      el("div", { class: "pin-head" }, where, el("span", { class: "sides", role: "group", "aria-label": t("pins.side") }, ...sides), write, remove),
      quote, hint, kind, remark, problem));

  return {
    node,
    set(pin, at) {
      number.textContent = String(at + 1);
      where.textContent = t("site.step", { step: pin.step });
      look.setAttribute("aria-label", t("pins.show", { number: at + 1, step: pin.step }));
      quote.textContent = pin.quote || t(pin.region ? "pins.region" : "pins.picture");
      quote.classList.toggle("muted", !pin.quote);
      quote.title = pin.quote;
      const count = pin.quote.split("\n").length;
      hint.hidden = !pin.region || count <= MANY_LINES;
      hint.textContent = t("pins.many", { count });
      const address = pin.thumbnail ? thumbnailAddress(pin.thumbnail) : "";
      picture.hidden = !address;
      if (address && picture.getAttribute("src") !== address) picture.src = address;
      kind.value = pin.anchor_type;
      for (const label of sides) label.firstChild.checked = label.firstChild.value === pin.side;
      node.classList.toggle("against", pin.side === "counterevidence");
      if (remark.value !== pin.observation) remark.value = pin.observation;
      if (pin.observation) remark.hidden = false;
    },
    setProblem(part, message) {
      problem.textContent = message;
      problem.hidden = false;
      if (part === "observation") remark.hidden = false;
      return part === "observation" ? remark : look;
    },
    clearProblem() {
      problem.hidden = true;
    },
  };
}

/** Remove a pin and keep the focus in the list. */
function takeOut(desk, id, node) {
  const next = node.nextElementSibling ?? node.previousElementSibling;
  desk.edit("pins", withoutPin(desk.form, id));
  (next?.querySelector(".thumb") ?? document.querySelector("[data-field=pins]")).focus();
}
