// The tree of groups: drawn, with the next merges and splits.
import { cut, leaves } from "./branches.js";
import { merge, split } from "./decisions.js";
import { figure } from "./dom.js";
import { html } from "./html.js";
import { Decider, GroupLink, halves, short, tone } from "./pieces.js";
import { href } from "./route.js";

const NEXT = 6,
  LEAVES = 40, // groups of a drawn tree; of more, the folded ones are drawn
  ROOMY = { line: 22, names: 250, wide: 300, letters: 33 }, // of the drawn tree: names, then branches to the root
  NARROW = { line: 44, names: 220, wide: 110, letters: 28 }; // for fingers
const lost = (share) =>
  share > 0 && share < 0.0005 ? "less than 0.05\u00a0%" : `${figure(100 * share, share < 0.01 ? 2 : 1)}\u00a0%`;

/** The tree of the middle column: the fitted groups, cut at the number of groups shown. */
export function Tree({ ctx }) {
  const { merges, splits } = ctx.store.fitted.summary.tree;
  return html`<div class="tree scrolls" tabindex="0" role="region" aria-label="Tree of groups">
    ${
      merges.length
        ? html`<${Fold} ctx=${ctx} /><h3>Next merges</h3><${Merges} ctx=${ctx} /><h3>Next splits</h3><${Splits} ctx=${ctx} />`
        : html`<p class="soft">There is only one group, so there is no tree.</p>
          ${splits.length > 0 && html`<h3>It would split into</h3><${Splits} ctx=${ctx} />`}`
    }
  </div>`;
}

/** The name of fitted groups. */
const named = (store, members) => store.branchName(members, { fitted: true });

/** A link to a fitted group. */
const link = (ctx, group) => html`<${GroupLink} ctx=${ctx} group=${group} name=${named(ctx.store, [group])} />`;

/** The tree folded down to the number of groups shown. */
function Fold({ ctx }) {
  const { store } = ctx,
    { merges } = store.fitted.summary.tree,
    there = merges.length + 1,
    count = Math.min(store.level, there),
    loss = merges.slice(0, there - count).reduce((sum, each) => sum + each.loss, 0),
    folded = `${count} of ${there} groups, which loses ${lost(loss)} of the coherence`;
  return html`<h3>Folded by likeness</h3>
    <p class="soft">${count === there ? `${there} groups, as they were fitted` : folded}</p>
    <${Drawing} store=${store} count=${count} />`;
}

/** The tree from left, its leaves, to right, its root; a line marks the fold. */
function Drawing({ store, count }) {
  const { groups, tree } = store.fitted.summary,
    { merges } = tree,
    k = groups.length,
    { line: high, names, wide, letters } = matchMedia("(max-width: 46rem)").matches ? NARROW : ROOMY,
    nodes = leaves(merges, k),
    tips = new Set(cut(merges, k, count < merges.length + 1 ? Math.min(LEAVES, Math.max(count, 12)) : LEAVES)),
    losses = merges.map((_, t) => merges.slice(0, t + 1).reduce((sum, each) => sum + each.loss, 0)),
    most = Math.max(losses.at(-1) ?? 0, 1e-9),
    place = (t) => names + 8 + (wide - 16) * Math.sqrt(losses[t] / most),
    parts = /** @type {unknown[]} */ ([]);
  let line = 0;
  const tip = (node) => {
    const members = nodes[node].filter((number) => groups[number].size),
      [one] = members,
      y = high * (line++ + 0.5),
      words = named(store, members),
      name = members.length === 1 ? `${store.code(one)} ${words}` : `${members.length} groups: ${words}`,
      text = html`<text x=${names - 16} y=${y + 4} text-anchor="end">${short(name, letters)}</text>`,
      area = html`<rect y=${y - high / 2} width=${names} height=${high} fill="transparent" />`;
    parts.push(
      members.length === 1 ? html`<a href=${href({ group: one, doc: null })}>${area}${text}</a>` : text,
      html`<circle cx=${names - 6} cy=${y} r="4" class=${tone(one ?? -1)} />`,
    );
    return [names, y];
  };
  const walk = (node) => {
    if (tips.has(node)) return tip(node);
    const { a, b } = merges[node - k],
      [xa, ya] = walk(a),
      [xb, yb] = walk(b),
      x = place(node - k);
    parts.push(html`<path d="M${xa} ${ya}H${x}V${yb}H${xb}" />`);
    return [x, (ya + yb) / 2];
  };
  walk(k + merges.length - 1);
  const step = merges.length + 1 - count,
    fold = step > 0 && (place(step - 1) + (step < merges.length ? place(step) : names + wide)) / 2;
  return html`<svg
    viewBox="0 0 ${names + wide} ${high * line}" class="drawn-tree" role="group"
    aria-label="Tree of the groups: groups that join further left are more alike">
    ${parts}${fold && html`<path d="M${fold} 0V${high * line}" class="cut" />`}
  </svg>`;
}

/** A line with its button. */
const line = (ctx, key, content, label, decision) => html`<li key=${key}>
  <span>${content}</span>
  <span class="corrections"><${Decider} ctx=${ctx} run=${() => ctx.store.decide(decision)}>${label}<//></span>
</li>`;

function Merges({ ctx }) {
  const { store } = ctx,
    { tree, groups } = store.fitted.summary,
    nodes = leaves(tree.merges, groups.length),
    name = (node) => (nodes[node].length > 1 ? html`<bdi>${named(store, nodes[node])}</bdi>` : link(ctx, node));
  const merged = ({ a, b, loss }) => {
    const content = html`${name(a)} with ${name(b)}<span class="soft"> loses ${lost(loss)}</span>`;
    return line(ctx, `${a} ${b}`, content, "Merge", merge(store.bySize([...nodes[a], ...nodes[b]])));
  };
  return html`<ul class="next">${tree.merges.slice(0, NEXT).map(merged)}</ul>`;
}

function Splits({ ctx }) {
  const parted = (each) => {
    const [most, few] = halves(each),
      gain = html`<span class="soft">, gains ${lost(each.gain)}</span>`,
      content = html`${link(ctx, each.group)} into ${most}, and ${few}${gain}`;
    return line(ctx, each.group, content, "Split", split(each.group));
  };
  return html`<ul class="next">${ctx.store.fitted.summary.tree.splits.slice(0, NEXT).map(parted)}</ul>`;
}
