// What there is to read of one step: page text, changes, controls, and what was sent.
// A quote that is a whole line means that line; only another one means lines that hold it or that it holds.
const textPane = (data, page, cites) => {
  const all = page.text.split("\n"), whole = new Set(all.map((line) => line.trim()));
  const quotes = cites.map((c) => c.quote.trim()).filter(Boolean);
  const lines = all.map((line) => {
    const own = line.trim();
    const quoted = quotes.some((quote) => (whole.has(quote) ? own === quote : line.includes(quote) || (own && quote.includes(own))));
    return el(quoted ? "mark" : "span", { title: quoted ? "cited" : null }, `${line}\n`);
  });
  return el("pre", { tabindex: "0", "aria-label": "Page text" }, ...(page.text ? lines : ["(no text)"]));
};

const changesPane = (data, i) => {
  if (i === 0) return muted("This is the landing view: there is no step before it.");
  const [before, after] = [data.views[i - 1], data.views[i]].map((v) => data.pages[v.page]);
  if (before === after) return muted("The page is the same as at the step before.");
  const { nodes, changed } = lineChanges(before.text, after.text);
  return el("div", {}, before.path !== after.path && muted("Page ", el("code", {}, before.path), " → ", el("code", {}, after.path)),
    changed ? el("pre", { class: "diff", tabindex: "0", "aria-label": "Changes of the page text" },
      ...nodes,
    ) : muted("The text is the same; controls have changed."));
};

const elementsPane = (data, i, acted) => {
  const page = data.pages[data.views[i].page];
  const before = i ? new Set(data.pages[data.views[i - 1].page].elements.map((e) => e.id)) : null;
  if (!page.elements.length) return muted("The page has no controls.");
  const about = (e) => [
    e.type,
    e.placeholder && `“${e.placeholder}”`,
    e.options && e.options.join(" | "),
    ...e.is,
  ].filter(Boolean).join(" · ");
  const used = (e) => acted.some((act) => act.target?.id === e.id);
  return plainTable(["Id", "Role", "Name", "State", "Takes"], page.elements.map((e) => el("tr", { class: used(e) ? "acted" : "" },
    el("td", {}, el("code", {}, e.id), before && !before.has(e.id) && pill("new")),
    el("td", {}, e.role),
    el("td", {}, el("bdi", {}, e.name)),
    el("td", {}, el("bdi", {}, about(e))),
    el("td", {}, e.can.join(", ")))), "elements");
};

const pretty = (text) => { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };
const eventPills = (data, act) => data.events.filter((event) => event.step === act.index).map(
  (event) => pill(words(event.kind), event.terminal ? "bad" : "warn", event.detail)
);
const actBlock = (data, act) => el("div", { class: "act" },
  el("div", { class: "badges" },
    pill(words(act.action)),
    act.target && el("span", {}, el("bdi", {}, act.target.role), " “", el("bdi", {}, act.target.name), "” ", el("code", {}, act.target.id)),
    "→",
    pill(words(act.result), act.result === "executed" ? "good" : "warn"),
    ...eventPills(data, act),
    act.strikes > 0 && pill(count(act.strikes, "strike"), "bad")),
  act.reason && el("p", { class: "reason" }, act.reason),
  act.feedback && el("p", { class: "muted" }, act.feedback),
  el("details", { class: "sent" },
    el("summary", {}, "Sent"),
    el("pre", { tabindex: "0", "aria-label": "Action as sent" }, pretty(act.sent) || "(nothing)"),
  ));

const tokens = (call) => `${unknown(call.input, (n) => n.toLocaleString("en"))} in, ${unknown(call.output, (n) => n.toLocaleString("en"))} out`;
const replyText = (call) => {
  if (call.reply !== null) return el("pre", { tabindex: "0", "aria-label": "Reply as it came" },
    pretty(call.reply),
    call.cut ? "\n… cut here: the rest is in the run folder" : "",
  );
  return muted(call.answered ? "The answer is not in the run folder: it was kept in a folder of its own." : "No answer came.");
};
const callBlock = (call) => el("div", { class: "act" },
  el("div", { class: "badges" },
    pill(call.model || "model unknown"),
    pill(`${tokens(call)} tokens`),
    pill(unknown(call.cost, (cost) => `$${dollars(cost)}`)),
    pill(call.cached ? "from the cache" : `${call.seconds.toFixed(2)} s`),
    call.repair && pill("asked again", "warn"),
    call.failure && pill(words(call.failure), "bad"),
    call.attempts > 1 && pill(count(call.attempts, "attempt"))),
  call.detail && muted(call.detail),
  el("details", { class: "sent" }, el("summary", {}, "Reply as it came"), replyText(call)));
const callsAt = (data, phase, step) => data.calls.filter((call) => call.phase === phase && (step === null || call.step === step));
const actsPane = (data, v) => {
  const calls = callsAt(data, "browse", v.step);
  return el("div", {}, ...(v.acts.length ? v.acts.map((act) => actBlock(data, act)) : [muted("No action was taken on this view.")]),
    calls.length > 0 && [el("h4", {}, `Asked of the model for it`), ...calls.map(callBlock)]);
};
