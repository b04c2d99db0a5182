// Documents that are perhaps junk, and proposed groups: each a list to open, to accept or to dismiss by a decision.
import { label, newGroup, notAGroup } from "./decisions.js";
import { counted, el, refill } from "./dom.js";
import { decider } from "./pieces.js";
import { href } from "./route.js";

const NAMES = ["Junk?", "Proposed"]; // of the columns that hold the words or the name of each

/** The lists without a decision, below the panel without a selection. */
export class Asides {
  turn = 0;

  constructor(ctx) {
    this.ctx = ctx;
    this.element = el("section", { class: "asides", "aria-label": "Perhaps junk, and proposed groups", hidden: true });
  }

  async draw() {
    const turn = ++this.turn,
      { store, route, found, doc } = this.ctx,
      names =
        doc >= 0 || route.group !== null || found ? [] : NAMES.filter((name) => store.about.fields.includes(name)),
      all = (await Promise.all(names.map((name) => this.lists(name)))).flat();
    if (turn !== this.turn) return; // an earlier drawing may end later
    this.element.hidden = !all.length;
    refill(this.element, ...all.map((each) => this.line(each)));
  }

  /** The lists of a column with the ids of their documents. */
  async lists(name) {
    const { store } = this.ctx,
      [{ values, codes }] = await Promise.all([store.field(name), store.full]),
      { documents, refused } = store.effects,
      ids = values.map(() => /** @type {string[]} */ ([]));
    codes.forEach((code, i) => {
      ids[code].push(store.ids[i]);
    });
    return values
      .map((value, code) => ({ name, value, ids: ids[code] }))
      .filter((each) => each.value && !each.ids.some((id) => documents.has(id) || refused.has(id)));
  }

  line({ name, value, ids }) {
    const { store, actions } = this.ctx,
      junk = name === NAMES[0],
      accepted = () => (junk ? label(ids, -1) : newGroup(ids, actions.unfit(value, { fresh: true }) ? null : value)),
      act = (said, decision) => decider(this.ctx, said, () => store.decide(decision()), { class: "copy" });
    return el(
      "p",
      {},
      junk ? "Perhaps junk: " : "Proposed group: ",
      el("a", { href: href({ where: [[name, value]], view: "list" }) }, counted(ids.length, "document")),
      " about ",
      el("bdi", {}, value),
      " ",
      act(junk ? "junk" : "a new group", accepted),
      " ",
      act(junk ? "not junk" : "not a group", () => notAGroup(ids)),
    );
  }
}
