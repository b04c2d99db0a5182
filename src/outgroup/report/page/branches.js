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
 *  each group and part: a merge keeps the lowest number, and part t has the number k + t. */
export function level({ merges, splits, parts }, k, count) {
  const there = merges.length + 1,
    kept = parts.slice(0, Math.max(0, count - there)),
    wide = k + kept.length,
    home = Array.from({ length: k + parts.length }, (_, i) => i),
    at = home.slice(0, wide), // the node of each number
    joined = /** @type {any[]} */ ([]),
    changed = new Set(kept.map(({ group }) => group));
  const join = (a, b, loss) => wide + joined.push({ a, b, loss }) - 1;
  parts.slice(kept.length).forEach(({ group }, t) => {
    home[wide + t] = group;
  });
  for (let t = kept.length - 1; t >= 0; t--) {
    const { group, gain } = kept[t];
    at[group] = join(at[group], at[k + t], gain);
  }
  const nodes = at.slice(0, k); // then of each merge
  for (const { a, b } of merges.slice(0, Math.max(0, there - count))) {
    const [low, high] = [Math.min(nodes[a], nodes[b]), Math.max(nodes[a], nodes[b])];
    home[high] = low;
    changed.add(low);
    nodes.push(low);
  }
  for (const { a, b, loss } of merges.slice(Math.max(0, there - count))) nodes.push(join(nodes[a], nodes[b], loss));
  home.forEach((to, i) => {
    home[i] = home[to]; // a lower number, whose group is known
  });
  return { home, merges: joined, splits: splits.filter(({ group }) => home[group] === group && !changed.has(group)) };
}

/** The words of some groups with their weights over all documents, the heaviest first: [[word, weight]]. */
export function wordsOf(groups, sizes) {
  const weights = new Map();
  for (const { number, words } of groups)
    for (const [word, weight] of words.slice(0, 12))
      weights.set(word, (weights.get(word) ?? 0) + weight * (sizes.get(number) ?? 0));
  return [...weights].sort((a, b) => b[1] - a[1]);
}

/** The common name of some groups: the words with the most weight over their documents. */
export const together = (groups, sizes, count = 3) =>
  wordsOf(groups, sizes)
    .slice(0, count)
    .map(([word]) => word)
    .join(", ");
