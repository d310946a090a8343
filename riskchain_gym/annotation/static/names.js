// The codebook's names and a report's places in the form's words, with the name that the claim uses beside them.
import { el } from "./dom.js";
import { said, t } from "./words.js";

const CITATIONS = new Set(["evidence", "counterevidence"]);

/** What a name of the codebook means: the words, then the name. */
export function named(entries, name) {
  const entry = entries.find((each) => each.name === name);
  return el("span", {}, entry && `${said(entry)} `, el("code", {}, name));
}

/** A place such as `evidence.0` in words; citations of each side are counted from 1. */
export function placeName(place) {
  const [name, at] = place.split(".");
  if (CITATIONS.has(name)) return t(`place.${name}`, { number: Number(at) + 1 });
  return name === "view" ? t("pair.view-number", { number: at }) : t("place.report");
}

/** The names and places that stand in a claim, as pairs of the name and its words. */
export function glossary(claim, codebook) {
  const places = [...new Set(claim.match(/\b(?:counter)?evidence\.\d+/g))].map((place) => [place, placeName(place)]);
  const known = [...codebook.decisions, ...codebook.types, ...codebook.untyped, ...codebook.statuses];
  const words = new Set(claim.match(/[A-Z_]{4,}/g));
  return [...places, ...known.filter((entry) => words.has(entry.name)).map((entry) => [entry.name, said(entry)])];
}
