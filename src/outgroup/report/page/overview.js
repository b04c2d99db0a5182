// The panel without a selection: where to begin, and notable groups.
import { counted, el, figure } from "./dom.js";
import { decidedSign, decider, groupLink, percent } from "./pieces.js";
import { href } from "./route.js";
import { TRUST, WORDS_OF_TRUST } from "./store.js";

const MIXED = 2;

/** A few sentences with links. */
export function overview(ctx) {
  const { store, found } = ctx,
    open = ctx.route.where.some(([name]) => name === TRUST) && store.trustFollows;
  if (found && !found.total)
    return el(
      "article",
      { class: "panel" },
      el("h2", { tabindex: "-1" }, "No hit"),
      open
        ? el("p", {}, "The trust in the groups is not measured yet \u2026")
        : el(
            "p",
            {},
            "No document matches this search. Try other words, or part of a word in quotes; ",
            el("a", { href: href({ q: null, where: null }) }, "show all documents"),
            ".",
          ),
    );
  if (found)
    return el(
      "article",
      { class: "panel" },
      el("h2", { tabindex: "-1" }, counted(found.total, "hit")),
      el(
        "p",
        {},
        "Each group shows its number of hits, and the map highlights them. ",
        el("a", { href: href({ view: "list" }) }, "List them"),
        ".",
      ),
      found.total > 1 && ctx.route.view !== "list" && el("p", { class: "corrections" }, ctx.list.begins()),
      open &&
        el(
          "p",
          { class: "soft" },
          "These figures are those of earlier groups; the trust in the current groups is not measured yet \u2026",
        ),
    );
  return el(
    "article",
    { class: "panel" },
    el("h2", { tabindex: "-1" }, "At a glance"),
    el("ul", { class: "sentences" }, ...sentences(ctx).map((parts) => el("li", {}, ...parts))),
    el("h3", {}, "Where to begin"),
    el(
      "ul",
      { class: "sentences" },
      el("li", {}, "Choose a group in the list or on the map: its words, typical documents and neighbours."),
      el(
        "li",
        { class: "by-key" },
        "Read on with ",
        el("kbd", {}, "j"),
        " and ",
        el("kbd", {}, "k"),
        "; look for anything with ",
        el("kbd", {}, "/"),
        "; all keys with ",
        el("kbd", {}, "?"),
        ".",
      ),
      el("li", {}, "Correct mistakes: a document, a word, a whole group. ", store.follows),
    ),
    el("p", { class: "soft" }, store.amount),
    ...store.notes.map((note) => el("p", { class: "soft", dir: "auto" }, note)),
    skipped(ctx, store.summary),
  );
}

/** Documents that are not shown, with reasons. */
function skipped(ctx, { skipped: { count, first } }) {
  const opened = (id) =>
    ctx.store.leftOut
      ? decider(ctx, el("code", {}, id), () => ctx.actions.leftOut(id), { class: "copy" })
      : el("code", {}, id);
  return (
    count > 0 &&
    el(
      "details",
      {},
      el("summary", {}, `${counted(count, "more document")} ${count === 1 ? "was" : "were"} left out`),
      el(
        "ul",
        { class: "sentences" },
        ...first.map(([id, why]) => el("li", { dir: "auto" }, opened(id), ` ${why} `, decidedSign(ctx, id))),
        count > first.length && el("li", { class: "soft" }, `and ${figure(count - first.length)} more`),
      ),
    )
  );
}

function sentences(ctx) {
  const { store } = ctx,
    sizes = store.sizes(),
    { groups, tree } = store.summary,
    full = groups.filter(({ number }) => sizes.get(number));
  const found = [],
    largest = full.reduce((best, each) => (sizes.get(each.number) > sizes.get(best.number) ? each : best), full[0]);
  if (full.length === 1) found.push(["All documents are in one group, ", groupLink(ctx, full[0].number), "."]);
  else if (largest)
    found.push([
      "The largest group is ",
      groupLink(ctx, largest.number),
      ` with ${percent(sizes.get(largest.number) / store.n)} of all.`,
    ]);
  const first = tree.merges.find(({ a, b }) => sizes.get(a) && sizes.get(b));
  if (first && full.length > 2)
    found.push(["Most alike are ", groupLink(ctx, first.a), " and ", groupLink(ctx, first.b), "."]);
  if (tree.splits.length && full.length > 1)
    found.push(["The first group to split would be ", groupLink(ctx, tree.splits[0].group), "."]);
  const words = WORDS_OF_TRUST.map((word) => [word, full.filter(({ figures }) => figures?.word === word)]).filter(
    ([, of]) => of.length,
  );
  if (words.length) found.push(...trusted(ctx, words));
  else if (store.trustFollows) found.push(["Trust in the groups: not known yet \u2026"]);
  if (sizes.get(-1))
    found.push([
      el("a", { href: href({ group: -1, view: "list" }) }, counted(sizes.get(-1), "document")),
      sizes.get(-1) === 1 ? " is off-topic and stands apart." : " are off-topic and stand apart.",
    ]);
  return found;
}

/** The first pairs of mixed groups, with links to their documents. */
function mixed(ctx, groups) {
  const pairs = new Map(
    groups.map(({ number, figures: { mixed_with: other } }) => [
      String([number, other].sort((a, b) => a - b)),
      [number, other],
    ]),
  );
  return [...pairs.values()]
    .slice(0, MIXED)
    .map(([group, other]) => [
      "The border is uncertain between ",
      groupLink(ctx, group),
      " and ",
      groupLink(ctx, other),
      ": ",
      el("a", { href: href({ view: "list", group, sort: "uncertain" }) }, "read the least sure"),
      ".",
    ]);
}

/** The number of groups by trust; each word links to its documents. */
function trusted(ctx, words) {
  const of = ([word, groups], i) => [
    i ? ", " : "",
    el(
      "a",
      { href: href({ where: [[TRUST, word]], doc: null }), title: ctx.store.summary.glossary[word] },
      `${figure(groups.length)} ${word}`,
    ),
  ];
  const named = new Map(words),
    leftovers = named.get("leftovers");
  return [
    ["Trust in the groups: ", ...words.flatMap(of), "."],
    ...mixed(ctx, named.get("mixed") ?? []),
    leftovers && [
      "Not one topic, but documents that fit no other group: ",
      ...leftovers.slice(0, 3).flatMap(({ number }, i) => [i ? ", " : "", groupLink(ctx, number)]),
      leftovers.length > 3 ? ` and ${figure(leftovers.length - 3)} more.` : ".",
    ],
  ].filter(Boolean);
}
