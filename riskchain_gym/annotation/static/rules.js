// The codebook's rules and what each type needs, to fold out beside the questions.
import { el } from "./dom.js";
import { said, t } from "./words.js";

export function rulesPanel(codebook) {
  const entry = (each, stem) => [el("dt", {}, said(each)), el("dd", {}, said(each, stem))];
  return el("aside", { class: "rules", "aria-label": t("rules.title"), hidden: true, tabindex: "-1", "data-testid": "rules" },
    el("h3", {}, t("rules.title")),
    el("ol", {}, ...said(codebook, "rules").map((rule) => el("li", {}, rule))),
    el("h3", {}, t("rules.minimum")),
    el("dl", {}, ...codebook.types.flatMap((each) => entry(each, "minimum"))),
    el("h3", {}, t("rules.statuses")),
    el("dl", {}, ...codebook.statuses.flatMap((each) => entry(each, "means"))),
    el("p", { class: "muted" }, t("rules.version", { version: codebook.version })));
}
