// Keyboard shortcuts. Ignore keys in text fields and with ctrl, alt or command.
import { help } from "./dialog.js";
import { go } from "./route.js";

/** The keys of a page: their signs, what they do, and a function of each sign; of those without one, see `listen`. */
function keysOf(ctx) {
  const { actions, store, questions } = ctx,
    word = (run) => () => (ctx.word === null && !store.closed && ctx.toWords() ? undefined : run());
  return [
    ["/", "search", () => document.getElementById("q")?.focus()],
    questions && ["o", "open the next question; again for the one after it", () => questions.first()],
    ["j k", "next and previous document", () => ctx.step(1), () => ctx.step(-1)],
    ["\u2191 \u2193", "next and previous line of a list"],
    ["PgUp PgDn", "on the map: previous and next group"],
    ["b", "the document belongs to \u2026", () => actions.belongs()],
    [
      "0 \u2026 9",
      "it belongs to the group of that number (more than ten groups: type a number or words of a name, then Enter)",
    ],
    ["Shift 0 \u2026 9", "it belongs also to the group of that number (again: no longer)"],
    [
      "y",
      "yes: the document is in the right group (off-topic: in the nearest), or yes to the question",
      () => questions?.yes() || actions.stays(),
    ],
    ["x", "the document is junk", () => actions.junk()],
    ["g", "the document begins a new group \u2026", () => actions.begin()],
    [
      "n",
      "the word is noise (without a word: go to the words), or no to the question",
      () => (ctx.word === null && questions?.no()) || word(() => actions.noise())(),
    ],
    ["w", "the word means a group \u2026", word(() => actions.means())],
    ["m", "merge the group with \u2026", () => actions.merge()],
    ["s", "split the group", () => actions.split()],
    ["r", "rename the group", () => actions.rename()],
    ["d", "the group is done: later fits keep its documents (again: open it)", () => actions.done()],
    ["z Z", "undo and redo", () => store.undo(), () => store.redo()],
    ["l t p", "list, tree, map", ...["list", "tree", "map"].map((view) => () => go({ view }))],
    [
      "Shift click",
      "choose all documents of the list from the last chosen one; b, x, g and numbers place them together",
    ],
    ["Esc", "back: document, group, all"],
    ["?", "these keys", () => help(keysOf(ctx))],
  ].filter(Boolean);
}

export function listen(ctx) {
  const { actions } = ctx,
    known = keysOf(ctx).flatMap(([signs, , ...own]) => signs.split(" ").map((sign, i) => [sign, own[i]])),
    runs = { ...Object.fromEntries(known), Escape: () => (ctx.bulk.chosen.size ? ctx.bulk.clear() : back(ctx.route)) };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const target = /** @type {HTMLElement} */ (event.target),
      typing = target.closest("input:not([type=range], [type=checkbox]), textarea, select"),
      { key, code, shiftKey } = event,
      digit = /^\d$/.test(key);
    if (typing && key !== "Escape") return; // what was typed stays
    if (key === "ArrowDown" || key === "ArrowUp") return move(target, event);
    const run = typing
      ? () => target.blur()
      : digit && (ctx.at().doc !== null || ctx.bulk.chosen.size)
        ? () => actions.digit(key)
        : (runs[key] ?? // first, as "/" is Shift + 7 on some keyboards
          (shiftKey && !digit && /^Digit\d$/.test(code) ? () => actions.further(code.at(-1)) : undefined));
    if (!run) return;
    event.preventDefault();
    run();
  });
}

function move(target, event) {
  const list = target.closest(".group-list, .virtual, .few, .ranked");
  if (!list) return;
  const stops = [...list.querySelectorAll("a[href], summary, .word")].filter((each) => each.checkVisibility()),
    next = stops[stops.indexOf(target) + (event.key === "ArrowDown" ? 1 : -1)];
  event.preventDefault();
  next?.focus();
}

function back(route) {
  if (route.doc) go({ doc: null });
  else if (route.group !== null) go({ group: null });
  else if (route.q || route.where.length) go({ q: null, where: null });
}
