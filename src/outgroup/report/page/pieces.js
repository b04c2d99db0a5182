// Small components of several panels.
import { clean, counted, figure, once } from "./dom.js";
import { html } from "./html.js";
import { href } from "./route.js";

const LONGEST = 40; // letters of a word that are shown: some are a whole address, or a table's ruler

export const tone = (group) => (group < 0 ? "out" : `g${group}`);

/** The text below a title, without a repeated title or mail headers. */
export function below({ title, text }, most = 400) {
  const flat = text.replace(/\s+/g, " ").trim(),
    first = title.replace(/ \u2026$/, ""),
    subject = flat.indexOf(`Subject: ${first}`);
  const at = flat.startsWith(first) ? first.length : subject < 0 ? 0 : subject + 9 + first.length;
  const rest = `${at && first !== title ? "\u2026 " : ""}${flat.slice(at).trim()}`;
  return rest.length > most ? `${rest.slice(0, most).replace(/\s+\S*$/, "")} \u2026` : rest;
}

/** A shortened name, with the full name as a tooltip. */
export const short = (text, most = 60) => {
  const all = clean(text);
  return all.length > most ? `${all.slice(0, most - 1)}\u2026` : all;
};

export const percent = (share) => `${figure(100 * share, share > 0 && share < 0.01 ? 1 : 0)}\u00a0%`;

export const GroupLink = ({ ctx, group, name = short(ctx.store.name(group)) }) =>
  html`<a class="group-link" href=${href({ group, doc: null })} title=${ctx.store.name(group)}><span class="whole"><span class="spot ${tone(group)}" />${group >= 0 && html`<span class="n">${ctx.store.code(group)}</span>`}</span>${group >= 0 && " "}<bdi>${name}</bdi></a>`;

/** A button for a decision, with its key; disabled, with the reason as a tooltip, while decisions are off. */
export const Decider = ({ ctx: { store }, run, sign = "", title = "", children, ...props }) =>
  html`<button ...${props} onclick=${once(run)} disabled=${Boolean(store.closed)} title=${store.closed || title}>
    ${children}${sign && html` <kbd>${sign}</kbd>`}
  </button>`;

/** A word as a button: focus or pointer selects it, a click offers its corrections. */
export function Word({ ctx, word, tone: own = "", children = null }) {
  const decided = ctx.store.effects.words.get(word),
    mark = !decided ? "" : decided.group === undefined ? "noise" : "labelled";
  const choose = () => {
    ctx.word = word;
  };
  const leave = () => {
    if (document.activeElement?.getAttribute("data-word") !== word) ctx.word = null;
  };
  return html`<button
    class="word ${mark} ${own}" data-word=${word} onclick=${once(() => ctx.actions.ofWord(word, ctx.find))}
    onfocus=${choose} onpointerenter=${choose} onpointerleave=${leave}
    onblur=${() => {
      ctx.word = null;
    }}>
    ${mark === "labelled" && html`<span class="spot ${tone(decided.group)}" />`}<bdi>${short(word, LONGEST)}</bdi>${children}
  </button>`;
}

/** Words of a group [[word, weight]], the heaviest first, with bars by the square roots of their weights. */
export const Ranked = ({ ctx, words, group }) =>
  html`<ol class="ranked">
    ${words.map(
      ([word, weight]) => html`<li key=${word} title="weight ${figure(weight, 2)}">
        <${Word} ctx=${ctx} word=${word} tone=${tone(group)} /><${Meter} share=${Math.sqrt(weight / words[0][1])} group=${group} />
      </li>`, // the weights fall fast
    )}
  </ol>`;

export function Decision({ ctx, id }) {
  const decided = ctx.store.effects.documents.get(id);
  if (!decided) return null;
  if (decided.groups?.length === 0) return html`<span class="sign out">junk</span>`;
  const groups = decided.groups ?? [decided.name ?? "a new group"],
    [first] = groups;
  return html`<span class="sign">\u2192 ${typeof first === "number" && html`<span class="spot ${tone(first)}" />`} ${groups.map((each) => ctx.store.code(each)).join(" and ")}</span>`;
}

/** The trust of a group, with its meaning as a tooltip. */
export const Trust = ({ ctx, trust }) =>
  trust && html`<abbr class="sign ${trust}" title=${ctx.store.summary.glossary[trust.split(" ")[0]]}>${trust}</abbr>`;

/** The share of a group in words; "" if it is unknown. */
export const shareOf = (store, number) => {
  const share = store.share(number);
  return share === null ? "" : `${percent(share)}${store.weighed ? " by weight" : ""}`;
};

export const Meter = ({ share, group }) =>
  html`<span class="meter ${group === undefined ? "" : tone(group)}" aria-hidden="true">
    <span style=${{ width: `${(100 * Math.min(1, share)).toFixed(1)}%` }} />
  </span>`;

export const DocumentName = ({ ctx: { store }, id, most, ...props }) =>
  html`<a href=${href({ doc: id })} ...${props}><bdi>${short(store.row(store.rowOf(id)).title, most)}</bdi></a>`;

export const halves = ({ sizes, words }) =>
  [0, 1].map((i) => html`<b>${counted(sizes[i], "document")}</b> about <bdi>${words[i].join(", ")}</bdi>`);

export const DocumentLink = ({ row, most, children = null, ...props }) =>
  html`<a ...${props}><bdi class="title">${row.title}</bdi><span class="text" dir="auto">${below(row, most)}</span>${children}</a>`;
