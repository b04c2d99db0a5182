// Components: functions from properties to `html` templates, which preact draws. Text becomes text nodes, cleaned:
// document text is never parsed as markup.
/*! Contains preact (MIT, (c) 2015-present Jason Miller) and htm (Apache 2.0, (c) 2018 Google). */
import { clean } from "./dom.js";
import htm from "./vendor/htm.mjs";
import { h, render } from "./vendor/preact.mjs";

const STOPS = "a[href], button:not(:disabled), summary, input, select, h2[tabindex]";

const cleaned = (given) =>
  typeof given === "string" ? clean(given) : Array.isArray(given) ? given.map(cleaned) : given;

/** The content of a template; `false`, `null` and `undefined` draw nothing, and a component receives its properties
 *  as they are. */
export const html = htm.bind((type, props, ...children) => {
  const fit = typeof type === "string" ? cleaned : (value) => value,
    own = Object.entries(props ?? {}).map(([name, value]) => [name, fit(value)]);
  return h(type, Object.fromEntries(own), ...children.map(cleaned));
});

/** Draw content in a box. Where the element with the keyboard focus goes, the focus moves within its region: to the
 *  nearest element with the same label, else to the same position. */
export function draw(content, box) {
  const focused = /** @type {HTMLElement} */ (document.activeElement),
    region = box.contains(focused) ? focused.closest("nav, section, [role]") : null,
    stops = () => /** @type {HTMLElement[]} */ ([...(region?.querySelectorAll(STOPS) ?? [])]),
    at = stops().indexOf(focused),
    label = at >= 0 && labelOf(focused);
  render(content, box);
  if (at < 0 || focused.isConnected) return;
  const after = stops(),
    far = (each) => Math.abs(after.indexOf(each) - at),
    alike = after.filter((each) => labelOf(each) === label).sort((a, b) => far(a) - far(b));
  (alike[0] ?? after[Math.min(at, after.length - 1)])?.focus({ preventScroll: true });
}

const labelOf = (each) =>
  each.dataset.word ?? each.dataset.group ?? each.getAttribute("aria-label") ?? each.textContent;
