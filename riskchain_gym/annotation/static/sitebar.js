// The bar over the picture: where one is, and the moves that need no element.
import { el, icon, iconButton, key } from "./dom.js";
import { t } from "./words.js";

const OK = 400;

export function siteBar(pane) {
  const back = iconButton("back", t("site.back"), () => pane.act({ action: "back" }), { "data-testid": "back" });
  const reload = iconButton("reload", t("site.reload"), () => pane.act({ action: "reload" }), { "data-testid": "reload" });
  const up = iconButton("up", t("site.up"), () => pane.scroll(-1), { "data-testid": "scroll-up" });
  const down = iconButton("down", t("site.down"), () => pane.scroll(1), { "data-testid": "scroll-down" });
  const title = el("b", {});
  const path = el("code", { "data-testid": "path" });
  const status = el("span", { class: "pill warn", hidden: true });
  const busy = el("span", { class: "muted working", "data-testid": "busy", hidden: true }, t("site.busy"));
  const step = el("span", { class: "muted step", "data-testid": "step" });
  const again = iconButton("restart", t("site.restart"), () => pane.askRestart(), { "data-testid": "restart" });
  const pin = el("button", { type: "button", class: "toggle", "aria-pressed": "false", title: t("pin.title"), "data-testid": "pin-mode", on: { click: () => pane.togglePinning() } },
    icon("pin"), t("pin.mode"), key("P"));
  const node = el("div", { class: "bar", role: "group", "aria-label": t("site.bar") },
    el("span", { class: "moves" }, back, reload, up, down), el("span", { class: "where" }, title, path), status, busy, step, again, pin);

  return {
    node,
    mirror({ view, isBusy, isPinning, up: canUp, down: canDown }) {
      const isOpen = view?.state === "open";
      back.disabled = reload.disabled = !isOpen;
      up.disabled = !isOpen || !canUp;
      down.disabled = !isOpen || !canDown;
      pin.disabled = again.disabled = !view;
      pin.setAttribute("aria-pressed", String(isPinning));
      busy.hidden = !isBusy;
      step.hidden = isBusy || !view;
      if (!view) return;
      title.textContent = title.title = view.title;
      path.textContent = path.title = view.path;
      step.textContent = t("site.step", { step: view.step });
      status.hidden = view.status < OK;
      status.textContent = `HTTP ${view.status}`;
    },
  };
}
