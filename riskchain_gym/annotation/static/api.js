// The server speaks JSON below the folder that this page lies in.

/** The server answered, and not with what was asked for. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.message ?? `${status}`);
    this.status = status;
    this.body = body ?? {};
  }
}

/** The server did not answer, or not in time. */
export class Away extends Error {}

const TOO_LARGE_FOR_KEEPALIVE = 60_000;
const PATIENCE_MS = 30_000;
const SITE_PATIENCE_MS = 180_000;
const WAITS_FOR_SITE = /^(visit|pin)\b/;

async function call(path, options) {
  let response;
  try {
    const signal = AbortSignal.timeout(WAITS_FOR_SITE.test(path) ? SITE_PATIENCE_MS : PATIENCE_MS);
    response = await fetch(`api/${path}`, { cache: "no-store", signal, ...options });
  } catch (error) {
    throw new Away(String(error));
  }
  let body = null;
  try {
    body = await response.json();
  } catch {
    // A refusal may come without a body; its status says enough.
    if (response.ok) throw new Away("the answer was cut off");
  }
  if (!response.ok) throw new Refused(response.status, body);
  return body;
}

export const get = (path) => call(path, {});

/** Post; with `last` the request outlives the page. */
export function post(path, body, { last = false } = {}) {
  const text = JSON.stringify(body);
  const keepalive = last && text.length < TOO_LARGE_FOR_KEEPALIVE;
  return call(path, { method: "POST", headers: { "content-type": "application/json" }, body: text, keepalive });
}

export const pictureAddress = (taskId, step) => `api/picture/${encodeURIComponent(taskId)}/${step}`;
export const thumbnailAddress = (name) => `api/thumbnail/${encodeURIComponent(name)}`;
