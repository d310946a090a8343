// Questions with named answers: one of several, or any number of them.
import { el, freshId, key } from "./dom.js";

/**
 * A question as a group of radio buttons or checkboxes.
 * @param field name of the form's field; problems of it are shown here
 * @param options `{name, label, means?, digit?}` in order
 * @param letter the key that goes before the digits, shown with them
 * @param onChoose called with the name that was chosen, or switched
 */
export function choices({ field, legend, options, onChoose, several = false, look = "rows", hint = null, letter = "" }) {
  const name = freshId(field);
  const inputs = new Map();
  const rows = options.map((option) => {
    const id = freshId("option");
    const input = el("input", {
      type: several ? "checkbox" : "radio", name, id, value: option.name, "data-testid": `${field}-${option.name}`,
      on: { change: () => onChoose(option.name) },
    });
    inputs.set(option.name, input);
    return el("label", { class: "choice", for: id }, input,
      el("span", { class: "choice-text" }, el("span", { class: "choice-name" }, option.label), option.means && el("small", {}, option.means)),
      option.digit && key(letter + option.digit));
  });
  const problem = problemLine(field);
  const node = el("fieldset", { class: `question ${look}`, "data-field": field, "aria-describedby": problem.id },
    el("legend", {}, el("span", {}, legend), look === "scale" && key(letter)), hint, el("div", { class: "choices" }, ...rows), problem);

  return {
    node,
    field,
    inputs,
    set(chosen) {
      const names = new Set(several ? chosen : [chosen]);
      for (const [each, input] of inputs) input.checked = names.has(each);
    },
    hide(each, isHidden) {
      inputs.get(each).closest("label").hidden = isHidden;
    },
    focus() {
      const shown = [...inputs.values()].filter((input) => !input.closest("label").hidden);
      (shown.find((input) => input.checked) ?? shown[0])?.focus();
    },
    /** Choose by the digit that stands beside an answer; returns whether there is one. */
    press(digit) {
      const option = options.find((each) => each.digit === digit);
      if (!option || inputs.get(option.name).closest("label").hidden) return false;
      onChoose(option.name);
      inputs.get(option.name).focus();
      return true;
    },
  };
}

export const problemLine = (field) => el("p", { class: "problem", id: freshId("problem"), hidden: true, "data-testid": `problem-${field}` });

/** Show what is wrong with a question, or that nothing is. */
export function setProblem(node, text) {
  const line = node.querySelector(".problem");
  line.textContent = text;
  line.hidden = text === "";
  node.classList.toggle("wrong", text !== "");
  for (const input of node.querySelectorAll("input, textarea")) {
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
}

/** A free text with its count of characters. */
export function noteBox(field, label, onType, limit) {
  const problem = problemLine(field);
  const count = el("span", { class: "muted count" });
  const id = freshId("note");
  const text = el("textarea", { id, rows: "3", maxlength: String(limit), "data-testid": field, "aria-describedby": problem.id, on: { input: () => onType(text.value) } });
  const name = el("span", {});
  const node = el("div", { class: "question", "data-field": field }, el("label", { class: "legend", for: id }, name, count), text, problem);
  return {
    node,
    field,
    set(value, { required, least }) {
      if (text.value !== value) text.value = value;
      text.required = required;
      name.textContent = label(required);
      const length = [...value.trim()].length;
      count.textContent = required && length < least ? `${length} / ${least}` : `${length} / ${limit}`;
      count.classList.toggle("short", required && length < least);
    },
    focus: () => text.focus(),
    press: () => false,
  };
}
