// Decisions as values: the same kinds and the same TOML as outgroup.decisions.

export const belongs = (document, group) => ({ kind: "belongs", document, group });
export const offTopic = (document) => ({ kind: "off-topic", document });
export const assign = (documents, group) => ({ kind: "assign", documents, group });
export const done = (group, reopen) => ({ kind: "done", group, ...(reopen ? { reopen } : {}) });
export const wordBelongs = (word, group) => ({ kind: "word-belongs", word, group });
export const ignoreWord = (word) => ({ kind: "ignore-word", word });
export const rename = (group, name) => ({ kind: "rename", group, name });
export const merge = (groups) => ({ kind: "merge", groups });
export const regroup = () => ({ kind: "regroup" });
export const split = (group) => ({ kind: "split", group });
export const notAGroup = (documents) => ({ kind: "not-a-group", documents });
export const newGroup = (documents, name) => ({ kind: "new-group", documents, ...(name ? { name } : {}) });

const quoted = (text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
const value = (said) =>
  Array.isArray(said) ? `[${said.map(value).join(", ")}]` : typeof said === "string" ? quoted(said) : String(said);

/** A list of decisions as the content of steering.toml. */
export const toToml = (decisions) =>
  decisions
    .map(
      (each) =>
        "[[decision]]\n" +
        Object.entries(each)
          .map(([key, said]) => `${key} = ${value(said)}\n`)
          .join(""),
    )
    .join("\n");

/** A decision in words; `called` gives a group's or a document's name. */
export function said(decision, called) {
  const { kind, document, documents = [], group, groups, word, name } = decision,
    more = documents.length - 1,
    others = more ? ` and ${more} more` : "";
  return {
    belongs: () => [`${called.document(document)}`, ` belongs to ${called.group(group)}`],
    "off-topic": () => [`${called.document(document)}`, " is junk"],
    assign: () => [
      `${called.document(documents[0])}${others}`,
      group === -1 ? ` ${more ? "are" : "is"} junk` : ` ${more ? "belong" : "belongs"} to ${called.group(group)}`,
    ],
    done: () => [called.group(group), decision.reopen ? " is open again" : " is done"],
    "word-belongs": () => [word, ` means ${called.group(group)}`],
    "ignore-word": () => [word, " is noise"],
    rename: () => [`Group ${group}`, ` is called ${name}`],
    merge: () => [`Groups ${groups.join(" and ")}`, " are one"],
    split: () => [`Group ${group}`, " is two"],
    "new-group": () => [
      `${called.document(documents[0])}`,
      `${more ? ` and ${more} more are` : " is"} a new group${name ? ` called ${name}` : ""}`,
    ],
    "not-a-group": () => [`${called.document(documents[0])}`, `${more ? ` and ${more} more are` : " is"} not a group`],
    regroup: () => ["All groups", " are found again"],
  }[kind]();
}

/** The documents of a decision. */
export const documentsIn = ({ document, documents }) => documents ?? (document === undefined ? [] : [document]);

/** Whether a decision merged the group away and freed its number for another group. */
export const mergedAway = (group, decisions) =>
  decisions.some(({ kind, groups }) => kind === "merge" && groups.slice(1).includes(group));

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
  for (const each of decisions) {
    if (each.kind === "not-a-group") for (const id of each.documents) found.refused.add(id);
    else for (const id of documentsIn(each)) found.documents.set(id, each);
    if (each.word !== undefined) found.words.set(each.word, each);
    if (each.kind === "rename") found.names.set(each.group, each.name);
    const reopened =
      each.kind === "done" ? each.reopen && [each.group] : each.groups || (each.kind === "split" && [each.group]);
    for (const group of reopened || []) found.done.delete(group);
    if (each.kind === "done" && !each.reopen) found.done.add(each.group);
    if (each.kind === "split") found.split.add(each.group);
    if (each.kind === "new-group" && each.name) found.begun.add(each.name);
    if (each.kind === "merge") for (const group of each.groups.slice(1)) found.merged.set(group, each.groups[0]);
  }
  return found;
}
