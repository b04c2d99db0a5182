// A tour: a few sentences beside each part of the page that they are about.
import { button, el } from "./dom.js";

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
  const start = button("Tour", () => step(0, start), { class: "quiet" });
  document.getElementById("theme")?.before(start);
}

function step(at, start) {
  document.querySelector(".tour")?.remove();
  const [places, text] = STEPS[at],
    place = [...document.querySelectorAll(places)].find((each) => each.checkVisibility()),
    last = at === STEPS.length - 1;
  const end = () => {
    box.remove();
    place?.classList.remove("pointed");
  };
  const stop = () => {
    end();
    start.focus();
  };
  const on = () => {
    end();
    step(at + 1, start);
  };
  const next = button(last ? "End" : "Next", last ? stop : on, { class: "main" });
  const box = el(
    "div",
    {
      class: "tour",
      role: "dialog",
      "aria-label": `Tour, ${at + 1} of ${STEPS.length}`,
      "aria-describedby": "tour-text",
    },
    el("p", { id: "tour-text" }, text),
    el("p", { class: "corrections" }, next, !last && button("End the tour", stop)),
  );
  box.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the keys of the page are for what one reads
    if (event.key === "Escape") stop();
  });
  place?.classList.add("pointed");
  place?.scrollIntoView({ block: "nearest" });
  document.body.append(box);
  const { left = 0, bottom = innerHeight } = place?.getBoundingClientRect() ?? {},
    lowest = innerHeight - box.offsetHeight - 12;
  box.style.left = `${Math.max(12, Math.min(left + 24, innerWidth - box.offsetWidth - 12))}px`;
  box.style.top = `${Math.max(12, Math.min(bottom + 8, lowest))}px`;
  next.focus({ preventScroll: true });
}
