// What an action did, in the language of the page; what the environment says otherwise is shown as it says it.
import { t } from "./words.js";
import { elementName } from "./zones.js";

const ENDINGS = [["done, the page changed.", "did.changed"], ["done, nothing on the page changed.", "did.nothing"]];
const MOVES = { back: "site.back", reload: "site.reload", scroll_up: "site.up", scroll_down: "site.down" };

/** What a person did, in words. */
export function deed(action, view) {
  const element = view.elements.find((each) => each.element_id === action.element_id);
  if (!element) return t(MOVES[action.action]);
  const word = action.action === "press" ? t("act.press", { key: action.key }) : t(`act.${action.action}`);
  return [word, elementName(element), action.option].filter(Boolean).join(" · ");
}

export function outcome(what, feedback) {
  const known = ENDINGS.find(([ending]) => what && feedback.endsWith(ending));
  return known ? t(known[1], { what }) : feedback;
}
