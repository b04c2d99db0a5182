// The buttons in the head of the page: the theme (light, dark, or that of the system) and a tour of its parts.
import { choose } from "./dialog.js";
import { keep, kept } from "./dom.js";
import { html } from "./html.js";

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

const STEPS = [
  [
    ".middle",
    "Each dot of the map is a document; alike ones lie together. Click a dot to read it, a name or region for its group. " +
      "Zoom with + and \u2212.",
  ],
  [
    "nav.groups",
    "All groups, with their sizes and how far to trust them. The slider shows fewer or more groups without a new fit.",
  ],
  [
    ".finder",
    "Search words, or filter by a column. Map, list and counts follow, and the address of the page holds the filters.",
  ],
  [
    ".right",
    "What you chose: words, typical documents, neighbours. Open a document: y says that its group is right, a number " +
      "moves it, x marks it as junk. A click on a word gives it a meaning. ? shows all keys.",
  ],
  [
    ".knobs, nav.groups",
    "Undo takes back any decision. Decisions are listed below the groups, and steering.toml takes them to the next run.",
  ],
];

export function tour() {
  const start = document.createElement("button");
  Object.assign(start, { className: "quiet", textContent: "Tour", onclick: () => show(start) });
  document.getElementById("theme")?.before(start);
}

async function show(start) {
  for (const [at, [places, text]] of STEPS.entries()) {
    const place = [...document.querySelectorAll(places)].find((each) => each.checkVisibility()),
      options = [{ value: true, label: at < STEPS.length - 1 ? "Next" : "End", key: "n" }],
      about = html`<p class="tour">${text}</p>`;
    place?.classList.add("pointed");
    place?.scrollIntoView({ block: "nearest" });
    const on = await choose(`Tour, ${at + 1} of ${STEPS.length}`, options, { about });
    place?.classList.remove("pointed");
    if (!on) break;
  }
  start.focus();
}
