// Screenshots with what stands on them: the element acted on in orange, what is cited in violet.
const source = (data, name) => (name && !data.missing.includes(name) ? `media/${name}` : null);
const absent = (text) => el("div", { class: "no" }, text);
const picture = (data, v, attributes) => {
  const image = el(
    "img",
    { src: source(data, v.image), ...attributes, on: { error: () => image.parentNode?.replaceChildren(absent("screenshot is missing")) } },
  );
  return image;
};
const overlay = (data, place, scroll, label, kind = "") => {
  const [width, height] = data.viewport;
  if (!place || !width) return null;
  const top = place[1] - scroll;
  if (top + place[3] <= 0 || top >= height || place[0] >= width) return null;
  const percent = (value, whole) => `${(100 * value) / whole}%`;
  const style = {
    left: percent(place[0], width), top: percent(Math.max(top, 0), height), width: percent(Math.min(place[2], width - place[0]), width),
    height: percent(Math.min(place[3] + Math.min(top, 0), height - Math.max(top, 0)), height),
  };
  return el("div", { class: `overlay ${kind} ${top < height / 12 ? "below" : ""}`, style }, label && el("span", {}, label));
};
const screenshot = (data, v, title, ...marks) => el("div", { class: "shot" },
  source(data, v.image) ? [
    picture(data, v, { alt: `Screenshot of step ${v.step}: ${title}` }),
    ...marks,
  ] : absent(v.image ? "screenshot is missing" : "no screenshot was taken"));

// A citation shows the part of the screenshot around the cited line, enlarged.
const ZOOM = 1.7, SHAPE = 7 / 16;
const crop = (data, v, c, show) => {
  const [width, height] = data.viewport;
  const place = c.box ?? [0, v.scroll, width, 0];
  const x = (place[0] + place[2] / 2) / width, y = (place[1] - v.scroll + place[3] / 2) / width;
  const left = clamp(50 - 100 * ZOOM * x, 100 - 100 * ZOOM, 0);
  const top = clamp(50 - (100 * ZOOM * y) / SHAPE, 100 - (100 * ZOOM * height) / width / SHAPE, 0);
  return el("button", { type: "button", class: "crop", title: `Show step ${c.step}`, on: { click: () => show(c.step) } },
    el("div", { class: "zoom", style: { width: `${100 * ZOOM}%`, left: `${left}%`, top: `${top}%` } },
      picture(data, v, { alt: `Screenshot of step ${c.step}`, loading: "lazy" }), overlay(data, c.box, v.scroll, null, "cite")));
};
