// What an answer holds, and what follows in it from what.
import { canonical } from "./dom.js";

export const VIOLATION = "VIOLATION";
export const OTHER = "OTHER_PROHIBITED_ACTIVITY";
const ANCHOR = "VISIBLE_TEXT_OR_CLAIM";
const PASSWORD_ANCHOR = "CREDENTIAL_OR_IDENTITY_REQUEST";
const PSEUDO = { NON_VIOLATION: "NONE", INSUFFICIENT_EVIDENCE: "UNKNOWN" };
const EMPTY_SITE = {
  environment_status: null, decision: null, primary_violation_type: null, secondary_violation_types: [],
  confidence: null, note: "", pins: [],
};
const EMPTY_PAIR = { answer: null, confidence: 3, note: "" };

export const isPair = (kind) => kind === "pair" || kind === "adjudicate_pair";

/** The form that a task begins with, filled with what was kept of it. */
export const formOf = (kind, kept) => ({ ...(isPair(kind) ? EMPTY_PAIR : EMPTY_SITE), ...(kept ?? {}) });

/** The changes that come with a decision: a main type belongs to a violation only. */
export function withDecision(form, decision) {
  if (decision === form.decision) return {};
  const pseudo = PSEUDO[decision];
  return { decision, primary_violation_type: pseudo ?? null, ...(pseudo ? { secondary_violation_types: [] } : {}) };
}

export const withMainType = (form, name) => ({
  primary_violation_type: name,
  secondary_violation_types: form.secondary_violation_types.filter((each) => each !== name),
});

export function withSecondType(form, name, order) {
  const chosen = new Set(form.secondary_violation_types);
  if (!chosen.delete(name)) chosen.add(name);
  return { secondary_violation_types: order.filter((each) => chosen.has(each)) };
}

export const withPin = (form, pin) => ({ pins: [...form.pins, pin] });
export const withoutPin = (form, id) => ({ pins: form.pins.filter((pin) => pin.id !== id) });
export const withChangedPin = (form, id, patch) => ({ pins: form.pins.map((pin) => (pin.id === id ? { ...pin, ...patch } : pin)) });

/**
 * A pin as the server made it, with what the person says of it still at its default: whoever has a field for a password
 * asks for one, and anything else is what can be read there.
 */
export function newPin(form, made, view) {
  const used = new Set(form.pins.map((pin) => pin.id));
  let number = form.pins.length + 1;
  while (used.has(`p${number}`)) number++;
  const isPassword = view?.elements.some((each) => each.element_id === made.element_id && each.type === "password");
  return { id: `p${number}`, side: "evidence", anchor_type: isPassword ? PASSWORD_ANCHOR : ANCHOR, ...made };
}

/** Whether a pin with the same place is there already. */
export const hasSame = (form, made) =>
  form.pins.some((pin) => ["step", "element_id", "region", "quote"].every((name) => canonical(pin[name]) === canonical(made[name])));

/** Whether a field that a problem is about was left empty. */
export function isLeftOut(form, field) {
  const value = field === "pins" ? form.pins.filter((pin) => pin.side === "evidence") : form[field];
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}
