// One episode from the message to the scores.
const ENDINGS = {
  infra_error: "The browser or its server failed. That says nothing of the agent: the episode has no score and stays in every denominator as ⊥.",
  bottom: "The protocol ended the episode before a report could be filed; it counts as wrong.",
  missing_report: "No valid report was filed; the episode counts as wrong.",
};
const outcomePills = (episode, data) => {
  const o = data.outcome;
  const failed = o.first_failure && o.first_failure !== "success";
  const scored = data.status !== "infra_error";
  return el("div", { class: "badges outcome" },
    verdictPill(episode.result),
    !data.message.asked && pill("gate not asked"),
    "gate.passed" in o && pill(o["gate.passed"] ? "gate open" : "gate closed", o["gate.passed"] ? "good" : "bad"),
    failed && pill(
      `first failure: ${words(o.first_failure)}${o["cause.kind"] ? ` (${words(o["cause.kind"])})` : ""}`,
      "",
      o["cause.detail"],
    ),
    pill(`status: ${words(data.status)}${data.infra ? ` (${data.infra})` : ""}`),
    scored && "evidence.f1" in o && pill(`citation F1 ${o["evidence.f1"].toFixed(2)}`),
    pill(`protocol ${o["validator.valid"] ? "kept" : "broken"}`, o["validator.valid"] ? "" : "bad"),
    pill(`${count(episode.steps, "step")} of ${data.budget}`),
    episode.seconds !== null && pill(`${episode.seconds.toFixed(1)} s`),
    episode.cost !== null && pill(`$${dollars(episode.cost)}`));
};
const notes = (data) => [
  ENDINGS[data.status] && muted(ENDINGS[data.status]),
  data.problems.length > 0 && el("div", { class: "problems" },
    el("b", {}, "How the protocol was broken"),
    el("ul", {}, ...data.problems.map((problem) => el("li", {}, problem))),
  ),
];
const restoring = (data) => data.restore.filter((act) => !act.valid);
const section = (title, id, ...children) => el("section", { id, "aria-label": title }, heading(title), ...children);
const command = (data) => {
  if (!data.command) return muted("This run was not made by an agent that could be run again.");
  const copied = button("Copy the command", () => copy(data.command, copied));
  return el("div", {},
    el("div", { class: "bar" },
      copied,
      el("span", { class: "muted" }, "runs this chain again; give the address of a model with --base-url"),
    ),
    el("pre", { class: "command", tabindex: "0", "aria-label": "Command" }, data.command),
  );
};

const neighbours = (episode, query) => {
  const left = sortedBy(filtered(episodes, EPISODE_FACETS, query), EPISODE_COLUMNS, query);
  const at = left.indexOf(episode);
  return { at, of: left.length, before: at > 0 ? left[at - 1] : null, after: at < 0 ? left[0] : left[at + 1] };
};
const topBar = (back, at, before, after, extra = []) => el("div", { class: "bar stage-bar" },
  el("a", { href: back, class: "button", id: "back" }, "← List"),
  el("a", { href: before, class: "button", "aria-label": "Episode before", "aria-disabled": before ? null : "true" }, "↑"),
  el("a", { href: after, class: "button", "aria-label": "Next episode", "aria-disabled": after ? null : "true" }, "↓"),
  el("span", { class: "muted" }, at), el("span", { class: "grow" }), ...extra);

const drawEpisode = (stage, episode, data, step, query) => {
  const { at, of, before, after } = neighbours(episode, query);
  const steps = stepViewer(data, { step, moved: (now) => replaceAddress(runAddress(episode, now, query)) });
  const link = button("Copy the link", () => copy(location.href, link));
  const others = episodes.filter((e) => e.chain === episode.chain && e !== episode);
  stage.replaceChildren(
    topBar(
      listAddress(query),
      at < 0 ? "not among the filtered" : `${at + 1} of ${of}`,
      before && runAddress(before, 0, query),
      after && runAddress(after, 0, query),
      [link, button("?", help, { "aria-label": "Keys" })],
    ),
    el("h2", { tabindex: "-1", id: "opened" }, el("bdi", {}, episode.agent), " · ", el("code", {}, episode.chain)),
    outcomePills(episode, data), ...notes(data).flat().filter(kept),
    step && !steps.known ? el("p", {}, pill(`The episode has no step ${step}: its first one is shown.`, "warn")) : "",
    others.length ? el("p", { class: "muted" },
      "Beside it: ",
      ...others.map(
        (e) => [
          el("a", { href: address(["pair", episode.agent, e.agent, e.chain], pairQuery(query)) }, e.agent),
          " ",
          verdictPill(e.result),
          " ",
        ]
      ).flat(),
    ) : "",
    section(
      "1 · Message",
      "message",
      messagePanel(data.message),
      restoring(data).length > 0 && restoring(data).map((act) => actBlock(data, act)),
      ...callsAt(data, "restore", null).map(callBlock),
    ),
    section("2 · Investigation", "investigation", steps.node),
    section("3 · Report and gold", "report", findings(data, steps.showStep)),
    section("4 · Judges", "judges", judgePanel(data, steps.showStep)),
    data.calls.length || data.broken_off.length ? section("5 · Asked of models", "asked", askedPanel(data)) : "",
    data.incidents.length ? section(
      "Incidents",
      "incidents",
      muted("What machines did wrong; it says nothing of the agent."),
      incidentsPanel(data),
    ) : "",
    section("Run it again", "again", command(data)));
  steps.draw?.();
  keys.steps = steps.move;
  keys.next = () => after && goTo(runAddress(after, 0, query));
  keys.before = () => before && goTo(runAddress(before, 0, query));
  keys.back = () => goTo(listAddress(query));
};
