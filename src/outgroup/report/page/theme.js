// Light, dark, or as the system says.
import { keep, kept } from "./dom.js";

const THEMES = ["system", "light", "dark"],
  KEY = "outgroup-theme";

/** Make the button in the page's head switch themes; `changed` is called after each switch. */
export function theme(changed) {
  const knob = /** @type {HTMLElement} */ (document.getElementById("theme")),
    label = /** @type {Element} */ (knob.lastElementChild);
  let now = kept(KEY, "system");
  const paint = () => {
    document.documentElement.style.colorScheme = now === "system" ? "" : now;
    label.textContent = now;
    changed();
  };
  knob.hidden = false;
  knob.onclick = () => {
    now = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    keep(KEY, now);
    paint();
  };
  paint();
}
