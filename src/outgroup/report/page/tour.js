// A tour: a few sentences beside each part of the page that they are about.
import { draw, html } from "./html.js";

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
      "moves it, x throws it away. A click on a word gives it a meaning. ? shows all keys.",
  ],
  [
    ".knobs, nav.groups",
    "Undo takes back any decision. Decisions are listed below the groups, and steering.toml takes them to the next run.",
  ],
];

/** Offer the tour beside the choice of a theme. */
export function tour() {
  const start = document.createElement("button");
  Object.assign(start, { className: "quiet", textContent: "Tour", onclick: () => step(0, start) });
  document.getElementById("theme")?.before(start);
}

function step(at, start) {
  const [places, text] = STEPS[at],
    place = [...document.querySelectorAll(places)].find((each) => each.checkVisibility()),
    last = at === STEPS.length - 1,
    box = document.querySelector(".tour") ?? document.body.appendChild(document.createElement("div"));
  document.querySelector(".pointed")?.classList.remove("pointed");
  const stop = () => {
    box.remove();
    place?.classList.remove("pointed");
    start.focus();
  };
  const pressed = (event) => {
    event.stopPropagation(); // the keys of the page are for what one reads
    if (event.key === "Escape") stop();
  };
  Object.assign(box, {
    className: "tour",
    role: "dialog",
    ariaLabel: `Tour, ${at + 1} of ${STEPS.length}`,
    onkeydown: pressed,
  });
  box.setAttribute("aria-describedby", "tour-text");
  draw(
    html`<p id="tour-text">${text}</p>
      <p class="corrections">
        <button class="main" onclick=${last ? stop : () => step(at + 1, start)}>${last ? "End" : "Next"}</button>
        ${!last && html`<button onclick=${stop}>End the tour</button>`}
      </p>`,
    box,
  );
  place?.classList.add("pointed");
  place?.scrollIntoView({ block: "nearest" });
  const { left = 0, bottom = innerHeight } = place?.getBoundingClientRect() ?? {},
    { offsetWidth: width, offsetHeight: height, style } = /** @type {HTMLElement} */ (box);
  style.left = `${Math.max(12, Math.min(left + 24, innerWidth - width - 12))}px`;
  style.top = `${Math.max(12, Math.min(bottom + 8, innerHeight - height - 12))}px`;
  box.querySelector("button")?.focus({ preventScroll: true });
}
