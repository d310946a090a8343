"use strict";
// Everything from a page or an agent is put in as text, never as markup.
(() => {
  const episodes = JSON.parse(document.getElementById("data").textContent);
  const images = JSON.parse(document.getElementById("images").textContent);
  const list = document.getElementById("list");
  const pane = document.getElementById("episode");
  const bar = document.getElementById("filters");
  const filter = { agent: "", result: "", gold: "", query: "" };
  let current = null;
  let view = 0;

  const el = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
      else if (name === "style") Object.assign(node.style, value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
    return node;
  };
  const pill = (text, tone = "") => el("span", { class: `pill ${tone}` }, text);
  const words = (name) => name.replaceAll("_", " ");

  const VERDICTS = { right: "good", "gate closed": "warn", wrong: "bad", "no report": "bad", "ended as ⊥": "bad", "not scored": "warn" };
  const verdict = (episode) => {
    const o = episode.outcome;
    if (episode.status === "infra_error") return "not scored";
    if ((episode.message.asked ? o.end_to_end_correct : o.web_correct) === 1) return "right";
    if (o.web_correct === 1) return "gate closed";
    if (episode.status === "bottom") return "ended as ⊥";
    return episode.report ? "wrong" : "no report";
  };
  const verdictPill = (episode) => pill(verdict(episode), VERDICTS[verdict(episode)]);

  // --- list and filters ---------------------------------------------------------------------------------------
  const goldName = (gold) => (gold.type === "NONE" || gold.type === "UNKNOWN" ? gold.decision : gold.type);
  const present = (name) => [...new Set(episodes.map(name))];
  const choices = {
    agent: ["Agent", present((e) => e.agent)],
    result: ["Result", Object.keys(VERDICTS).filter((name) => episodes.some((e) => verdict(e) === name))],
    gold: ["Gold", present((e) => goldName(e.gold)).sort()],
  };
  for (const [key, [label, values]] of Object.entries(choices)) {
    const select = el("select", { on: { change: (event) => { filter[key] = event.target.value; draw(); } } },
      el("option", { value: "" }, "all"), ...values.map((value) => el("option", { value }, value)));
    bar.append(el("label", {}, label, select));
  }
  bar.append(el("label", {}, "Find", el("input", { type: "search", placeholder: "chain, page text …", on: { input: (event) => { filter.query = event.target.value.trim().toLowerCase(); draw(); } } })));
  const count = bar.appendChild(el("span", { class: "muted", "aria-live": "polite" }));

  const matches = (episode) =>
    (!filter.agent || episode.agent === filter.agent) &&
    (!filter.result || verdict(episode) === filter.result) &&
    (!filter.gold || filter.gold === goldName(episode.gold)) &&
    (!filter.query || [episode.chain, episode.gold.archetype, ...episode.views.map((v) => v.text)].some((text) => text.toLowerCase().includes(filter.query)));

  const draw = () => {
    const shown = episodes.filter(matches);
    list.replaceChildren(...shown.map((episode) => el("li", {}, el("button", {
      type: "button", "aria-current": episode === current, on: { click: () => open(episode, 0) },
    }, el("div", { class: "row" }, el("b", {}, episode.agent), verdictPill(episode)),
      el("div", { class: "row" }, el("code", {}, episode.chain), el("span", { class: "muted" }, episode.gold.archetype))))));
    if (!shown.length) list.append(el("li", { class: "none" }, "No episode matches."));
    if (current && shown.length && !shown.includes(current)) return open(shown[0], 0);
    count.textContent = `${shown.length} of ${episodes.length} episodes`;
    const chosen = list.querySelector("[aria-current=true]");
    if (chosen) list.scrollTop = Math.max(0, chosen.offsetTop - list.clientHeight / 2);
  };

  // --- one episode --------------------------------------------------------------------------------------------
  const open = (episode, step) => {
    current = episode;
    view = Math.max(0, episode.views.findIndex((v) => v.step === step));
    history.replaceState(null, "", `#${encodeURIComponent(episode.agent)}/${encodeURIComponent(episode.chain)}/${step}`);
    draw();
    const o = episode.outcome;
    const failed = o.first_failure && o.first_failure !== "success";
    const scored = episode.status !== "infra_error";
    pane.replaceChildren(...[
      el("h2", {}, `${episode.agent} · `, el("code", {}, episode.chain)),
      el("div", { class: "badges" },
        verdictPill(episode),
        !episode.message.asked && pill("gate not asked"),
        "gate.passed" in o && pill(o["gate.passed"] ? "gate open" : "gate closed", o["gate.passed"] ? "good" : "bad"),
        failed && pill(`first failure: ${words(o.first_failure)}${o["cause.kind"] ? ` (${words(o["cause.kind"])})` : ""}`),
        pill(`status: ${words(episode.status)}${episode.infra ? ` (${episode.infra})` : ""}`),
        scored && "evidence.f1" in o && pill(`citation F1 ${o["evidence.f1"].toFixed(2)}`),
        pill(`protocol ${o["validator.valid"] ? "kept" : "broken"}`, o["validator.valid"] ? "" : "bad"),
        episode.seconds !== null && pill(`${episode.seconds.toFixed(1)} s`)),
      endings(episode) && el("p", { class: "muted" }, endings(episode)),
      episode.adverse.length && el("details", { class: "problems" }, el("summary", {}, `Points of the judge against the report (${episode.adverse.length}); they say nothing of right and wrong`), el("ul", {}, ...episode.adverse.map((point) => el("li", {}, point)))),
      episode.problems.length && el("details", { class: "problems" }, el("summary", {}, `How the protocol was broken (${episode.problems.length})`), el("ul", {}, ...episode.problems.map((problem) => el("li", {}, problem)))),
      el("h3", {}, "1 · Message"), message(episode.message),
      el("h3", {}, "2 · Investigation"), el("div", { id: "viewer" }),
      episode.strikes.length && strikes(episode.strikes),
      el("h3", {}, "3 · Report"), report(episode),
      el("h3", {}, "4 · Gold"), gold(episode),
    ].filter(Boolean));
    drawViewer();
  };

  const endings = (episode) => ({
    infra_error: "The browser or its server failed. That says nothing of the agent: the episode has no score and stays in every denominator as ⊥.",
    bottom: "The protocol ended the episode before a report could be filed; it counts as wrong.",
    missing_report: "No valid report was filed; the episode counts as wrong.",
  })[episode.status] ?? "";

  const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u00a0\u2000-\u200a\u3000\ufe00-\ufe0f\u20e3]/u;
  const reveal = (text) => [...text].map((character) => {
    if (character === "\n") return el("span", { class: "invisible" }, "↵\n");
    if (!INVISIBLE.test(character)) return document.createTextNode(character);
    return el("span", { class: "invisible" }, `·U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  });

  // Longest common subsequence, by character: what the restoration kept, lost and made up.
  const difference = (got, want) => {
    const a = [...got], b = [...want];
    const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    const out = [];
    const put = (tag, character) => {
      const last = out[out.length - 1];
      if (last && last[0] === tag) last[1] += character; else out.push([tag, character]);
    };
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) { put("span", a[i]); i++; j++; }
      else if (j >= b.length || (i < a.length && table[i + 1][j] >= table[i][j + 1])) put("del", a[i++]);
      else put("ins", b[j++]);
    }
    return out.map(([tag, text]) => el(tag, { title: tag === "del" ? "not in the original" : tag === "ins" ? "missing from the restoration" : null }, text));
  };

  const message = (m) => el("div", {},
    el("p", { class: "muted" }, `${m.platform} · ${words(m.surface).toLowerCase()} · recipe ${m.recipe}`),
    ...m.parts.map((part) => el("div", { class: "cols" },
      el("div", { class: "box" }, el("h4", {}, "As sent"), el("div", { class: "text" }, ...reveal(part.shown))),
      el("div", { class: "box" }, el("h4", {}, "As restored"),
        part.restored === null ? el("div", { class: "muted" }, m.asked ? "Nothing was restored." : "Not asked: the episode began on the site.") : el("div", { class: "text" }, ...difference(part.restored, part.canonical))),
      el("div", { class: "box" }, el("h4", {}, "Original"), el("div", { class: "text" }, part.canonical)))),
    m.parts.some((part) => part.restored !== null && part.restored !== part.canonical) && el("p", { class: "muted" }, "As restored: ", el("del", {}, "struck out"), " is not in the original, ", el("ins", {}, "underlined"), " is missing from the restoration."),
    el("dl", { class: "facts" },
      el("dt", {}, "Entry"), el("dd", {}, ...(!m.asked ? [pill("not asked")] : m.entries.length ? m.entries.flatMap((c, i) => [i ? " " : "", pill(`${c.rank}. ${c.value} (${c.confidence.toFixed(2)})`, c.value === m.gold_entry ? "good" : i ? "" : "bad")]) : [pill(m.abstain ? "abstained" : "none ranked", "bad")]),
        el("span", { class: "muted" }, " gold "), el("code", {}, m.gold_entry)),
      el("dt", {}, "Intent"), el("dd", {}, m.asked ? pill(m.intent ?? "none", m.intent === m.gold_intent ? "good" : "bad") : pill("not asked"), el("span", { class: "muted" }, " gold "), el("code", {}, m.gold_intent))));

  const overlay = (box, scroll, label, kind = "") => {
    const [width, height] = current.viewport;
    if (!box || !width) return null;
    const top = box[1] - scroll;
    if (top + box[3] <= 0 || top >= height) return null;
    const percent = (value, whole) => `${(100 * value) / whole}%`;
    const place = { left: percent(box[0], width), top: percent(Math.max(top, 0), height), width: percent(Math.min(box[2], width - box[0]), width), height: percent(Math.min(box[3] + Math.min(top, 0), height - Math.max(top, 0)), height) };
    return el("div", { class: `overlay ${kind} ${top < height / 12 ? "below" : ""}`, style: place }, label && el("span", {}, label));
  };
  const picture = (v) => (v.image ? images[v.image] : null);
  const shot = (v, ...marks) => el("div", { class: "shot" },
    picture(v) ? el("img", { src: picture(v), alt: `Screenshot of step ${v.step}: ${v.title}` }) : el("div", { class: "no" }, v.image ? "screenshot is missing" : "no screenshot was taken"),
    ...(picture(v) ? marks : []));

  // A quote that is a whole line means that line; only another one means lines that hold it or that it holds.
  const lines = (text, cited) => {
    const all = text.split("\n"), whole = new Set(all.map((line) => line.trim()));
    const quotes = cited.map((c) => c.quote.trim()).filter(Boolean);
    return all.map((line) => {
      const own = line.trim();
      const quoted = quotes.some((quote) => (whole.has(quote) ? own === quote : line.includes(quote) || (own && quote.includes(own))));
      return el(quoted ? "mark" : "span", { title: quoted ? "cited" : null }, `${line}\n`);
    });
  };

  const drawViewer = () => {
    const place = document.getElementById("viewer");
    const { views } = current;
    if (!views.length) { place.replaceChildren(el("p", { class: "muted" }, "The site was never opened.")); return; }
    const v = views[view];
    const next = v.next;
    const cited = current.report ? [...current.report.evidence, ...current.report.counterevidence].filter((c) => c.step === v.step) : [];
    place.replaceChildren(
      el("div", { class: "strip" }, ...views.map((other, i) => el("button", { type: "button", "aria-current": i === view, title: other.title, on: { click: () => { view = i; drawViewer(); } } },
        picture(other) && el("img", { src: picture(other), alt: "", loading: "lazy" }), `step ${other.step}`))),
      el("div", { class: `viewer ${v.image ? "" : "wordy"}` },
        v.image && shot(v, ...cited.map((c) => overlay(c.box, v.scroll, null, "cite")), next && overlay(next.box, v.scroll, words(next.action))),
        el("div", { class: "side" },
          el("p", {}, el("b", {}, el("bdi", {}, v.title)), " ", el("code", {}, v.path)),
          next ? el("p", {}, "Next action: ", pill(words(next.action)), " ", next.target ? el("span", {}, el("bdi", {}, next.target.role), " “", el("bdi", {}, next.target.name), "” ", el("code", {}, next.target.id)) : null, " → ", pill(words(next.result), next.result === "executed" ? "good" : "warn")) : el("p", { class: "muted" }, "No action was taken on this view."),
          next && next.target && picture(v) && !overlay(next.box, v.scroll, "") ? el("p", { class: "muted" }, "The element lies outside the screenshot, further along the page.") : null,
          next && next.reason ? el("p", { class: "muted" }, next.reason) : null,
          el("pre", { tabindex: "0", "aria-label": "Page text" }, ...(v.text ? lines(v.text, cited) : ["(no text)"])))),
      el("p", { class: "muted" }, "← and → move between steps.", v.image ? " Orange is the element acted on next, violet is cited." : " This run took no screenshots; cited lines are violet."));
    const chosen = place.querySelector(".strip [aria-current=true]");
    chosen.parentNode.scrollLeft = chosen.offsetLeft - chosen.parentNode.clientWidth / 2;
    const mark = place.querySelector("pre mark");
    if (mark) mark.parentNode.scrollTop = mark.offsetTop - mark.parentNode.offsetTop - 40;
  };

  const strikes = (items) => el("details", {}, el("summary", {}, `${items.length} invalid action${items.length > 1 ? "s" : ""}`),
    ...items.map((s) => el("p", {}, pill(s.phase), " ", s.feedback, el("br"), el("code", {}, s.action.slice(0, 300)))));

  // A citation card shows the part of the screenshot around the cited line, enlarged.
  const ZOOM = 1.7, SHAPE = 7 / 16;
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const show = (v) => { view = current.views.indexOf(v); drawViewer(); document.getElementById("viewer").scrollIntoView(); };
  const crop = (v, c) => {
    const [width, height] = current.viewport;
    const box = c.box ?? [0, v.scroll, width, 0];
    const x = (box[0] + box[2] / 2) / width, y = (box[1] - v.scroll + box[3] / 2) / width;
    const left = clamp(50 - 100 * ZOOM * x, 100 - 100 * ZOOM, 0);
    const top = clamp(50 - (100 * ZOOM * y) / SHAPE, 100 - (100 * ZOOM * height) / width / SHAPE, 0);
    return el("button", { type: "button", class: "crop", title: "Show this step", on: { click: () => show(v) } },
      el("div", { class: "zoom", style: { width: `${100 * ZOOM}%`, left: `${left}%`, top: `${top}%` } },
        el("img", { src: picture(v), alt: `Screenshot of step ${c.step}` }), overlay(c.box, v.scroll, null, "cite")));
  };
  const citation = (episode, c, counter) => {
    const v = episode.views.find((other) => other.step === c.step);
    return el("div", { class: "citation" },
      v && picture(v) && crop(v, c),
      v && v.image && !picture(v) && el("div", { class: "no" }, "screenshot is missing"),
      el("div", { class: "body" }, el("div", { class: "badges" }, v ? el("button", { type: "button", class: "pill", title: "Show this step", on: { click: () => show(v) } }, `step ${c.step}`) : pill(`step ${c.step}`), counter && pill("counter-evidence"), c.hits.length ? pill(`hits ${c.hits.join(", ")}`, c.deciding ? "good" : "") : pill("hits no atom", "warn")),
        el("blockquote", {}, c.quote || c.element_id || "(region)"), el("div", { class: "muted" }, words(c.anchor_type).toLowerCase(), c.observation ? ` · ${c.observation}` : "")));
  };

  const report = (episode) => {
    const r = episode.report;
    if (!r) return el("p", { class: "muted" }, episode.status === "infra_error" ? "The episode was lost before a report." : "There is none.");
    const right = r.decision === episode.gold.decision;
    const exact = right && r.primary_violation_type === episode.gold.type;
    return el("div", {},
      el("p", {}, pill(r.decision, right ? "good" : "bad"), " ", pill(r.primary_violation_type, exact ? "good" : "bad"), ...r.secondary_violation_types.flatMap((type) => [" ", pill(`also ${type}`)]), el("span", { class: "muted" }, ` environment ${r.environment_status.toLowerCase()} · confidence ${r.confidence} of 5`)),
      el("p", {}, r.risk_reason), r.note && el("p", { class: "muted" }, r.note),
      el("div", { class: "citations" }, ...r.evidence.map((c) => citation(episode, c, false)), ...r.counterevidence.map((c) => citation(episode, c, true))));
  };

  const gold = (episode) => el("div", {},
    el("p", {}, pill(episode.gold.decision), " ", pill(episode.gold.type), el("span", { class: "muted" }, ` archetype ${episode.gold.archetype} · label ${episode.gold.source}${episode.gold.site_status ? ` · site ${episode.gold.site_status}` : ""}`)),
    el("div", { class: "scroll" }, el("table", { class: "atoms" }, el("thead", {}, el("tr", {}, ...["Evidence atom", "Part", "Seen", "Cited"].map((t) => el("th", { scope: "col" }, t)))),
      el("tbody", {}, ...episode.gold.atoms.map((a) => el("tr", {}, el("td", {}, a.text), el("td", {}, pill(a.component), a.deciding ? " deciding" : ""),
        el("td", {}, a.seen === null ? pill("not seen", a.deciding ? "bad" : "") : pill(`step ${a.seen}`, "good")), el("td", {}, a.cited ? pill("cited", "good") : pill("no", a.deciding ? "warn" : ""))))))));

  document.addEventListener("keydown", (event) => {
    if (!current || event.target.matches("input, select, pre") || event.altKey || event.ctrlKey || event.metaKey) return;
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move) return;
    event.preventDefault();
    view = Math.max(0, Math.min(current.views.length - 1, view + move));
    drawViewer();
  });

  // --- where to begin -----------------------------------------------------------------------------------------
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const go = () => {
    const [agent, chain, step] = location.hash.slice(1).split("/").map(decoded);
    const linked = episodes.find((e) => e.agent === agent && e.chain === chain);
    open(linked ?? episodes.find((e) => e.kind === "baseline" && e.report) ?? episodes[0], linked ? Number(step) || 0 : 0);
  };
  addEventListener("hashchange", go);
  go();
})();
