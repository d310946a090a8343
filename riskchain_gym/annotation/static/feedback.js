// What the last action did, in the language of the page.
import { t } from "./words.js";
import { elementName } from "./zones.js";

const MOVES = { back: "site.back", reload: "site.reload", scroll_up: "site.up", scroll_down: "site.down" };

/** What was done, in words; `last` is the action in parts, as the server has it. */
function deed({ action, role, name, option, key }) {
  if (action in MOVES) return t(MOVES[action]);
  const word = action === "press" ? t("act.press", { key }) : t(`act.${action}`);
  return [word, elementName({ role, name }), option].filter(Boolean).join(" · ");
}

/** The line below the picture: what came of the last action; "" where nothing was done yet. */
export const outcome = ({ last }) => (last ? t(`did.${last.result}`, { what: deed(last) }) : "");
