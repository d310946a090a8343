// The index, and the data of episodes, which come as scripts: a page from disk may load nothing else.
const index = JSON.parse(document.getElementById("index").textContent);
const unpacked = ({ fields, rows }) => rows.map((values) => Object.fromEntries(fields.map((name, i) => [name, values[i]])));
const chains = unpacked(index.chains);
const episodes = unpacked(index.episodes).map((episode, number) => {
  const run = index.runs[episode.run];
  const chain = chains[episode.chain];
  return { ...chain, ...episode, chain: chain.chain, number, agent: run.label, kind: run.kind, asked: run.asked };
});
for (const e of episodes) {
  e.label = e.decision === "VIOLATION" ? e.type : e.decision;
  e.wrote = e.said === "VIOLATION" ? e.said_type : e.said;
}
const byName = new Map(episodes.map((e) => [`${e.agent}\n${e.chain}`, e]));
const find = (agent, chain) => byName.get(`${agent}\n${chain}`);
const labels = index.runs.map((run) => run.label);

const KEPT = 12;
const loaded = new Map();
let arriving = null;
Object.defineProperty(window, "riskchainEpisode", { value: (data) => { arriving = data; } });
const load = (episode) => {
  const known = loaded.get(episode.file);
  if (known) return known;
  const promise = new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `episodes/${episode.file}`;
    script.onload = () => { script.remove(); const data = arriving; arriving = null; data ? resolve(data) : reject(new Error("empty")); };
    script.onerror = () => { script.remove(); loaded.delete(episode.file); reject(new Error("missing")); };
    document.head.append(script);
  });
  loaded.set(episode.file, promise);
  if (loaded.size > KEPT) loaded.delete(loaded.keys().next().value);
  return promise;
};
