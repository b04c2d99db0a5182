// Decisions as values: the same kinds and the same TOML as outgroup.decisions.
import { counted } from "./dom.js";

/** Documents belong to a group, and to further ones; -1 is junk. */
export const label = (documents, ...groups) => ({
  kind: "label",
  documents,
  groups: groups.filter((group) => group !== -1),
});
export const pair = (documents, same) => ({ kind: "pair", documents, same });
/** Words mean a group; without a group they are noise. */
export const meaning = (words, group = null) => ({ kind: "word", words, ...(group === null ? {} : { group }) });
export const lock = (group, reopen) => ({ kind: "lock", group, ...(reopen ? { reopen } : {}) });
export const rename = (group, name) => ({ kind: "rename", group, name });
export const merge = (groups) => ({ kind: "merge", groups });
export const level = (count) => ({ kind: "level", count });
export const split = (group) => ({ kind: "split", group });
export const notAGroup = (documents) => ({ kind: "not-a-group", documents });
export const newGroup = (documents, name) => ({ kind: "new-group", documents, ...(name ? { name } : {}) });

const quoted = (text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
const value = (given) =>
  Array.isArray(given) ? `[${given.map(value).join(", ")}]` : typeof given === "string" ? quoted(given) : String(given);

/** A list of decisions as the content of steering.toml. */
export const toToml = (decisions) =>
  decisions
    .map(
      (decision) =>
        "[[decision]]\n" +
        Object.entries(decision)
          .map(([key, given]) => `${key} = ${value(given)}\n`)
          .join(""),
    )
    .join("\n");

/** A decision in words; `called` gives the number or the name of a group, or the name of a document. */
export function inWords(decision, called) {
  const { kind, documents = [], group, groups, words = [], name } = decision,
    more = Math.max(0, documents.length - 1),
    are = more || words.length > 1 ? "are" : "is",
    others = more ? ` and ${more} more` : "";
  return {
    label: () => [
      `${called.document(documents[0])}${others}`,
      groups.length
        ? ` ${more ? "belong" : "belongs"} to ${groups.map((group) => called.group(group)).join(" and ")}`
        : ` ${are} junk`,
    ],
    pair: () => [documents.map(called.document).join(" and "), `${decision.same ? "" : " do not"} belong together`],
    word: () => [
      words.join(" and "),
      group === undefined ? ` ${are} noise` : ` ${words.length > 1 ? "mean" : "means"} ${called.group(group)}`,
    ],
    define: () => [group === undefined ? "No group" : called.group(group), ` is defined: ${decision.texts[0]}`],
    lock: () => [called.group(group), decision.reopen ? " is open again" : " is done"],
    rename: () => [`Group ${called.number(group)}`, ` is called ${name}`],
    merge: () => [`Groups ${groups.map(called.number).join(" and ")}`, " are one"],
    split: () => [`Group ${called.number(group)}`, " is two"],
    level: () => [counted(decision.count, "group"), decision.count === 1 ? " is wanted" : " are wanted"],
    "new-group": () => [
      `${called.document(documents[0])}`,
      `${others} ${are} a new group${name ? ` called ${name}` : ""}`,
    ],
    "not-a-group": () => [`${called.document(documents[0])}`, `${others} ${are} not a group`],
    regroup: () => ["All groups", " are found again"],
  }[kind]();
}

/** Whether a decision merged the group away and freed its number for another group. */
export const mergedAway = (group, decisions) =>
  decisions.some(({ kind, groups }) => kind === "merge" && groups.slice(1).includes(group));

function opened({ kind, group, groups, reopen }) {
  if (kind === "merge") return groups;
  return kind === "split" || (kind === "lock" && reopen) ? [group] : [];
}

/** The effect of decisions: the last one per document and word, names, merged, split and new groups. */
export function effects(decisions) {
  const found = {
    documents: new Map(),
    words: new Map(),
    names: new Map(),
    merged: new Map(),
    split: new Set(),
    done: new Set(),
    begun: new Set(),
    refused: new Set(),
  };
  for (const decision of decisions) {
    if (decision.kind === "not-a-group") for (const id of decision.documents) found.refused.add(id);
    else if (decision.kind !== "pair") for (const id of decision.documents ?? []) found.documents.set(id, decision);
    for (const word of decision.words ?? []) found.words.set(word, decision);
    if (decision.kind === "rename") found.names.set(decision.group, decision.name);
    for (const group of opened(decision)) found.done.delete(group);
    if (decision.kind === "lock" && !decision.reopen) found.done.add(decision.group);
    if (decision.kind === "split") found.split.add(decision.group);
    if (decision.kind === "new-group" && decision.name) found.begun.add(decision.name);
    if (decision.kind === "merge")
      for (const group of decision.groups.slice(1)) found.merged.set(group, decision.groups[0]);
  }
  return found;
}
