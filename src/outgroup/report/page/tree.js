// The tree of groups, drawn.
import { cut, leaves } from "./branches.js";
import { figure } from "./dom.js";
import { html } from "./html.js";
import { short, tone } from "./pieces.js";
import { href } from "./route.js";

const LEAVES = 40, // groups of a drawn tree; of more, the folded ones are drawn
  ROOMY = { line: 22, names: 250, wide: 300, letters: 33 }, // of the drawn tree: names, then branches to the root
  NARROW = { line: 44, names: 220, wide: 110, letters: 28 }; // for fingers

/** The tree of the middle column: the fitted groups, folded down to the number of groups shown. */
export function Tree({ ctx: { store } }) {
  const { merges } = store.fitted.summary.tree,
    there = merges.length + 1,
    count = Math.min(store.level, there),
    loss = merges.slice(0, there - count).reduce((sum, each) => sum + each.loss, 0),
    lost = loss > 0 && loss < 0.0005 ? "less than 0.05" : figure(100 * loss, loss < 0.01 ? 2 : 1),
    folded = `${count} of ${there} groups, which loses ${lost}\u00a0% of the coherence`,
    tree = html`<h3>Folded by likeness</h3>
      <p class="soft">${count === there ? `${there} groups, as they were fitted` : folded}</p>
      <${Drawing} store=${store} count=${count} />`;
  return html`<div class="tree scrolls" tabindex="0" role="region" aria-label="Tree of groups">
    ${there > 1 ? tree : html`<p class="soft">There is only one group, so there is no tree.</p>`}
  </div>`;
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
      words = store.branchName(members, { fitted: true }),
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
