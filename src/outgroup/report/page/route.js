// The route in the address: #group=3&doc=17&q=tea&view=list&is.month=2024-01..2024-03. Links, the back button and bookmarks work by it.

/** The default order of hits: the best match first. */
export const MATCH = "match";

export const SORTS = [MATCH, "typical", "uncertain", "off-topic", "longest", "group"];

const KEYS = ["view", "group", "doc", "q", "sort", "level", "colour", "tidy"],
  IS = "is."; // before the name of a column: a filter

/** Parse the address; a group is a number, -1 for off-topic documents, null for none.
 *  @returns {import("./data.d.ts").Route} */
export function route(hash = location.hash) {
  const given = new URLSearchParams(hash.includes("=") ? hash.slice(1) : ""),
    text = (key) => given.get(key) ?? "",
    group = text("group");
  return {
    view: text("view") || "map",
    group: group === "off-topic" ? -1 : /^\d+$/.test(group) ? Number(group) : null,
    doc: text("doc"),
    q: text("q"),
    where: [...given].filter(([key]) => key.startsWith(IS)).map(([key, value]) => [key.slice(IS.length), value]),
    sort: text("sort"),
    level: /^[1-9]\d*$/.test(text("level")) ? Number(text("level")) : null, // the number of groups shown, null for the usual one
    colour: text("colour") || "group",
    tidy: text("tidy"),
  };
}

export function order({ sort, q, group }) {
  const usual = q ? MATCH : "typical",
    chosen = (sort !== MATCH || q) && SORTS.includes(sort) ? sort : usual;
  return group === -1 && chosen === "typical" ? "off-topic" : chosen;
}

/** The current address with changes; null removes a key. */
export function href(changes) {
  const next = { ...route(), ...changes },
    query = new URLSearchParams();
  const plain = {
    ...next,
    view: next.view === "map" ? "" : next.view,
    colour: next.colour === "group" ? "" : next.colour,
    sort: next.sort === (next.q ? MATCH : "typical") || (next.sort === MATCH && !next.q) ? "" : next.sort,
  };
  for (const key of KEYS)
    if (plain[key] !== null && plain[key] !== "") query.set(key, plain[key] === -1 ? "off-topic" : plain[key]);
  for (const [name, value] of next.where ?? []) query.append(IS + name, value);
  return `#${query.toString() || "all=1"}`;
}

/** Go to an address; `replace` adds no step for the back button. */
export function go(changes, { replace = false } = {}) {
  const next = href(changes);
  if (next === location.hash) return;
  if (replace) {
    history.replaceState(null, "", next);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = next;
}
