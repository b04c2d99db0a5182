// Small parts that several views show.
import { button, clean, el, figure, once } from "./dom.js";
import { href } from "./route.js";

const LONGEST = 40; // letters of a word that are shown: some are a whole address, or a table's ruler

/** A link to a group: coloured spot, number and name. */
export function groupLink(ctx, group, changes = {}, name = ctx.store.name(group)) {
  const number = group < 0 ? [] : [el("span", { class: "n" }, group), " "],
    spot = el("span", { class: `spot ${tone(group)}` });
  return el(
    "a",
    { class: "group-link", href: href({ group, doc: null, ...changes }) },
    el("span", { class: "whole" }, spot, ...number.slice(0, 1)),
    ...number.slice(1),
    el("bdi", {}, name),
  );
}

/** A button for a decision; disabled, with the reason as a tooltip, while decisions are off. */
export const decider = ({ store }, label, run, props = {}) =>
  button(label, once(run), { ...props, disabled: Boolean(store.closed), title: store.closed || props.title });

export const tone = (group) => (group < 0 ? "out" : `g${group}`);

/** A word button: focus or pointer selects the word, a click offers its corrections. */
export function wordButton(ctx, word, props = {}, ...more) {
  const decided = ctx.store.effects.words.get(word),
    mark = !decided ? "" : decided.group === undefined ? " noise" : " labelled";
  const choose = () => {
    ctx.word = word;
  };
  const note = decided?.group !== undefined ? [el("span", { class: `spot ${tone(decided.group)}` })] : [];
  return button(
    [...note, el("bdi", {}, short(word, LONGEST)), ...more],
    once(() => ctx.actions.ofWord(word, ctx.find)),
    {
      ...props,
      class: `word${mark} ${props.class ?? ""}`,
      "data-word": word,
      on: {
        focus: choose,
        pointerenter: choose,
        pointerleave: () => {
          if (document.activeElement?.getAttribute("data-word") !== word) ctx.word = null;
        },
        blur: () => {
          ctx.word = null;
        },
      },
    },
  );
}

/** Words of a group [[word, weight]], the heaviest first, with bars by the square roots of their weights; the longest
 *  bar has the weight `most`. */
export function ranked(ctx, words, group, most = words[0]?.[1]) {
  const bar = (weight) => meter(Math.sqrt(weight / most), group), // the weights fall fast
    button = (word) => wordButton(ctx, word, { class: tone(group) });
  const line = ([word, weight]) => el("li", { title: `weight ${figure(weight, 2)}` }, button(word), bar(weight));
  return el("ol", { class: "ranked" }, ...words.map(line));
}

/** The decision on a document, as a short sign. */
export function decidedSign(ctx, id) {
  const decided = ctx.store.effects.documents.get(id);
  if (!decided) return null;
  if (decided.groups?.length === 0) return el("span", { class: "sign out" }, "junk");
  const groups = decided.groups ?? [decided.name ?? "a new group"],
    spot = typeof groups[0] === "number" && el("span", { class: `spot ${tone(groups[0])}` });
  return el("span", { class: "sign" }, "\u2192 ", spot, ` ${groups.join(" and ")}`);
}

/** The text below a title, without a repeated title or mail headers. */
export function below({ title, text }, most = 400) {
  const flat = text.replace(/\s+/g, " ").trim(),
    first = title.replace(/ \u2026$/, ""),
    subject = flat.indexOf(`Subject: ${first}`);
  const at = flat.startsWith(first) ? first.length : subject < 0 ? 0 : subject + 9 + first.length;
  const rest = `${at && first !== title ? "\u2026 " : ""}${flat.slice(at).trim()}`;
  return rest.length > most ? `${rest.slice(0, most).replace(/\s+\S*$/, "")} \u2026` : rest;
}

/** The trust of a group, with its meaning as a tooltip. */
export function trustSign(ctx, { trust }) {
  return trust && el("abbr", { class: `sign ${trust}`, title: ctx.store.summary.glossary[trust.split(" ")[0]] }, trust);
}

/** A shortened name, with the full name as a tooltip. */
export const short = (text, most = 60) => {
  const shown = clean(text);
  return shown.length > most ? `${shown.slice(0, most - 1)}\u2026` : shown;
};

/** The value of a label with its share, as a bar. */
export const meter = (share, group) =>
  el(
    "span",
    { class: `meter ${group === undefined ? "" : tone(group)}`, "aria-hidden": "true" },
    el("span", { style: { width: `${(100 * Math.min(1, share)).toFixed(1)}%` } }),
  );

export const percent = (share) => `${figure(100 * share, share > 0 && share < 0.01 ? 1 : 0)}\u00a0%`;
