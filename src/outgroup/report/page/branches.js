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

/** The common name of some groups: the words with the most weight over their documents. */
export function together(groups, sizes, count = 3) {
  const weights = new Map();
  for (const { number, words } of groups)
    for (const [word, weight] of words.slice(0, 12))
      weights.set(word, (weights.get(word) ?? 0) + weight * (sizes.get(number) ?? 0));
  return [...weights]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([word]) => word)
    .join(", ");
}
