// The tree of groups as plain values.

/** The groups of each node in the order of the tree: leaves 0 to k - 1, then the merges. */
export function leaves(merges, k) {
  const nodes = Array.from({ length: k }, (_, i) => [i]);
  for (const { a, b } of merges) nodes.push([...nodes[a], ...nodes[b]]);
  return nodes;
}

/** Return the nodes left of k groups after merging down to `count`. */
export function cut(merges, k, count) {
  const left = new Set(Array.from({ length: k }, (_, i) => i));
  merges.slice(0, Math.max(0, merges.length + 1 - count)).forEach(({ a, b }, t) => {
    left.delete(a);
    left.delete(b);
    left.add(k + t);
  });
  return [...left];
}

/** The tree of `count` groups, from the tree of k groups and their parts: { home, merges, splits }. `home` is the group of
 *  each group and part: a merge keeps the lowest number, and part t has the number k + t.
 *  @param {import("./data.d.ts").Tree} tree */
export function level({ merges, splits, parts }, k, count) {
  const there = merges.length + 1,
    kept = parts.slice(0, Math.max(0, count - there)),
    joins = merges.slice(0, Math.max(0, there - count)),
    wide = k + kept.length,
    home = Array.from({ length: k + parts.length }, (_, i) => i),
    at = home.slice(0, wide), // the node of each number
    joined = /** @type {import("./data.d.ts").Merge[]} */ ([]),
    changed = new Set(kept.map(({ group }) => group)),
    join = (a, b, loss) => wide + joined.push({ a, b, loss }) - 1;
  parts.slice(kept.length).forEach(({ group }, t) => {
    home[wide + t] = group;
  });
  for (const [t, { group, gain }] of [...kept.entries()].reverse()) at[group] = join(at[group], at[k + t], gain);
  const nodes = at.slice(0, k); // then of each merge
  for (const { a, b } of joins) {
    const low = Math.min(nodes[a], nodes[b]);
    home[Math.max(nodes[a], nodes[b])] = low;
    changed.add(low);
    nodes.push(low);
  }
  for (const { a, b, loss } of merges.slice(joins.length)) nodes.push(join(nodes[a], nodes[b], loss));
  for (const i of home.keys()) home[i] = home[home[i]]; // a lower number, whose group is known
  return { home, merges: joined, splits: splits.filter(({ group }) => home[group] === group && !changed.has(group)) };
}

/** The words of some groups with their weights over all documents, the heaviest first, with weight 1.
 *  @param {import("./data.d.ts").Group[]} groups
 *  @returns {import("./data.d.ts").Word[]} */
export function wordsOf(groups) {
  const weights = /** @type {Map<string, number>} */ (new Map());
  for (const { size, words } of groups)
    for (const [word, weight] of words.slice(0, 12)) weights.set(word, (weights.get(word) ?? 0) + weight * size);
  const most = Math.max(...weights.values());
  for (const [word, weight] of weights) weights.set(word, weight / most);
  return [...weights].sort((a, b) => b[1] - a[1]);
}

/** The first words as a name. */
export const firstOf = (words) =>
  words
    .slice(0, 3)
    .map(([word]) => word)
    .join(", ");
