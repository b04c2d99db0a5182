// One document: text, words behind its group, second-best group, nearest documents.
import { counted, figure } from "./dom.js";
import { marked, terms } from "./find.js";
import { html } from "./html.js";
import { Decider, Decision, DocumentLink, GroupLink, percent, tone, Word } from "./pieces.js";
import { href } from "./route.js";

const MARKED = 0.25; // of the largest share: words with smaller ones are not marked in the text
const digits = (value) => (value ? Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(Math.abs(value))))) : 2);

/** Load document `i` of the list `rows`, and return its panel. */
export async function documentPanel(ctx, i, rows) {
  const doc = await ctx.store.document(i),
    at = rows.indexOf(i);
  await ctx.store.read?.([rows[at - 1], rows[at + 1]].filter((row) => at >= 0 && row !== undefined));
  return html`<${Reading} key=${i} ctx=${ctx} doc=${doc} rows=${rows} at=${at} />`;
}

function Reading({ ctx, doc, rows, at }) {
  return html`<article class="panel reading ${tone(doc.group)}">
    <${Steps} ctx=${ctx} rows=${rows} at=${at} />
    <h2 tabindex="-1" dir="auto"><bdi>${doc.title}</bdi></h2>
    <${Facts} ctx=${ctx} doc=${doc} />
    <${Corrections} ctx=${ctx} doc=${doc} />
    ${doc.reasons.length > 0 && html`<${Reasons} ctx=${ctx} doc=${doc} />`}
    <${Body} ctx=${ctx} doc=${doc} />
    ${
      doc.near.length > 0 &&
      html`<section>
      <h3>Nearest documents</h3>
      <ol class="few">
        ${doc.near.map((row) => html`<li><${DocumentLink} row=${row} href=${href({ doc: row.id })} most=${110} /></li>`)}
      </ol>
    </section>`
    }
  </article>`;
}

function Steps({ ctx: { store, route }, rows, at }) {
  const to = (row, label, key, sign) =>
    html`<a
      class="step" aria-label=${label} aria-disabled=${row === undefined || null}
      href=${row === undefined ? null : href({ doc: store.row(row).id })}><span class="by-key">${key} </span>${sign}</a>`;
  return html`<p class="up">
    <a href=${href({ doc: null })}>\u2039 ${route.group === null ? "all documents" : html`<bdi>${store.name(route.group)}</bdi>`}</a>
    <span class="steps">
      ${at >= 0 && html`<span class="soft num">${figure(at + 1)} of ${figure(rows.length)} </span>`}
      ${to(at > 0 ? rows[at - 1] : undefined, "Document before", "k", "\u2191")}
      ${to(at < 0 ? undefined : rows[at + 1], "Next document", "j", "\u2193")}
    </span>
  </p>`;
}

function Facts({ ctx, doc }) {
  const { group, rival, margin } = doc,
    link = (number) => html`<${GroupLink} ctx=${ctx} group=${number} />`,
    decision = html`<${Decision} ctx=${ctx} id=${doc.id} />`,
    cells = new Map(doc.others), // a filter may be less exact: the month of a date
    filters = new Set(doc.fields.map(([name]) => name));
  const filter = ([name, value]) => {
    const to = href({ where: [[name, value]], doc: null, group: null, view: "list" });
    return [name, html`<a href=${to}><bdi>${cells.get(name) ?? value}</bdi></a>`];
  };
  const cell = ([name, value]) => [name, html`<bdi class="cell">${value}</bdi>`],
    copy = html`<button class="copy" aria-label="Copy the id" onclick=${() => ctx.copy(doc.id, "The id")}>copy</button>`,
    flag = doc.flagged && html`<span class="sign out">looks off-topic</span>`,
    second = html`${link(rival)} ${margin < 0 ? "ahead" : "behind"} by a margin of ${figure(Math.abs(margin), digits(margin))}`,
    out = [
      ["verdict", html`off-topic; nearest to ${link(rival)}`],
      ["decided", ctx.store.effects.documents.has(doc.id) ? decision : "nothing yet"],
    ],
    inside = [["group", html`${link(group)}${flag} ${decision}`], ...(rival >= 0 ? [["second best", second]] : [])];
  const pairs = [
    ["id", html`<code>${doc.id}</code> ${copy}`],
    ...(group < 0 ? out : inside),
    ...doc.fields.map(filter),
    ...[...cells].filter(([name]) => !filters.has(name)).map(cell),
  ];
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function Corrections({ ctx, doc: { i, group } }) {
  const { actions } = ctx;
  return html`<p class="corrections">
    <${Decider} ctx=${ctx} sign="b" run=${() => actions.belongs("", [i])}>Belongs to \u2026<//>
    <${Decider} ctx=${ctx} sign="y" run=${() => actions.stays()}>${group < 0 ? "Is not junk" : "Right here"}<//>
    <${Decider} ctx=${ctx} sign="x" run=${() => actions.junk([i])}>Is junk<//>
    <${Decider} ctx=${ctx} sign="g" run=${() => actions.begin([i])}>New group \u2026<//>
  </p>`;
}

function Reasons({ ctx, doc: { reasons, group } }) {
  const places = digits(reasons[0][1]);
  return html`<section>
    <h3>${group < 0 ? "Words that pulled it out" : "Words that put it here"}</h3>
    <ul class="why">
      ${reasons.map(
        ([word, value]) =>
          html`<li><${Word} ctx=${ctx} word=${word}><span class="num"> +${figure(value, places)}</span><//></li>`,
      )}
    </ul>
  </section>`;
}

function Body({ ctx, doc }) {
  const sought = terms(ctx.route.q),
    most = doc.reasons[0]?.[1] ?? 0,
    first = doc.reasons.filter(([, value]) => value >= MARKED * most).map(([word]) => word),
    words = [...first, ...sought.filter(({ exact }) => !exact).map(({ text }) => text)],
    exact = sought.filter(({ exact }) => exact).map(({ text }) => text),
    pieces = marked(doc.text, words, exact),
    left = doc.length - doc.text.length;
  return html`<section>
    <h3>Text</h3>
    ${doc.several && html`<${Groups} ctx=${ctx} groups=${doc.several.groups} />`}
    <div class="text" dir="auto">${doc.several ? passages(ctx, doc, pieces) : highlighted(pieces)}</div>
    ${
      !doc.complete &&
      html`<p class="soft">
      \u2026 ${counted(left, "more character")} of this document ${left === 1 ? "is" : "are"} not in this file.
    </p>`
    }
  </section>`;
}

const highlighted = (pieces) => pieces.map(([piece, hit]) => (hit ? html`<mark>${piece}</mark>` : piece));

function Groups({ ctx, groups }) {
  const link = ([group, p]) =>
    html`<li><${GroupLink} ctx=${ctx} group=${group} /> <span class="num soft">${percent(p)}</span></li>`;
  return html`<ul class="shared" aria-label="Groups of the document">${groups.map(link)}</ul>`;
}

/** The pieces of a text with its passages, in the colour of their group; each change of group has its number. */
function passages(ctx, { text, several }, pieces) {
  const letters = [...text]; // positions count characters, not the halves of a pair
  let [from, before] = [0, -1];
  return several.passages.map(([end, group, p]) => {
    const inside = letters.slice(from, end).join(""),
      part = taken(pieces, inside.length),
      fresh = group !== before;
    from = end;
    before = group;
    if (group < 0) return highlighted(part);
    return html`${highlighted(taken(part, inside.length - inside.trimStart().length))}<span
      class="passage ${tone(group)}" title="${ctx.store.called(group)}, ${percent(p)}">${
        fresh &&
        html`<span class="whose">${ctx.store.code(group)}<span class="unseen"> ${ctx.store.name(group)}: </span></span>`
      }${highlighted(part)}</span>`;
  });
}

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
