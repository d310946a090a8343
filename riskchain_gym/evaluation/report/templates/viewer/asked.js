// What was asked of models, and what kept the episode from its end.
const callLine = (call, i) => row(
  String(i + 1),
  call.phase,
  unknown(call.step),
  call.model || "–",
  unknown(call.input, (n) => n.toLocaleString("en")),
  unknown(call.output, (n) => n.toLocaleString("en")),
  unknown(call.cost, dollars),
  call.cached ? "cache" : call.seconds.toFixed(2),
  [call.failure && pill(words(call.failure), "bad"), call.repair && pill("asked again", "warn")],
  el("details", { class: "sent" }, el("summary", {}, "Reply"), call.detail && muted(call.detail), replyText(call)));
const askedPanel = (data) => el("div", {},
  plainTable(
    ["#", "Phase", "Step", "Model", "Tokens in", "Tokens out", "USD", "Seconds", "Remarks", "As it came"],
    data.calls.map(callLine),
    "calls",
  ),
  data.broken_off.length > 0 && el("ul", {},
    ...data.broken_off.map(
      (each) => el("li", {}, `An attempt came to nothing: ${words(each.why)}, after ${count(each.calls, "call")}. ${each.detail}`)
    ),
  ));
const incidentsPanel = (data) => plainTable(
  ["Cause", "Variant", "What happened", "Counts as an attempt"],
  data.incidents.map((each) => row(pill(words(each.cause), "warn"), each.variant || "–", each.detail || "–", each.counted ? "yes" : "no")),
);
