// The panel without a selection: where to begin, and notable groups.
import { Begin } from "./documents.js";
import { counted, figure } from "./dom.js";
import { html } from "./html.js";
import { Decider, Decision, GroupLink, percent } from "./pieces.js";
import { href } from "./route.js";
import { TRUST, WORDS_OF_TRUST } from "./store.js";

const MIXED = 2;

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
      <li>Correct mistakes: a document, a word, a whole group. ${store.follows}</li>
    </ul>
    <p class="soft">${store.amount}</p>
    ${store.notes.map((note) => html`<p class="soft" dir="auto">${note}</p>`)}
    <${Skipped} ctx=${ctx} />
  </article>`;
}

/** The number of hits of a search. */
function Hits({ ctx }) {
  const { store, found, route } = ctx,
    open = route.where.some(([name]) => name === TRUST) && store.trustFollows,
    all = html`<a href=${href({ q: null, where: null })}>show all documents</a>`;
  if (!found.total)
    return html`<article class="panel">
      <h2 tabindex="-1">No hit</h2>
      ${
        open
          ? html`<p>The trust in the groups is not measured yet \u2026</p>`
          : html`<p>No document matches this search. Try other words, or part of a word in quotes; ${all}.</p>`
      }
    </article>`;
  return html`<article class="panel">
    <h2 tabindex="-1">${counted(found.total, "hit")}</h2>
    <p>
      Each group shows its number of hits, and the map highlights them. <a href=${href({ view: "list" })}>List them</a>.
    </p>
    ${found.total > 1 && route.view !== "list" && html`<p class="corrections"><${Begin} ctx=${ctx} /></p>`}
    ${
      open &&
      html`<p class="soft">
      These figures are those of earlier groups; the trust in the current groups is not measured yet \u2026
    </p>`
    }
  </article>`;
}

/** Documents that are not in the groups, with reasons. */
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
    out = sizes.get(-1);
  const [largest] = store.bySize(full.map(({ number }) => number)),
    first = tree.merges.find(({ a, b }) => sizes.get(a) && sizes.get(b)),
    words = WORDS_OF_TRUST.map((word) => [word, full.filter(({ figures }) => figures?.word === word)]).filter(
      ([, of]) => of.length,
    );
  return [
    full.length === 1 && ["All documents are in one group, ", link(largest), "."],
    full.length > 1 && [
      "The largest group is ",
      link(largest),
      ` with ${percent(sizes.get(largest) / store.n)} of all.`,
    ],
    first && full.length > 2 && ["Most alike are ", link(first.a), " and ", link(first.b), "."],
    tree.splits.length > 0 &&
      full.length > 1 && ["The first group to split would be ", link(tree.splits[0].group), "."],
    ...(words.length ? trusted(ctx, words, link) : []),
    !words.length && store.trustFollows && "Trust in the groups: not known yet \u2026",
    out && [
      html`<a href=${href({ group: -1, view: "list" })}>${counted(out, "document")}</a>`,
      out === 1 ? " is off-topic and stands apart." : " are off-topic and stand apart.",
    ],
  ].filter(Boolean);
}

/** The number of groups by trust, with links to their documents, mixed groups, and groups of leftovers. */
function trusted(ctx, words, link) {
  const number = ([word, groups], i) => [
    i ? ", " : "",
    html`<a href=${href({ where: [[TRUST, word]], doc: null })} title=${ctx.store.summary.glossary[word]}>
      ${figure(groups.length)} ${word}
    </a>`,
  ];
  const { leftovers, mixed = [] } = Object.fromEntries(words),
    pairs = new Map(
      mixed.map(({ number: own, figures: { mixed_with: other } }) => [
        String([own, other].sort((a, b) => a - b)),
        [own, other],
      ]),
    );
  return [
    ["Trust in the groups: ", words.map(number), "."],
    ...[...pairs.values()]
      .slice(0, MIXED)
      .map(([group, other]) => [
        "The border is uncertain between ",
        link(group),
        " and ",
        link(other),
        ": ",
        html`<a href=${href({ view: "list", group, sort: "uncertain" })}>read the least sure</a>.`,
      ]),
    leftovers && [
      "Not one topic, but documents that fit no other group: ",
      leftovers.slice(0, 3).map((each, i) => [i ? ", " : "", link(each.number)]),
      leftovers.length > 3 ? ` and ${figure(leftovers.length - 3)} more.` : ".",
    ],
  ];
}
