// Documents that are perhaps junk, and proposed groups: each a list to open, to accept or to dismiss by a decision.
import { label, newGroup, notAGroup } from "./decisions.js";
import { counted } from "./dom.js";
import { html } from "./html.js";
import { Decider } from "./pieces.js";
import { href } from "./route.js";

const NAMES = ["Junk?", "Proposed"]; // of the columns that hold the words or the name of each

/** The lists of a store: name of the column, value, ids of the documents. */
export async function asidesOf(store) {
  const lists = NAMES.filter((name) => store.about.asides.includes(name)).map(async (name) => {
    const [{ values, codes }] = await Promise.all([store.field(name), store.full]),
      ids = values.map(() => /** @type {string[]} */ ([]));
    codes.forEach((code, i) => {
      ids[code].push(store.ids[i]);
    });
    return values.map((value, code) => ({ name, value, ids: ids[code] })).filter((each) => each.value);
  });
  return (await Promise.all(lists)).flat();
}

/** The lists without a decision, below the panel without a selection. */
export function Asides({ ctx }) {
  const { store, route, found, doc, asides } = ctx,
    { documents, refused } = store.effects,
    open = asides.filter(({ ids }) => !ids.some((id) => documents.has(id) || refused.has(id)));
  if (doc >= 0 || route.group !== null || found || !open.length) return null;
  return html`<section class="asides" aria-label="Perhaps junk, and proposed groups">
    ${open.map((each) => html`<${Aside} key=${each.name + each.value} ctx=${ctx} ...${each} />`)}
  </section>`;
}

function Aside({ ctx, name, value, ids }) {
  const { store, actions } = ctx,
    junk = name === NAMES[0],
    accepted = () => (junk ? label(ids, -1) : newGroup(ids, actions.unfit(value, { fresh: true }) ? null : value)),
    act = (text, decision) =>
      html`<${Decider} ctx=${ctx} run=${() => store.decide(decision())} class="copy">${text}<//>`;
  return html`<p>
    ${junk ? "Perhaps junk: " : "Proposed group: "}
    <a href=${href({ where: [[name, value]], view: "list" })}>${counted(ids.length, "document")}</a> about <bdi>${value}</bdi>
    ${" "}${act(junk ? "junk" : "a new group", accepted)} ${act(junk ? "not junk" : "not a group", () => notAGroup(ids))}
  </p>`;
}
