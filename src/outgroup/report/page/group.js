// One group: words, typical documents, neighbours, corrections.
import { counted, el, figure } from "./dom.js";
import { below, decider, groupLink, percent, ranked, tone, trustSign } from "./pieces.js";
import { href } from "./route.js";

const TYPICAL = 5,
  WORDS = 5,
  FIRST = 20;

/** The panel of the chosen group. */
export async function groupView(ctx, number) {
  const { store } = ctx,
    group = store.summary.groups[number],
    size = store.sizes().get(number) ?? 0;
  if (!size)
    return el(
      "article",
      { class: `panel ${tone(number)}` },
      heading(ctx, number, 0),
      el("p", { class: "soft" }, "This group is empty."),
    );
  return el(
    "article",
    { class: `panel ${tone(number)}` },
    heading(ctx, number, size),
    corrections(ctx, number),
    group.description && el("p", { dir: "auto" }, group.description),
    sentences(ctx, group),
    words(ctx, group),
    await documents(ctx, number),
    over(ctx, number),
    neighbours(ctx, number),
    splitting(ctx, number),
  );
}

/** The panel of the off-topic documents. */
export async function offTopicView(ctx) {
  const size = ctx.store.sizes().get(-1) ?? 0;
  return el(
    "article",
    { class: "panel out" },
    heading(ctx, -1, size),
    el(
      "p",
      {},
      "These documents are in no group: they resemble none, or were thrown away. Farthest first, each with its words.",
    ),
    ...ctx.tray.ofJunk(),
    await documents(ctx, -1, "off-topic", 12),
  );
}

function heading(ctx, number, size) {
  const { n } = ctx.store,
    title = el(
      "h2",
      { tabindex: "-1" },
      number < 0 ? null : el("span", { class: "n" }, number),
      number < 0 ? null : " ",
      el("bdi", {}, ctx.store.name(number)),
    );
  return el(
    "header",
    {},
    el("p", { class: "up" }, el("a", { href: href({ group: null, doc: null }) }, "\u2039 all groups")),
    title,
    el(
      "p",
      { class: "soft" },
      `${counted(size, "document")}, ${percent(size / n)}`,
      ctx.found && `; ${counted(ctx.found.groups.get(number) ?? 0, "hit")}`,
    ),
  );
}

function corrections(ctx, number) {
  const { actions, store } = ctx,
    others = store.groups.length > 1,
    key = (label, letter, run) => decider(ctx, [label, " ", el("kbd", {}, letter)], run);
  return el(
    "p",
    { class: "corrections" },
    key("Rename", "r", () => actions.rename()),
    others && key("Merge \u2026", "m", () => actions.merge()),
    key("Split", "s", () => actions.split()),
    decider(ctx, [store.effects.done.has(number) ? "Open again " : "Done ", el("kbd", {}, "d")], () => actions.done(), {
      title: store.effects.done.has(number)
        ? "Later fits may move documents of this group again"
        : "Later fits keep the documents of this group",
    }),
  );
}

function sentences(ctx, group) {
  const said = group.sentences ?? [],
    { mixed_with: other } = group.figures ?? {};
  if (!group.trust && !said.length)
    return ctx.store.trustFollows && el("p", { class: "trust soft follows" }, "Trust is still being measured \u2026");
  const next =
    Number.isInteger(other) &&
    el("a", { href: href({ view: "list", sort: "uncertain", doc: null }) }, "Read the least sure documents.");
  return el(
    "div",
    { class: "trust" },
    el("p", {}, trustSign(ctx, group), " ", whole(said.slice(0, 2)), " ", next),
    said.length > 2 &&
      el("details", {}, el("summary", {}, "Figures"), el("p", { class: "soft" }, whole(said.slice(2)))),
  );
}

/** Join sentences without a line break before a % sign. */
const whole = (sentences) => sentences.join(" ").replaceAll(" %", "\u00a0%");

function words(ctx, { words: all, number }) {
  if (!all.length) return null;
  const hint = el("span", { class: "soft" }, "click a word to assign it to a group or mark it as noise");
  const rest = all.slice(FIRST),
    head = el("h3", {}, "Words ", hint),
    summary = el("summary", {}, counted(rest.length, "more word"));
  const more = rest.length > 0 && el("details", {}, summary, ranked(ctx, rest, number, all[0][1]));
  return el("section", {}, head, ranked(ctx, all.slice(0, FIRST), number), more);
}

async function documents(ctx, number, sort = "typical", most = TYPICAL) {
  const rows = ctx.store.list({ group: number, sort, found: ctx.found }),
    link = (said, to, label) =>
      el("a", { href: href({ view: "list", group: number, doc: null, sort: to }), "aria-label": label }, said);
  if (!rows.length && ctx.found?.total)
    return el(
      "section",
      {},
      el("h3", {}, "No hit in this group"),
      el(
        "p",
        {},
        el("a", { href: href({ group: null, doc: null, view: "list" }) }, `Show ${counted(ctx.found.total, "hit")}`),
        " in other groups.",
      ),
    );
  await ctx.store.read(rows.slice(0, most));
  const heads = {
    typical: ctx.found ? "Hits, the most typical first" : "Typical documents",
    "off-topic": "Farthest out",
  };
  const pulled = new Map(number < 0 ? ctx.store.summary.off_topic?.pulled : []);
  const lists = number < 0 ? [] : [" · ", link("uncertain", "uncertain"), " · ", link("longest", "longest")];
  return el(
    "section",
    {},
    el("h3", {}, heads[sort]),
    el(
      "ol",
      { class: "few" },
      ...rows.slice(0, most).map((i) => {
        const row = ctx.store.row(i),
          { id, title } = row;
        return el(
          "li",
          {},
          el(
            "a",
            { href: href({ group: number, doc: id }) },
            el("bdi", { class: "title" }, title),
            el("span", { class: "text", dir: "auto" }, below(row, 160)),
            pulled.get(id)?.length > 0 &&
              el("span", { class: "pulled" }, el("bdi", {}, pulled.get(id).slice(0, WORDS).join(", "))),
          ),
        );
      }),
    ),
    el("p", { class: "more" }, link(`all ${figure(rows.length)}`, sort, `List all ${rows.length} documents`), ...lists),
  );
}

/** Documents over time, as small bars. */
function over(ctx, number) {
  const { by } = ctx.store.summary;
  if (!by?.unit || by.labels.length < 2) return null;
  const counts = by.counts[number],
    most = Math.max(1, ...counts);
  return el(
    "section",
    {},
    el("h3", {}, `By ${by.unit} of ${by.column}`),
    el(
      "ol",
      { class: "spark", "aria-label": `Documents of each ${by.unit}` },
      ...counts.map((count, i) =>
        el(
          "li",
          { style: { height: `${(100 * count) / most}%` }, title: `${by.labels[i]}: ${figure(count)}` },
          el("span", { class: "unseen" }, `${by.labels[i]}: ${figure(count)}`),
        ),
      ),
    ),
    el("p", { class: "soft span" }, el("span", {}, by.labels[0]), el("span", {}, by.labels.at(-1))),
  );
}

function neighbours(ctx, number) {
  const near = new Map(),
    { group, rival } = ctx.store.columns;
  group.forEach((own, i) => {
    if (own === number && rival[i] >= 0) near.set(rival[i], (near.get(rival[i]) ?? 0) + 1);
  });
  const first = [...near].sort((a, b) => b[1] - a[1]).slice(0, 3);
  return (
    first.length > 0 &&
    el(
      "section",
      {},
      el("h3", {}, "Next to it ", el("span", { class: "soft" }, "second-best group of its documents")),
      el(
        "ul",
        { class: "near" },
        ...first.map(([other, count]) =>
          el("li", {}, groupLink(ctx, other), el("span", { class: "num soft" }, figure(count))),
        ),
      ),
    )
  );
}

function splitting(ctx, number) {
  const found = ctx.store.summary.tree.splits.find(({ group }) => group === number);
  if (!found) return null;
  const half = (i) => [
    el("b", {}, counted(found.sizes[i], "document")),
    ` about `,
    el("bdi", {}, found.words[i].join(", ")),
  ];
  return el("section", {}, el("h3", {}, "If it were split"), el("p", {}, ...half(0), ", and ", ...half(1), "."));
}
