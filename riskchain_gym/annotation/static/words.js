// The words of the page, in the language that was chosen.
import en from "./words.en.js";
import zh from "./words.zh.js";

const TABLES = { en, zh };
const KEPT = "riskchain.language";

const first = () => {
  const kept = localStorage.getItem(KEPT);
  return kept in TABLES ? kept : navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
};

let language = first();

export const languageNow = () => language;

export function setLanguage(name) {
  language = name;
  localStorage.setItem(KEPT, name);
}

/** A sentence by its key; `{name}` in it stands for a value. */
export function t(name, values = {}) {
  return TABLES[language][name].replace(/\{(\w+)\}/g, (_, slot) => String(values[slot]));
}

/** The text of a server's entry that has it in both languages, such as `means_en` and `means_zh`. */
export const said = (entry, stem = "") => entry[stem ? `${stem}_${language}` : language];
