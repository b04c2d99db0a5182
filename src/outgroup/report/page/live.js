// The store of the workbench: read data from the server, send decisions to it.
import { preview } from "./dialog.js";
import { clauses, root, search } from "./find.js";
import { json, numbers, readFrom, unpacked } from "./parts.js";
import { FileStore, TRUST } from "./store.js";

const headers = { "content-type": "application/json" },
  KEPT = 20000, // rows
  PAGE = 400,
  LONGEST = 200,
  HANDFUL = 20, // other documents that a decision moves without a preview
  AGAIN = 2000;

// Decisions that may move many documents.
const FAR = new Set(["label", "merge", "split", "new-group", "word", "regroup"]);

/** An error with the server's message; `status` is its HTTP status, if it answered. */
class Refused extends Error {
  status = 0;
}

/** Ask the server; a refusal is an error with its message. */
export async function ask(name, body) {
  const sent = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`/api/${name}`, sent).catch(() => {
    throw new Refused("The workbench does not answer; is it still running?");
  });
  const isJson = answer.headers.get("content-type")?.startsWith("application/json"),
    found = isJson ? await answer.json() : { error: await answer.text() };
  if (!answer.ok) throw Object.assign(new Refused(found.error), { status: answer.status });
  return found;
}

/** A store on the server: decisions are saved at once, new groups follow. */
export class LiveStore extends FileStore {
  /** @type {Map<number, import("./data.d.ts").Entry>} Rows of lists. */
  texts = new Map();
  /** @type {Map<string, number>} Row numbers by id, -1 for unknown ids. */
  places = new Map();
  /** @type {Map<string, { hash: string, text: string }>} Parts as they were fetched. */
  packed = new Map();
  taken = "";
  rough = false;
  away = false;
  stranger = false; // whether a restarted server does not know this browser
  catching = false;
  again = false;
  turn = 0;
  looking = "";
  /** @type {{ q: string, hits: Uint8Array } | null} The last search. */
  lookedFor = null;
  /** @type {EventSource} */
  events;
  /** @type {Promise<string | void>} */
  sending = Promise.resolve();
  tell = (_message) => {};
  answered = () => {};
  renewed = (_full) => {}; // other groups; whether they follow a preview
  measured = () => {}; // trust in the same groups
  progressed = () => {};

  static async open(waiting) {
    const store = new LiveStore();
    readFrom((name) => store.part(name));
    addEventListener("unhandledrejection", (event) => {
      if (!(event.reason instanceof Refused)) return;
      event.preventDefault(); // show refused requests, whatever their origin
      store.tell(event.reason.message);
    });
    store.state = await first(waiting);
    await store.load();
    store.mark(store.state, store.stamp);
    store.effects = store.stands();
    store.cutTo(null);
    store.follow();
    return store;
  }

  mark(state, stamp) {
    Object.assign(this, { shown: state.version, taken: stamp, rough: state.first_look });
  }

  async entries() {} // the server has them

  /** Fetch list entries that are not cached. */
  read(rows) {
    const missing = rows.filter((i) => !this.texts.has(i)).slice(0, PAGE);
    return missing.length ? this.fetched({ rows: missing }) : null;
  }

  leftOut = (id) => ask("left_out", { id });

  async idsOf(rows) {
    const found = [];
    for (let at = 0; at < rows.length; at += PAGE) {
      const some = rows.slice(at, at + PAGE);
      await this.read(some);
      found.push(...some.map((i) => this.row(i).id));
    }
    return found;
  }

  meet(ids) {
    const missing = ids.filter((id) => !this.places.has(id)).slice(0, PAGE);
    return missing.length
      ? this.fetched({ ids: missing }).then(() => {
          for (const id of missing) if (!this.places.has(id)) this.places.set(id, -1);
        })
      : null;
  }

  async fetched(wanted) {
    this.learn((await ask("rows", wanted)).rows);
  }

  learn(rows) {
    if (this.texts.size > KEPT) this.texts.clear();
    for (const row of rows) {
      this.texts.set(row.i, row);
      this.places.set(row.id, row.i);
    }
  }

  rowOf(id) {
    return this.places.get(id) ?? -1;
  }
  async locate(id) {
    await this.meet([id]);
    return this.rowOf(id);
  }
  /** A list entry; a placeholder before it is fetched. */
  entry(i) {
    const { id = "", title = "\u2026", text = "", length = 0 } = this.texts.get(i) ?? {};
    return { id, title, text, length };
  }

  async document(i) {
    const found = await this.once(this.ofVersion, `document ${i}`, () => ask("document", { row: i }));
    this.learn([found, ...found.near]);
    const near = found.near.map((row) => this.row(row.i));
    return { ...this.row(i), ...found, complete: true, several: this.several(i), near };
  }

  /** The groups of the passages of a document; null until they are known: then the page is drawn again. */
  several(i) {
    const { ofVersion } = this,
      name = `several ${i}`,
      asked = async () => {
        const found = await ask("several", { row: i }).catch(() => ({ waiting: true }));
        if (found?.waiting) return ofVersion.set("unasked", ofVersion.delete(name)); // asked again by the next drawing
        ofVersion.set(name, found);
        if (ofVersion === this.ofVersion && (ofVersion.delete("unasked") || found)) this.changed();
      };
    if (!ofVersion.has(name)) {
      ofVersion.set(name, null);
      asked();
    }
    return ofVersion.get(name);
  }

  /** Decisions do not change the hits of a search.
   *  @param {string} q */
  async searched(q) {
    const { lookedFor: last } = this;
    this.looking = q;
    if (last?.q === q) return last.hits.slice();
    const hits = await search(q, this.n, (term, counts) => this.countTerm(term, counts, () => this.looking !== q));
    if (this.looking === q) this.lookedFor = { q, hits: hits.slice() };
    return hits;
  }

  /** Count a term per document; the server answers in parts. */
  async countTerm({ text, exact }, hits, gone) {
    const [start, more] = exact ? [text, -1] : root(text);
    for (let from = 0; from < this.n && !gone(); ) {
      const { hits: packed, often, to } = await ask("find", { text: start.slice(0, LONGEST), more, start: from }),
        bits = unpacked(atob(packed)),
        counts = unpacked(atob(often));
      for (let i = from, hit = 0; i < to; i++)
        if ((bits[(i - from) >> 3] >> ((i - from) & 7)) & 1) hits[i] = counts[hit++];
      from = to;
    }
    if (gone()) hits.fill(1); // not searched again as a substring
  }

  /** Rows near to a query by meaning; none for an exact text. Decisions do not change them.
   *  @param {string} q */
  async alike(q) {
    const terms = clauses(q).flat();
    if (terms.some(({ not }) => not) || terms.every(({ exact }) => exact)) return []; // a vector knows no NOT
    const text = terms
      .map(({ text }) => text)
      .join(" ")
      .slice(0, LONGEST);
    return this.once(this.lasting, `alike ${text}`, () => ask("alike", { text })).catch(() => []);
  }

  async part(name) {
    const hash = this.state.parts?.[name] ?? "",
      before = this.packed.get(name);
    if (before?.hash === hash) return before.text;
    const answer = await fetch(`/api/part/${name}`),
      text = await answer.text();
    if (!answer.ok) throw new Error(text);
    this.packed.set(name, { hash, text });
    return text;
  }

  follow() {
    this.events = new EventSource("/api/events");
    this.events.onmessage = ({ data }) => this.receive(JSON.parse(data));
    this.events.onerror = () => this.lost();
    this.events.onopen = () => this.catchUp();
  }

  /** Poll an unreachable server. A restarted server accepts this page only after its own address was opened in this
   *  browser; the page then reloads, because its documents may differ. */
  lost() {
    this.away = true;
    this.changed();
    if (this.events.readyState !== EventSource.CLOSED) return; // the browser itself tries again
    const answered = (state) => (state.run === this.state.run ? this.follow() : location.reload()),
      refused = (error) => {
        this.stranger = [401, 403].includes(error.status);
        this.lost();
      };
    setTimeout(() => ask("state").then(answered, refused), AGAIN);
  }

  receive({ kind, step, left, sentence }) {
    if (kind === "answered") return this.answered();
    if (kind === "progress") {
      Object.assign(this.state, { busy: true, progress: { step, left } });
      return this.progressed();
    }
    if (kind === "error") this.tell(sentence);
    if (["version", "decided", "error", "rested", "named", "placed", "model"].includes(kind)) this.catchUp();
  }

  /** Load the state of the server: one request at a time, repeated if a decision came in between. */
  async catchUp() {
    this.again = true;
    if (this.catching) return;
    this.catching = true;
    try {
      while (this.again) {
        this.again = false;
        await this.sending;
        const { turn } = this,
          state = await ask("state");
        if (state.run !== this.state.run) return location.reload(); // another workbench answers here
        this.away = this.stranger = false;
        if (turn === this.turn) await this.show(state);
        else this.again = true; // something was decided meanwhile: its answer is newer
      }
    } catch (error) {
      this.tell(error.message);
    }
    this.catching = false;
    this.changed();
  }

  async show(state) {
    this.state = state;
    if (this.stamp !== this.taken && state.parts) return this.refresh();
    if (!this.differs("summary")) return;
    this.fitted.summary = await json("summary"); // trust is measured now
    const { level } = this;
    this.level = 0;
    this.cutTo(level);
    this.measured();
  }

  /** Fetch the changed parts of another version. */
  async refresh() {
    const { state, stamp, rough } = this,
      names = Object.keys(this.columns).filter((name) => this.differs(name));
    const [about, summary, ...columns] = await Promise.all([
      json("about"),
      json("summary"),
      ...names.map((name) => numbers(name, this.about.columns[name][0])),
    ]);
    Object.assign(this, { about, ofVersion: new Map() });
    Object.assign(this.columns, this.fitted.columns, Object.fromEntries(names.map((name, i) => [name, columns[i]])));
    this.mark(state, stamp);
    this.fit(summary);
    this.cutTo(null);
    this.renewed(rough && !this.rough);
  }

  /** Whether a part on the server differs from the cached one. */
  differs(name) {
    return Boolean(this.state.parts) && this.packed.get(name)?.hash !== this.state.parts?.[name];
  }

  /** A key of the version shown. The first groups have the same number as their preview, and a state sent during a
   *  change of version may have the number of one version and the parts of the other. */
  get stamp() {
    return `${this.state.version}${this.state.first_look}${this.state.parts?.group}${this.state.parts?.place}`;
  }
  /** Whether the fit after the preview failed. */
  get stuck() {
    return this.rough && Boolean(this.state.error) && !this.state.busy;
  }

  /** Until trust is measured, use the previous one, so that lists stay stable. */
  trusted() {
    if (!this.trustFollows || this.fields.includes(TRUST)) this.lasting.set(TRUST, super.trusted());
    return this.lasting.get(TRUST) ?? super.trusted();
  }
  get off() {
    if (this.away) return "The workbench does not answer.";
    if (this.stuck)
      return "The full fit failed, so decisions are off. End the workbench, fix the error, and start it again.";
    return this.rough ? "This is a preview without decisions: wait for the groups of the full fit." : "";
  }
  get closed() {
    return super.closed || (this.numbered ? "The groups follow the number that you kept; wait for them." : "");
  }
  decide(decision) {
    const { kind, documents = [], group } = decision,
      why = kind === "level" ? this.fixed : this.closed,
      few = this.n <= HANDFUL || (kind === "label" && documents.length <= HANDFUL),
      noise = kind === "word" && group === undefined;
    if (why) return this.tell(why);
    if (FAR.has(kind) && !noise && (kind === "regroup" || !few)) return this.previewed(decision);
    this.keep(decision);
  }

  keep(decision) {
    this.pending.push(decision);
    this.changed();
    this.send("decide", decision);
  }

  /** Show what a decision would move before it is kept, if that is more than a handful. Return the reason if it cannot
   *  be applied. */
  async previewed(decision) {
    try {
      this.tell("Counting the documents that would move \u2026");
      await this.sending;
      const found = await ask("preview", decision);
      if (found.note) {
        this.tell(`Withdrawn: ${found.note}.`);
        return found.note;
      }
      if (found.count <= HANDFUL && !found.right) {
        if (decision.kind === "word") this.tell(found.sentence);
        return this.keep(decision);
      }
      await this.meet(found.moved.map(({ id }) => id));
      this.tell("");
      const place = (group) => (group < 0 ? "no group" : this.code(group)),
        row = (id) => this.row(this.rowOf(id)),
        examples = found.moved.map(({ id, group }) => ({ ...row(id), from: place(row(id).group), to: place(group) })),
        answer = await preview({ ...found, examples, alone: decision.kind === "new-group" });
      if (answer === null) this.tell("Nothing changed.");
      else this.keep(answer === "alone" ? { ...decision, alone: true } : decision);
    } catch (error) {
      this.tell(error.message);
    }
  }

  undo(number = -1) {
    this.send("undo", number < 0 ? {} : { number, decision: this.decisions[number] });
  }
  redo() {
    this.send("redo", {});
  }
  go(version) {
    return this.send("go", { version });
  }
  tidy() {
    return this.send("tidy", {});
  }

  /** Post to the server, one request after another; the answer is the new state. Return the reason of a refusal. */
  send(name, body) {
    if (this.away) {
      this.tell(this.off); // the next server may have other documents
      return Promise.resolve(this.off);
    }
    this.turn++;
    const post = async () => {
      let refused = "";
      try {
        this.state = await ask(name, body);
      } catch (error) {
        refused = error.message;
      }
      const at = this.pending.indexOf(body);
      if (at >= 0) this.pending.splice(at, 1);
      this.changed();
      if (refused) this.tell(refused); // last, or "Undone." would take its place
      return refused;
    };
    this.sending = this.sending.then(post);
    return this.sending;
  }
}

/** Wait for the first groups; `waiting` receives the progress. */
async function first(waiting) {
  for (;;) {
    const state = await ask("state");
    if (state.parts) return state;
    if (state.error) throw new Error(state.error);
    waiting(state);
    await new Promise((done) => void setTimeout(done, 250));
  }
}
