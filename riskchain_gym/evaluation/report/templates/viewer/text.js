// Text: characters that nobody sees, and what differs between two texts.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00a0\u2000-\u200a\u3000\ufe00-\ufe0f\u20e3]/u;
const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
const reveal = (text) => {
  const out = [];
  for (const character of text) {
    if (character === "\n") out.push(el("span", { class: "invisible" }, "↵\n"));
    else if (INVISIBLE.test(character)) out.push(el("span", { class: "invisible" }, `·${codePoint(character)}`));
    else if (typeof out.at(-1) === "string") out[out.length - 1] += character;
    else out.push(character);
  }
  return out;
};

const GRID = 1200;
const codePoints = (text) => {
  const all = [...text];
  return el("div", { class: "points", tabindex: "0", "aria-label": "Code points" },
    ...all.slice(0, GRID).map((character) => el("span", { class: INVISIBLE.test(character) ? "odd" : "" },
      el("b", {}, INVISIBLE.test(character) ? "·" : character), el("small", {}, codePoint(character).slice(2)))),
    all.length > GRID && muted(`… ${all.length - GRID} further characters`));
};

// Longest common subsequence; what both begin and end with is set aside first, and what is too large is one change.
const CELLS = 4e6;
const differ = (a, b) => {
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const left = a.slice(head, a.length - tail), right = b.slice(head, b.length - tail);
  return [...a.slice(0, head).map((x) => ["same", x]), ...middle(left, right), ...a.slice(a.length - tail).map((x) => ["same", x])];
};
const middle = (a, b) => {
  if (a.length * b.length > CELLS) return [...a.map((x) => ["gone", x]), ...b.map((x) => ["new", x])];
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--)
    table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const out = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push(["same", a[i]]); i++; j++; }
    else if (j >= b.length || (i < a.length && table[i + 1][j] >= table[i][j + 1])) out.push(["gone", a[i++]]);
    else out.push(["new", b[j++]]);
  }
  return out;
};

// A restoration against the original: struck out is what was made up, underlined what is missing.
const restoredBeside = (got, want) => {
  const runs = [];
  for (const [kind, character] of differ([...got], [...want])) {
    if (runs.length && runs.at(-1)[0] === kind) runs.at(-1)[1] += character;
    else runs.push([kind, character]);
  }
  const tags = { same: ["span", null], gone: ["del", "not in the original"], new: ["ins", "missing from the restoration"] };
  return runs.map(([kind, text]) => el(tags[kind][0], { title: tags[kind][1] }, ...reveal(text)));
};

const NEAR = 2;
const lineChanges = (before, after) => {
  const lines = differ(before.split("\n"), after.split("\n"));
  const near = lines.map((_, i) => lines.slice(Math.max(0, i - NEAR), i + NEAR + 1).some(([kind]) => kind !== "same"));
  const out = [];
  lines.forEach(([kind, line], i) => {
    if (near[i]) out.push(
      el(kind === "gone" ? "del" : kind === "new" ? "ins" : "span", { class: "line" },
        `${{ gone: "− ", new: "+ ", same: "  " }[kind]}${line}`,
      )
    );
    else if (i === 0 || near[i - 1]) out.push(el("span", { class: "line skip" }, "⋯"));
  });
  return { nodes: out, changed: lines.some(([kind]) => kind !== "same") };
};
