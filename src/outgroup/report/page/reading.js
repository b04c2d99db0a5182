// One document: text, words behind its group, second-best group, nearest documents.
import { button, counted, el, figure } from "./dom.js";
import { marked, terms } from "./find.js";
import { below, decidedSign, decider, groupLink, percent, tone, wordButton } from "./pieces.js";
import { href } from "./route.js";

const MARKED = 0.25; // of the largest share: words with smaller ones are not marked in the text
const digits = (value) => (value ? Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(Math.abs(value))))) : 2);

/** The panel of document `i` within the list `rows`. */
export async function documentView(ctx, i, rows) {
  const doc = await ctx.store.document(i),
    at = rows.indexOf(i);
  await ctx.store.read([rows[at - 1], rows[at + 1]].filter((row) => at >= 0 && row !== undefined));
  return el(
    "article",
    { class: `panel reading ${tone(doc.group)}` },
    steps(ctx, rows, at),
    el("h2", { tabindex: "-1", dir: "auto" }, el("bdi", {}, doc.title)),
    facts(ctx, doc),
    corrections(ctx, doc),
    reasons(ctx, doc),
    body(ctx, doc),
    near(doc),
  );
}

function steps(ctx, rows, at) {
  const there = (row) => ({ href: href({ doc: ctx.store.row(row).id }) });
  const place = (row) => (row === undefined ? { "aria-disabled": "true" } : there(row));
  const to = (row, label, key, sign) =>
    el("a", { class: "step", "aria-label": label, ...place(row) }, el("span", { class: "by-key" }, key, " "), sign);
  const up =
    ctx.route.group === null
      ? el("a", { href: href({ doc: null }) }, "\u2039 all documents")
      : el("a", { href: href({ doc: null }) }, "\u2039 ", el("bdi", {}, ctx.store.name(ctx.route.group)));
  return el(
    "p",
    { class: "up" },
    up,
    el(
      "span",
      { class: "steps" },
      at >= 0 && el("span", { class: "soft num" }, `${figure(at + 1)} of ${figure(rows.length)} `),
      to(at > 0 ? rows[at - 1] : undefined, "Document before", "k", "\u2191"),
      to(at < 0 ? undefined : rows[at + 1], "Next document", "j", "\u2193"),
    ),
  );
}

function facts(ctx, doc) {
  const pairs = [];
  const copy = button("copy", () => ctx.copy(doc.id, "The id"), { class: "copy", "aria-label": "Copy the id" });
  pairs.push(["id", [el("code", {}, doc.id), " ", copy]]);
  pairs.push(
    doc.group < 0
      ? ["verdict", ["off-topic; nearest to ", groupLink(ctx, doc.rival)]]
      : [
          "group",
          [
            groupLink(ctx, doc.group),
            doc.flagged && el("span", { class: "sign out" }, "looks off-topic"),
            " ",
            decidedSign(ctx, doc.id),
          ],
        ],
  );
  if (doc.group >= 0 && doc.rival >= 0)
    pairs.push([
      "second best",
      [groupLink(ctx, doc.rival), ` behind by a margin of ${figure(doc.margin, digits(doc.margin))}`],
    ]);
  if (doc.group < 0) pairs.push(["decided", [decidedSign(ctx, doc.id) ?? "nothing yet"]]);
  const cells = new Map(doc.others); // what is filtered by may be less exact: the month of a date
  for (const [name, value] of doc.fields)
    pairs.push([
      name,
      [
        el(
          "a",
          { href: href({ where: [[name, value]], doc: null, group: null, view: "list" }) },
          el("bdi", {}, cells.get(name) ?? value),
        ),
      ],
    ]);
  for (const [name, value] of cells)
    if (!doc.fields.some(([field]) => field === name)) pairs.push([name, [el("bdi", { class: "cell" }, value)]]);
  return el("dl", { class: "facts" }, ...pairs.flatMap(([name, said]) => [el("dt", {}, name), el("dd", {}, ...said)]));
}

function corrections(ctx, doc) {
  const { actions } = ctx,
    key = (label, letter, run) => decider(ctx, [label, " ", el("kbd", {}, letter)], run);
  return el(
    "p",
    { class: "corrections" },
    key("Belongs to \u2026", "b", () => actions.belongs("", [doc.i])),
    key(doc.group < 0 ? "Is not junk" : "Right here", "y", () => actions.stays()),
    key("Is junk", "x", () => actions.junk([doc.i])),
    key("New group \u2026", "g", () => actions.begin([doc.i])),
  );
}

function reasons(ctx, { reasons: found, group }) {
  if (!found.length) return null;
  const places = digits(found[0][1]);
  return el(
    "section",
    {},
    el("h3", {}, group < 0 ? "Words that pulled it out" : "Words that put it here"),
    el(
      "ul",
      { class: "why" },
      ...found.map(([word, value]) =>
        el("li", {}, wordButton(ctx, word, {}, el("span", { class: "num" }, ` +${figure(value, places)}`))),
      ),
    ),
  );
}

function body(ctx, doc) {
  const looked = terms(ctx.route.q),
    most = doc.reasons[0]?.[1] ?? 0,
    first = doc.reasons.filter(([, value]) => value >= MARKED * most).map(([word]) => word),
    words = [...first, ...looked.filter(({ exact }) => !exact).map(({ text }) => text)];
  const pieces = marked(
    doc.text,
    words,
    looked.filter(({ exact }) => exact).map(({ text }) => text),
  );
  const left = doc.length - doc.text.length;
  const rest =
    !doc.complete &&
    el(
      "p",
      { class: "soft" },
      `\u2026 ${counted(left, "more character")} of this document ${left === 1 ? "is" : "are"} not in this file. `,
    );
  const shown = (part) => part.map(([piece, hit]) => (hit ? el("mark", {}, piece) : piece));
  const text = el(
    "div",
    { class: "text", dir: "auto" },
    ...(doc.several ? passages(ctx, doc, pieces, shown) : shown(pieces)),
  );
  return el("section", {}, el("h3", {}, "Text"), doc.several && groups(ctx, doc.several, text), text, rest);
}

/** The groups of a text about several things: links that point out the passages of their group. */
function groups(ctx, { groups: parts }, text) {
  const point = (group) => {
    for (const each of text.children) each.classList.toggle("over", Number(each.dataset.of) === group);
  };
  const link = ([group, p]) => {
    const on = {
      pointerenter: () => point(group),
      focusin: () => point(group),
      pointerleave: () => point(null),
      focusout: () => point(null),
    };
    return el("li", { on }, groupLink(ctx, group), " ", el("span", { class: "num soft" }, percent(p)));
  };
  return el("ul", { class: "shared", "aria-label": "Groups of the document" }, ...parts.map(link));
}

/** The pieces of a text with its passages, in the colour of their group; each change of group has its number. */
function passages(ctx, { text, several }, pieces, shown) {
  const letters = [...text]; // positions count characters, not the halves of a pair
  let [from, before] = [0, -1];
  return several.passages.flatMap(([end, group, p]) => {
    const inside = letters.slice(from, end).join(""),
      between = inside.length - inside.trimStart().length,
      name = `${group} ${ctx.store.name(group)}`,
      part = taken(pieces, inside.length);
    const number =
      group !== before &&
      el("span", { class: "whose" }, group, el("span", { class: "unseen" }, ` ${ctx.store.name(group)}: `));
    from = end;
    before = group;
    if (group < 0) return shown(part);
    const props = { class: `passage ${tone(group)}`, "data-of": group, title: `${name}, ${percent(p)}` };
    return [...shown(taken(part, between)), el("span", props, number, ...shown(part))];
  });
}

/** Take pieces of so many letters from the front of a list. */
function taken(pieces, length) {
  const found = [];
  for (let left = length; left > 0 && pieces.length; ) {
    const [piece, hit] = pieces.shift();
    found.push([piece.slice(0, left), hit]);
    if (piece.length > left) pieces.unshift([piece.slice(left), hit]);
    left -= piece.length;
  }
  return found;
}

const near = (doc) =>
  doc.near.length > 0 &&
  el(
    "section",
    {},
    el("h3", {}, "Nearest documents"),
    el(
      "ol",
      { class: "few" },
      ...doc.near.map((row) =>
        el(
          "li",
          {},
          el(
            "a",
            { href: href({ doc: row.id }) },
            el("bdi", { class: "title" }, row.title),
            el("span", { class: "text", dir: "auto" }, below(row, 110)),
          ),
        ),
      ),
    ),
  );
