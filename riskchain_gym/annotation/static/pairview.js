// What was seen, cited and done, as far as a claim is about it; the same that a judge is shown.
import { el } from "./dom.js";
import { named, placeName } from "./names.js";
import { said, t } from "./words.js";
import { roleName } from "./zones.js";

const CUT = /^(\w+): (\d+) of (\d+) /;

export function pairView(pair, codebook) {
  const { view, views, missing, cited, report, ledger, ending, cuts } = pair;
  const quotes = [cited, ...report.citations].filter(Boolean);
  const pages = view ? [view] : views;
  const told = box(t("pair.report"), reported(report, codebook));
  const isAboutReport = report.citations.length > 0;
  return el("section", { class: "site pair-view", "aria-label": t("pair.label"), tabindex: "0", "data-testid": "pair-view" },
    cited && box([`${t("pair.cited")} · ${placeName(cited.place)} `, el("code", {}, cited.place)], citation(cited, codebook)),
    missing && box(t("pair.view"), el("p", { "data-testid": "missing" }, t("pair.missing"))),
    isAboutReport && told,
    ledger.length > 0 && box(t("pair.ledger"), actions(ledger, ending)),
    pages.length > 1 && el("p", { class: "muted", "data-testid": "pair-views" }, t("pair.views", { count: pages.length })),
    ...pages.map((each, at) => page(each, quotes, pair, at === 0)),
    !isAboutReport && told,
    cuts.length > 0 && el("p", { class: "muted" }, t("pair.cut", { cuts: cuts.map(cutName).join(" · ") })));
}

/** Go to the words that a claim is about, or to the control. */
export function showCited(node) {
  const cited = node.querySelector(".pair-view .lines mark:not(.other)") ?? node.querySelector(".pair-view details .cited");
  cited?.scrollIntoView({ block: "center" });
}

function cutName(cut) {
  const [, name, count, of] = cut.match(CUT);
  return t(`cut.${name}`, { cut: count, of });
}

const box = (title, ...children) => el("section", { class: "box" }, el("h3", {}, title), ...children);

const facts = (rows) => el("dl", { class: "facts" }, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

const citation = (cited, codebook) => facts([
  [t("pair.quote"), cited.quote && el("blockquote", { class: "cited" }, cited.quote)],
  [t("pair.element"), cited.element && `${cited.element.element_id} · ${roleName(cited.element.role)} ${cited.element.name}`],
  [t("pair.region"), cited.region_lines && el("blockquote", { class: "cited" }, cited.region_lines.join("\n"))],
  [t("pair.observation"), cited.observation],
  [t("pins.kind"), named(codebook.anchors, cited.anchor_type)],
  [t("pair.view"), t("pair.view-number", { number: cited.step })],
]);

function page(view, citations, pair, isOpen) {
  const main = pair.cited?.step === view.view ? texts(pair.cited.quote) : [];
  const others = citations.filter((each) => each !== pair.cited && each.step === view.view).flatMap((each) => texts(each.quote));
  const controls = view.controls.map((each) => el("li", { class: pair.cited?.element?.element_id === each.element_id && "cited" },
    el("code", {}, each.element_id), " ", el("span", { class: "muted" }, roleName(each.role)), " ", each.name, each.disabled && ` (${t("zone.disabled")})`));
  const pictures = view.pictures.map((each) => el("li", {}, el("code", {}, each.key), " ", each.alt ?? ""));
  const hasCited = controls.some((each) => each.className);
  return el("details", { class: "box", open: isOpen || main.length > 0 || hasCited },
    el("summary", {}, el("h3", {}, `${t("pair.view-number", { number: view.view })} · ${view.title}`), el("span", { class: "muted" }, t("pair.lines", { count: view.lines.length }))),
    el("div", { class: "lines", lang: pair.language === "mixed" ? null : pair.language, "data-testid": "pair-lines" },
      ...view.lines.map((line) => el("p", {}, ...marked(line, main, others)))),
    controls.length > 0 && el("details", { open: hasCited }, el("summary", {}, t("pair.controls", { count: controls.length })), el("ul", { class: "controls" }, ...controls)),
    pictures.length > 0 && el("details", {}, el("summary", {}, t("pair.pictures", { count: pictures.length })), el("ul", { class: "controls" }, ...pictures)));
}

const texts = (quote) => quote.split("\n").map((line) => line.trim()).filter(Boolean);

/** A line in pieces, with what is quoted set apart; a quote may be a part of the line, or the line a part of it. */
function marked(line, main, others) {
  for (const [quotes, look] of [[main, null], [others, "other"]]) {
    const part = quotes.find((quote) => line.includes(quote));
    if (part !== undefined) {
      const at = line.indexOf(part);
      return [line.slice(0, at), el("mark", { class: look }, part), line.slice(at + part.length)];
    }
    const text = line.trim();
    if (text.length > 1 && quotes.some((quote) => quote.includes(text))) return [el("mark", { class: look }, line)];
  }
  return [line];
}

function actions(ledger, ending) {
  const rows = ledger.map((each) => el("li", {}, el("span", { class: "muted" }, t("pair.view-number", { number: each.step })), " ",
    el("b", {}, t(`ledger.${each.action}`)), each.role && ` ${roleName(each.role)} ${each.name}`, each.status !== "executed" && el("span", { class: "muted" }, ` (${t(`ledger.${each.status}`)})`)));
  return el("div", {}, el("ol", { class: "controls", "data-testid": "ledger" }, ...rows), ending && el("p", { class: "muted" }, t("pair.ending", { ending: t(`ending.${ending}`) })));
}

function reported(report, codebook) {
  const types = [...codebook.types, ...codebook.untyped];
  const rows = [
    [t("ask.decision"), named(codebook.decisions, report.decision)],
    [t("ask.type"), named(types, report.primary_violation_type)],
    [t("pair.rule"), said(types.find((each) => each.name === report.primary_violation_type), "minimum")],
    [t("ask.note"), report.note],
  ];
  const cited = report.citations.map((each) => el("li", {},
    placeName(each.place), " ", el("code", {}, each.place),
    el("p", { class: "muted" }, `${t("pair.view-number", { number: each.step })} · `, named(codebook.anchors, each.anchor_type)),
    el("blockquote", { class: "cited" }, each.quote || each.element_id || t("pins.region")),
    each.observation && el("p", { class: "muted" }, each.observation)));
  return el("div", {}, facts(rows), cited.length > 0 && el("ul", { class: "controls cited-list" }, ...cited));
}
