// The panel without a selection: where to begin, notable groups, and lists of perhaps junk and of proposed groups.
import { label, newGroup, notAGroup } from "./decisions.js";
import { Begin } from "./documents.js";
import { counted, figure } from "./dom.js";
import { html } from "./html.js";
import { Decider, Decision, GroupLink, shareOf } from "./pieces.js";
import { href } from "./route.js";
import { TRUST, WORDS_OF_TRUST } from "./store.js";

const MIXED = 2,
  AT_ONCE = "The groups follow each correction, and undo takes it back.",
  LATER = "This page keeps your corrections. Download them as one file for the next run.";

/** The result of the search, else a few sentences with links. */
export function Overview({ ctx }) {
  if (ctx.found) return html`<${Hits} ctx=${ctx} />`;
  const { store } = ctx;
  return html`<article class="panel">
    <h2 tabindex="-1">At a glance</h2>
    <ul class="sentences">${sentences(ctx).map((parts) => html`<li>${parts}</li>`)}</ul>
    <h3>Where to begin</h3>
    <ul class="sentences">
      <li>Choose a group in the list or on the map: its words, typical documents and neighbours.</li>
      <li class="by-key">
        Read on with <kbd>j</kbd> and <kbd>k</kbd>; look for anything with <kbd>/</kbd>; all keys with <kbd>?</kbd>.
      </li>
      <li>Correct mistakes: a document, a word, a whole group. ${store.state.run ? AT_ONCE : LATER}</li>
    </ul>
    <p class="soft">${store.about.amount}</p>
    ${store.notes.map((note) => html`<p class="soft" dir="auto">${note}</p>`)}
    <${Skipped} ctx=${ctx} />
    <${Asides} ctx=${ctx} />
  </article>`;
}

function Hits({ ctx }) {
  const { store, found, route } = ctx,
    open = route.where.some(([name]) => name === TRUST) && store.trustFollows,
    all = html`<a href=${href({ q: null, where: null })}>show all documents</a>`,
    alike = html`<a href=${href({ view: "list" })}>${counted(found.near.length, "document")}</a> with a near meaning`,
    other = found.near.length ? html`Read ${alike}, or ${all}` : all,
    none = html`No document matches this search. Try other words, or part of a word in quotes. ${other}.`;
  if (!found.total)
    return html`<article class="panel">
      <h2 tabindex="-1">No hit</h2>
      <p>${open ? "The trust in the groups is not measured yet \u2026" : none}</p>
    </article>`;
  return html`<article class="panel">
    <h2 tabindex="-1">${counted(found.total, "hit")}</h2>
    <p>
      The groups show their numbers of hits, and the map highlights them.
      ${route.view !== "list" && html` <a href=${href({ view: "list" })}>List them</a>.`}
    </p>
    ${found.total > 1 && route.view !== "list" && html`<p class="corrections"><${Begin} ctx=${ctx} /></p>`}
  </article>`;
}

function Skipped({ ctx }) {
  const { store, actions } = ctx,
    { count, first } = store.summary.skipped;
  if (!count) return null;
  const name = (id) => {
    const code = html`<code>${id}</code>`;
    return store.leftOut
      ? html`<${Decider} ctx=${ctx} run=${() => actions.leftOut(id)} class="copy">${code}<//>`
      : code;
  };
  return html`<details>
    <summary>${counted(count, "more document")} ${count === 1 ? "was" : "were"} left out</summary>
    <ul class="sentences">
      ${first.map(([id, why]) => html`<li dir="auto">${name(id)} ${why} <${Decision} ctx=${ctx} id=${id} /></li>`)}
      ${count > first.length && html`<li class="soft">and ${figure(count - first.length)} more</li>`}
    </ul>
  </details>`;
}

function sentences(ctx) {
  const { store } = ctx,
    sizes = store.sizes(),
    { groups, tree } = store.summary,
    full = groups.filter(({ number }) => sizes.get(number)),
    link = (group) => html`<${GroupLink} ctx=${ctx} group=${group} />`,
    out = sizes.get(-1),
    [largest] = store.bySize(full.map(({ number }) => number)),
    alike = full.length > 2 && tree.merges.find(({ a, b }) => sizes.get(a) && sizes.get(b)),
    split = full.length > 1 && tree.splits[0],
    words = WORDS_OF_TRUST.map((word) => [word, full.filter(({ figures }) => figures?.word === word)]),
    trust = words.filter(([, of]) => of.length),
    share = shareOf(store, largest),
    apart = out === 1 ? "is off-topic and stands apart." : "are off-topic and stand apart.";
  return [
    full.length === 1 && html`All documents are in one group, ${link(largest)}.`,
    full.length > 1 &&
      html`The largest group is ${link(largest)}: ${counted(sizes.get(largest), "document")}${share && `, ${share}`}.`,
    alike && html`Most alike are ${link(alike.a)} and ${link(alike.b)}.`,
    split && html`The first group to split would be ${link(split.group)}.`,
    ...(trust.length ? trusted(ctx, trust, link) : [store.trustFollows && "Trust in the groups: not known yet \u2026"]),
    out && html`<a href=${href({ group: -1, view: "list" })}>${counted(out, "document")}</a> ${apart}`,
  ].filter(Boolean);
}

/** The number of groups by trust, with links to their documents, mixed groups, and groups of leftovers. */
function trusted(ctx, words, link) {
  const number = ([word, groups], i) => {
    const to = href({ where: [[TRUST, word]], doc: null });
    return html`${i > 0 && ", "}<a href=${to} title=${ctx.store.summary.glossary[word]}>${figure(groups.length)} ${word}</a>`;
  };
  const { leftovers, mixed = [] } = Object.fromEntries(words),
    pairs = Map.groupBy(mixed, ({ number: own, figures }) => String([own, figures.mixed_with].sort())),
    border = (pair) => {
      const [{ number: group, figures }] = pair,
        to = href({ view: "list", group, sort: "uncertain" });
      return html`The border is uncertain between ${link(group)} and ${link(figures.mixed_with)}: <a href=${to}>read the least sure</a>.`;
    },
    first = leftovers?.slice(0, 3).map((each, i) => html`${i > 0 && ", "}${link(each.number)}`),
    rest = leftovers?.length > 3 ? ` and ${figure(leftovers.length - 3)} more.` : ".";
  return [
    html`Trust in the groups: ${words.map(number)}.`,
    ...[...pairs.values()].slice(0, MIXED).map(border),
    leftovers && html`Not one topic, but documents that fit no other group: ${first}${rest}`,
  ];
}

const NAMES = ["Junk?", "Proposed"]; // of the columns that hold the words or the name of each

/** The lists of a store: name of the column, value, ids of the documents. */
export async function asidesOf(store) {
  const lists = NAMES.filter((name) => store.about.asides.includes(name)).map(async (name) => {
    const [{ values, codes }] = await Promise.all([store.field(name), store.full]),
      ids = values.map(() => /** @type {string[]} */ ([]));
    codes.forEach((code, i) => {
      ids[code].push(store.ids[i]);
    });
    return values.map((value, code) => ({ name, value, ids: ids[code] })).filter((each) => each.value);
  });
  return (await Promise.all(lists)).flat();
}

function Asides({ ctx }) {
  const { store, asides } = ctx,
    { documents, refused } = store.effects,
    open = asides.filter(({ ids }) => !ids.some((id) => documents.has(id) || refused.has(id)));
  if (!open.length) return null;
  return html`<section class="asides" aria-label="Perhaps junk, and proposed groups">
    ${open.map((each) => html`<${Aside} key=${each.name + each.value} ctx=${ctx} ...${each} />`)}
  </section>`;
}

function Aside({ ctx, name, value, ids }) {
  const { store, actions } = ctx,
    junk = name === NAMES[0],
    accepted = () => (junk ? label(ids, -1) : newGroup(ids, actions.unfit(value, null) ? null : value)),
    act = (text, decision) =>
      html`<${Decider} ctx=${ctx} run=${() => store.decide(decision())} class="copy">${text}<//>`;
  return html`<p>
    ${junk ? "Perhaps junk: " : "Proposed group: "}
    <a href=${href({ where: [[name, value]], view: "list" })}>${counted(ids.length, "document")}</a> about <bdi>${value}</bdi>
    ${" "}${act(junk ? "junk" : "a new group", accepted)} ${act(junk ? "not junk" : "not a group", () => notAGroup(ids))}
  </p>`;
}
