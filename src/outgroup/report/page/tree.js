// The tree of groups: next merges, next splits, and the loss at each number of groups.
import { cut, leaves } from "./branches.js";
import { counted, figure } from "./dom.js";
import { html } from "./html.js";
import { toLevel } from "./levels.js";
import { Decider, GroupLink, percent, short, tone } from "./pieces.js";
import { href } from "./route.js";

const NEXT = 6,
  LOSSES = 30,
  LEAVES = 40, // groups of a drawn tree; of more, the folded ones are drawn
  ROOMY = { line: 22, names: 250, wide: 300, letters: 38 }, // of the drawn tree: names, then branches to the root
  NARROW = { line: 44, names: 220, wide: 110, letters: 30 }; // for fingers
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
const named = (store, members, count = 3) => store.branchName(members, { fitted: true, count });

/** A link to a fitted group. */
const link = (ctx, group) => html`<${GroupLink} ctx=${ctx} group=${group} name=${named(ctx.store, [group])} />`;

/** The tree folded down to the number of groups shown. */
function Fold({ ctx }) {
  const { store } = ctx,
    { groups, tree } = store.fitted.summary,
    { merges } = tree,
    k = groups.length,
    there = merges.length + 1,
    count = Math.min(store.level, there),
    nodes = leaves(merges, k),
    loss = merges.slice(0, there - count).reduce((sum, each) => sum + each.loss, 0),
    total = (members) => members.reduce((sum, number) => sum + groups[number].size, 0),
    branches = cut(merges, k, count)
      .map((node) => nodes[node])
      .filter(total)
      .sort((a, b) => total(b) - total(a));
  return html`<h3>Folded by likeness</h3>
    <p class="soft">
      ${
        count === there
          ? `${there} groups, as they were fitted`
          : `${count} of ${there} groups, which loses ${lost(loss)} of the coherence`
      }
    </p>
    <${Drawing} store=${store} count=${count} />
    <${Losses} store=${store} merges=${merges.slice(-LOSSES)} count=${count} />
    <p class="soft">Loss of each merge, down to one group; click a bar to show that number of groups.</p>
    <ol class="branches">
      ${branches.map((members) => html`<${Branch} ctx=${ctx} members=${members} total=${total(members)} />`)}
    </ol>`;
}

function Branch({ ctx, members, total }) {
  const [first] = members,
    size = (number) => ctx.store.fitted.summary.groups[number].size,
    of = (number) => html`<li>${link(ctx, number)}<span class="num soft"> ${figure(size(number))}</span></li>`;
  return html`<li class=${tone(first)}>
    <p>
      ${members.length === 1 ? link(ctx, first) : html`<b><bdi>${named(ctx.store, members, 4)}</bdi></b>`}
      <span class="num soft"> ${figure(total)}, ${percent(total / ctx.store.n)}</span>
    </p>
    ${members.length > 1 && html`<ul>${members.filter(size).map(of)}</ul>`}
  </li>`;
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

/** A bar for each number of groups: the loss of the merge that leads to it. */
function Losses({ store, merges, count }) {
  const most = Math.max(...merges.map(({ loss }) => loss), 1e-9);
  const bar = ({ loss }, t) => {
    const to = merges.length - t,
      label = `To ${counted(to, "group")}: loses ${lost(loss)}`,
      height = `${Math.max(2, (100 * loss) / most).toFixed(1)}%`;
    return html`<li>
      <button
        aria-label=${label} title=${label} aria-pressed=${to === count} class=${to < count ? "over" : ""}
        onclick=${() => toLevel(store, to)}><span style=${{ height }} /></button>
    </li>`;
  };
  return html`<ol class="losses" aria-label="Loss of each merge">${merges.map(bar)}</ol>`;
}

function Merges({ ctx }) {
  const { store } = ctx,
    { tree, groups } = store.fitted.summary,
    k = groups.length,
    nodes = leaves(tree.merges, k),
    name = (node) => (node < k ? link(ctx, node) : html`<bdi>${named(store, nodes[node], 3)}</bdi>`);
  return html`<ul class="next">
    ${tree.merges.slice(0, NEXT).map(
      ({ a, b, loss }) => html`<li key="${a} ${b}">
        <span>${name(a)} with ${name(b)}<span class="soft"> loses ${lost(loss)}</span></span>
        <span class="corrections">
          <${Decider} ctx=${ctx} run=${() => ctx.decideMerge([...nodes[a], ...nodes[b]])}>Merge<//>
        </span>
      </li>`,
    )}
  </ul>`;
}

function Splits({ ctx }) {
  return html`<ul class="next">
    ${ctx.store.fitted.summary.tree.splits.slice(0, NEXT).map(({ group, gain, sizes, words }) => {
      const half = (i) => html`<bdi>${words[i].join(", ")}</bdi><span class="num soft"> (${figure(sizes[i])})</span>`;
      return html`<li key=${group}>
        <span>
          ${link(ctx, group)} into ${half(0)} and ${half(1)}<span class="soft">, gains ${lost(gain)}</span>
        </span>
        <span class="corrections">
          <${Decider} ctx=${ctx} run=${() => ctx.decideSplit(group)}>Split<//>
        </span>
      </li>`;
    })}
  </ul>`;
}
