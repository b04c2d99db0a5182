// One group: words, typical documents, neighbours, corrections.
import { counted, figure } from "./dom.js";
import { html } from "./html.js";
import { Decider, DocumentLink, GroupLink, halves, Ranked, shareOf, Trust, tone } from "./pieces.js";
import { href } from "./route.js";

const TYPICAL = 5,
  FARTHEST = 12,
  EQUAL = 500, // documents that may have the text of one before
  WORDS = 5,
  FIRST = 24;

/** Load the documents of the panel of a group, -1 for the off-topic documents, and return the panel. */
export async function groupPanel(ctx, number) {
  const { store, found } = ctx,
    off = number < 0,
    rows = store.list({ group: number, sort: off ? "off-topic" : "typical", found }),
    first = store.folded(rows.slice(0, EQUAL)).slice(0, off ? FARTHEST : TYPICAL);
  await store.read?.(first);
  return html`<${off ? OffTopic : GroupPanel} key="group ${number}" ctx=${ctx} number=${number} rows=${rows} first=${first} />`;
}

function GroupPanel({ ctx, number, rows, first }) {
  const { groups, tree } = ctx.store.summary,
    group = groups[number],
    split = tree.splits.find((each) => each.group === number);
  if (!ctx.store.sizes().get(number))
    return html`<article class="panel"><${Heading} ctx=${ctx} number=${number} /><p class="soft">This group is empty.</p></article>`;
  return html`<article class="panel ${tone(number)}">
    <${Heading} ctx=${ctx} number=${number} />
    <${Corrections} ctx=${ctx} number=${number} />
    ${group.description && html`<p dir="auto">${group.description}</p>`}
    <${HowFar} ctx=${ctx} group=${group} />
    ${group.words.length > 0 && html`<${Words} ctx=${ctx} words=${group.words} number=${number} />`}
    <${Documents} ctx=${ctx} number=${number} rows=${rows} first=${first} />
    <${Neighbours} ctx=${ctx} number=${number} />
    ${split && html`<section><h3>If it were split</h3><p>${halves(split)[0]}, and ${halves(split)[1]}.</p></section>`}
  </article>`;
}

function OffTopic({ ctx, number, rows, first }) {
  return html`<article class="panel out">
    <${Heading} ctx=${ctx} number=${number} />
    <p>
      These documents are in no group: they resemble none, or were marked as junk. The farthest come first, with their words.
    </p>
    <${ctx.parts.JunkNote} ctx=${ctx} />
    <${Documents} ctx=${ctx} number=${number} rows=${rows} first=${first} />
  </article>`;
}

function Heading({ ctx: { store, found }, number }) {
  const size = store.sizes().get(number) ?? 0;
  return html`<header>
    <p class="up"><a href=${href({ group: null, doc: null })}>\u2039 all groups</a></p>
    <h2 tabindex="-1">${number >= 0 && html`<span class="n">${store.code(number)}</span> `}<bdi>${store.name(number)}</bdi></h2>
    <p class="soft">
      ${[counted(size, "document"), shareOf(store, number)].filter(Boolean).join(", ")}${found && `; ${counted(found.groups.get(number) ?? 0, "hit")}`}
    </p>
  </header>`;
}

function Corrections({ ctx, number }) {
  const { actions, store } = ctx,
    done = store.effects.done.has(number),
    title = done ? "Later fits may move documents of this group again" : "Later fits keep the documents of this group";
  return html`<p class="corrections">
    <${Decider} ctx=${ctx} sign="r" run=${() => actions.rename()}>Rename<//>
    ${store.groups.length > 1 && html`<${Decider} ctx=${ctx} sign="m" run=${() => actions.merge()}>Merge \u2026<//>`}
    <${Decider} ctx=${ctx} sign="s" run=${() => actions.split()}>Split<//>
    <${Decider} ctx=${ctx} sign="d" run=${() => actions.done()} title=${title}>${done ? "Open again" : "Done"}<//>
  </p>`;
}

function HowFar({ ctx, group: { trust, sentences = [], figures } }) {
  if (!trust && !sentences.length)
    return ctx.store.trustFollows && html`<p class="trust soft follows">Trust is still being measured \u2026</p>`;
  const unsure = href({ view: "list", sort: "uncertain", doc: null }),
    joined = (some) => some.join(" ").replaceAll(" %", "\u00a0%"); // no line begins with a % sign
  return html`<div class="trust">
    <p>
      <${Trust} ctx=${ctx} trust=${trust} /> ${joined(sentences.slice(0, 2))}${" "}
      ${Number.isInteger(figures?.mixed_with) && html`<a href=${unsure}>Read the least sure documents.</a>`}
    </p>
    ${
      sentences.length > 2 &&
      html`<details><summary>Figures</summary><p class="soft">${joined(sentences.slice(2))}</p></details>`
    }
  </div>`;
}

const Words = ({ ctx, words, number }) =>
  html`<section>
    <h3>Words <span class="soft">click a word to assign it to a group or mark it as noise</span></h3>
    <${Ranked} ctx=${ctx} words=${words.slice(0, FIRST)} group=${number} />
  </section>`;

function Documents({ ctx, number, rows, first }) {
  const { store, found } = ctx;
  if (!rows.length && found?.total)
    return html`<section>
      <h3>No hit in this group</h3>
      <p>
        <a href=${href({ group: null, doc: null, view: "list" })}>Show ${counted(found.total, "hit")}</a> in other groups.
      </p>
    </section>`;
  const pulled = new Map(number < 0 ? store.summary.off_topic?.pulled : []),
    list = (sort) => href({ view: "list", group: number, doc: null, sort });
  const line = (i) => {
    const row = store.row(i),
      words = pulled.get(row.id)?.slice(0, WORDS).join(", ");
    return html`<li key=${i}>
      <${DocumentLink} row=${row} href=${href({ group: number, doc: row.id })} most=${160}>
        ${words && html`<span class="pulled"><bdi>${words}</bdi></span>`}
      <//>
    </li>`;
  };
  return html`<section>
    <h3>${number < 0 ? "Farthest out" : found ? "Hits, the most typical first" : "Typical documents"}</h3>
    <ol class="few">${first.map(line)}</ol>
    <p class="more">
      <a href=${list(number < 0 ? "off-topic" : "typical")} aria-label="List all ${rows.length} documents">
        all ${figure(rows.length)}
      </a>
      ${number >= 0 && html` \u00b7 <a href=${list("uncertain")}>uncertain</a> \u00b7 <a href=${list("longest")}>longest</a>`}
    </p>
  </section>`;
}

function Neighbours({ ctx, number }) {
  const near = /** @type {Map<number, number>} */ (new Map()),
    { group, rival } = ctx.store.columns;
  group.forEach((own, i) => {
    if (own === number && rival[i] >= 0) near.set(rival[i], (near.get(rival[i]) ?? 0) + 1);
  });
  const first = [...near].sort((a, b) => b[1] - a[1]).slice(0, 3),
    line = ([other, count]) =>
      html`<li><${GroupLink} ctx=${ctx} group=${other} /><span class="num soft">${figure(count)}</span></li>`;
  if (!first.length) return null;
  return html`<section>
    <h3>Next to it <span class="soft">second-best group of its documents</span></h3>
    <ul class="near">${first.map(line)}</ul>
  </section>`;
}
