// What is open is in the address: it survives a reload and can be sent to others.
const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
const readRoute = () => {
  const hash = location.hash.slice(1);
  if (!hash.startsWith("/")) return { view: "list", query: new URLSearchParams() };
  const [path, query = ""] = hash.split(/\?(.*)/s);
  const [view, ...parts] = path.slice(1).split("/").map(decoded);
  return { view: view || "list", parts, query: new URLSearchParams(query) };
};
const address = (parts, query) => {
  const asked = new URLSearchParams([...query].filter(([, value]) => value)).toString();
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}${asked ? `?${asked}` : ""}`;
};
const runAddress = (episode, step = 0, query = new URLSearchParams()) => address(["run", episode.agent, episode.chain, step], query);
const listAddress = (query) => address([], query);
const replaceAddress = (to) => history.replaceState(null, "", to);
const goTo = (to) => { if (to === location.hash) showRoute(); else location.hash = to; };
