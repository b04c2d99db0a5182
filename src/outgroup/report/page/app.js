// The page as a whole: show the route of the address, send decisions to the store.
import { Actions } from "./actions.js";
import { Bulk } from "./bulk.js";
import { colouring, legendOf } from "./colours.js";
import { merge, split } from "./decisions.js";
import { DocumentList } from "./documents.js";
import { clean, el, patient, refill } from "./dom.js";
import { Finder } from "./finder.js";
import { groupView, offTopicView } from "./group.js";
import { GroupList } from "./groups.js";
import { listen } from "./keys.js";
import { ContentMap } from "./map.js";
import { overview } from "./overview.js";
import { documentView } from "./reading.js";
import { go, href, route } from "./route.js";
import { TRUST } from "./store.js";
import { theme } from "./theme.js";
import { Tray } from "./tray.js";
import { TreeView } from "./tree.js";

const VIEWS = [
  ["map", "Map"],
  ["list", "Documents"],
  ["tree", "Tree"],
];
const LOOKING = "Looking \u2026",
  NOTED = "Noted.",
  START = route(""); // what is shown until all that the address asks for is there

/** Show a store's data in an element and follow the address. */
export class App {
  /** @type {import("./route.js").Route} */
  route = START;
  /** @type {any} Hits of the search; null without one. */
  found = null;
  /** @type {string | null} The word at hand. */
  word = null;
  /** @type {any} */
  finder = null;
  /** @type {any} */
  groups = null;
  /** @type {any} */
  map = null;
  /** @type {any} */
  list = null;
  /** @type {any} */
  bulk = null;
  /** @type {any} */
  tray = null;
  /** @type {any} */
  tabs = null;
  /** @type {any} */
  middle = null;
  /** @type {any} */
  shown = null;
  /** @type {any} */
  panel = null;
  /** @type {any} */
  body = null;
  /** @type {any} */
  legend = null;
  /** @type {any} Kinds and colours of the documents, null for those of the groups. */
  colours = null;
  /** @type {Record<string, any>} */
  views = {};
  /** @type {number | string} The document or group that the panel shows. */
  placed = -1;
  turn = 0;
  drawing = 0;

  constructor(store, place, { tray = Tray, more = /** @type {any[]} */ ([]) } = {}) {
    this.store = store;
    this.place = place;
    this.trayOf = tray;
    this.more = more;
    this.doc = -1;
    this.actions = new Actions(
      store,
      () => this.at(),
      (message) => {
        this.tell(message);
      },
    );
    this.tip = el("div", { id: "tip", "aria-hidden": "true", hidden: true });
    this.status = el("p", { class: "toast", role: "status" });
    this.parts();
    place.replaceChildren(this.finder.element, this.body, this.tray.element, this.tip, this.status);
    place.hidden = false;
    addEventListener("hashchange", () => this.follow());
    store.listen(() => {
      this.said();
      if (this.relevel()) this.follow();
      else this.draw();
    });
    listen(this);
    theme(() => this.map.later());
    this.count = store.decisions.length;
    this.follow();
    store.full.then(() => this.draw());
  }

  parts() {
    this.finder = new Finder(this);
    this.groups = new GroupList(this);
    this.map = new ContentMap(this.store, {
      pick: (what) => this.pick(what),
      lasso: (rows) => this.store.full.then(() => this.bulk.take(rows)),
      tell: (i, x, y) => this.hover(i, x, y),
    });
    this.legend = el("div", { class: "legend-box" });
    this.bulk = new Bulk(this);
    this.actions.chosen = () => [...this.bulk.chosen];
    this.list = new DocumentList(this);
    this.views = {
      map: { element: el("figure", { class: "map-view" }, this.map.element, this.legend), draw: () => {} },
      list: this.list,
      tree: new TreeView(this),
      ...Object.fromEntries(this.more.map(([view, , View]) => [view, new View(this)])),
    };
    this.tray = new this.trayOf(this);
    this.tabs = el(
      "nav",
      { class: "tabs", "aria-label": "Views" },
      ...[...VIEWS, ...this.more].map(([view, said]) => el("a", { "data-view": view }, said)),
    );
    this.middle = el(
      "div",
      { class: "middle" },
      this.tabs,
      this.bulk.element,
      ...Object.values(this.views).map(({ element }) => element),
    );
    this.shown = el("div");
    const side = { class: "side", tabindex: "0", role: "region", "aria-label": "Selection" };
    this.panel = el("div", side, this.shown);
    const right = el("div", { class: "right" }, this.tray.question, this.panel);
    this.body = el("div", { class: "columns-3" }, this.groups.element, this.middle, right);
  }

  /** Show the new groups of the store at the current address. */
  renew() {
    this.regroup();
    this.follow();
  }

  regroup(still = false) {
    this.map.take(still);
    this.found = null;
    this.colour(this.finder.colour?.value ?? "group");
  }

  /** Show the number of groups of the address; return whether it is another one. */
  relevel() {
    const { store } = this,
      { level } = route();
    if (level === store.usual) go({ level: null }, { replace: true });
    const changed = store.cutTo(level);
    if (changed) this.regroup(true);
    return changed;
  }

  /** Trust has arrived for the same groups: update the search and the colours that use it. */
  trusted() {
    if ([this.route.field, this.finder.colour.value].includes(TRUST)) this.renew();
  }

  /** Deselect the group when its number means another group now. */
  leaveGroup(why) {
    if (this.route.group === null || this.route.group < 0) return;
    go({ group: null }, { replace: true });
    this.tell(why);
  }

  /** The subject of keys and buttons: the open document, else the document of the question shown. */
  at() {
    const {
        route: { group },
        store,
        word,
      } = this,
      own = this.doc >= 0 ? store.row(this.doc).group : null;
    const { id } = this.tray.current?.() ?? {},
      doc = this.doc >= 0 ? this.doc : id ? store.rowOf(id) : -1;
    return { doc: doc >= 0 ? doc : null, group: group ?? own, word };
  }

  async follow() {
    this.relevel();
    const now = this.known(route()),
      turn = ++this.turn;
    const key = JSON.stringify([now.q, now.field, now.value]);
    if (now.doc || now.q || now.field || now.group !== null || now.view !== "map") await this.store.full;
    this.link(now);
    const found = key === this.found?.key ? this.found : await patient(this.store.find(now), () => this.tell(LOOKING));
    if (this.status.textContent === LOOKING) this.tell("");
    const doc = now.doc ? await this.store.locate(now.doc) : -1;
    if (turn !== this.turn) return;
    if (found) found.key = key;
    const before = this.route;
    this.route = now;
    this.found = found;
    this.doc = doc;
    await this.draw();
    this.moved(before, now);
  }

  /** Reduce an address to valid views, fields and groups. */
  known(asked) {
    const {
        store: { fields, home },
        views,
      } = this,
      { group } = asked;
    const view = Object.hasOwn(views, asked.view) ? asked.view : "map";
    const field = [...fields, TRUST].includes(asked.field) ? asked.field : "";
    return { ...asked, view, field, group: group < 0 ? group : (home[group] ?? null) };
  }

  /** Draw the tabs, also during a search: a click must not undo typed text. */
  link({ doc }) {
    for (const tab of this.tabs.children) tab.href = href({ view: tab.dataset.view, doc });
  }

  async draw() {
    const { route: now, found, doc } = this,
      { view } = now;
    this.place.dataset.view = view;
    this.place.dataset.reading = doc >= 0 ? "doc" : now.group !== null ? "group" : "all";
    this.link(now);
    for (const tab of this.tabs.children) tab.setAttribute("aria-current", String(tab.dataset.view === view));
    for (const [name, { element }] of Object.entries(this.views)) element.hidden = name !== view;
    this.finder.draw();
    this.groups.draw();
    this.tray.draw();
    this.bulk.draw();
    if (doc >= 0 && view !== "list") this.list.draw();
    this.views[view].draw();
    this.map.show({ group: now.group, doc, hits: this.bulk.mask() ?? found?.mask ?? null });
    const turn = this.turn,
      drawing = ++this.drawing,
      missing =
        now.doc &&
        doc < 0 &&
        el(
          "p",
          { class: "panel" },
          "No document here has the id ",
          el("code", {}, now.doc),
          ". ",
          el("a", { href: href({ doc: null }) }, "Show all documents"),
          ".",
        );
    const content =
      missing || (await Promise.resolve(this.content()).catch((error) => el("p", { class: "panel" }, error.message)));
    if (turn === this.turn && drawing === this.drawing) this.replace(content); // an earlier one may end later
  }

  /** Draw the panel. Show the title of a slow document at once: keys act on what is visible. */
  content() {
    const {
        route: { group },
        doc,
        store,
      } = this,
      coming = (title) =>
        el(
          "article",
          { class: "panel" },
          el("h2", { tabindex: "-1", dir: "auto" }, title),
          el("p", { class: "soft" }, "Opening \u2026"),
        );
    if (doc < 0) return group === null ? overview(this) : group < 0 ? offTopicView(this) : groupView(this, group);
    return patient(
      documentView(this, doc, this.list.rows),
      () => this.placed === doc || this.replace(coming(store.row(doc).title)),
    );
  }

  /** Replace the content of the panel. Keep the keyboard focus; at another place, focus its heading. */
  replace(content) {
    const {
        doc,
        panel,
        route: { group },
      } = this,
      place = doc < 0 ? `group ${group}` : doc,
      stays = place === this.placed;
    const inside = panel.contains(document.activeElement) && document.activeElement !== panel;
    this.placed = place;
    refill(this.shown, content);
    if (inside && !stays) panel.querySelector("h2")?.focus({ preventScroll: true });
  }

  /** After navigation, scroll the panel to its top, and into view on a small screen. */
  moved(before, now) {
    const narrow = innerWidth < 960 && before !== now,
      elsewhere = before.group !== now.group || before.doc !== now.doc || before.view !== now.view;
    if (!narrow && elsewhere && this.body.getBoundingClientRect().bottom < innerHeight / 2)
      this.body.scrollIntoView({ block: "start" });
    if (narrow && before.view !== now.view && !now.doc) this.middle.scrollIntoView({ block: "start" });
    else if (before.doc !== now.doc || before.group !== now.group) {
      this.panel.scrollTop = 0;
      if (narrow && (now.doc || now.group !== null)) this.panel.scrollIntoView({ block: "start" });
    }
    if (now.view === "list" && before.view !== "list") this.list.list.redraw();
  }

  async pick({ doc, group }) {
    await this.store.full;
    if (doc !== undefined) await this.store.read([doc]);
    if (doc !== undefined) go({ doc: this.store.row(doc).id });
    else go({ group, doc: null });
  }

  async step(by) {
    await this.store.full;
    if (this.doc < 0) this.list.draw();
    const next = this.list.next(by);
    if (next === undefined) return;
    await this.store.read([next]);
    go({ doc: this.store.row(next).id }, { replace: this.doc >= 0 });
  }

  /** Focus the first word of the panel; return whether there is one. */
  toWords() {
    const first = this.panel.querySelector(".word");
    first?.focus();
    if (first) this.tell("Tab moves from word to word; n marks a word as noise, w assigns it to a group.");
    return Boolean(first);
  }

  find = (word) => go({ q: word, doc: null, view: "list" });

  decideMerge(groups) {
    this.store.decide(merge(this.store.bySize(groups)));
  }

  decideSplit(group) {
    this.store.decide(split(group));
  }

  async colour(by) {
    const found = await colouring(this.store, by);
    this.colours = found;
    this.map.colourBy(found);
    this.map.still = true;
    this.legend.replaceChildren(legendOf(found));
    this.groups.draw();
    this.list.list.redraw();
  }

  /** The style of a spot where colours are not those of the groups: of a document, or of most of a group. */
  tint(i, group) {
    const { colours, kind, lead } = this.colours ?? {},
      [light, dark] = colours?.[kind[i] ?? lead.get(group)] ?? [];
    return light && { "--c": `light-dark(${light}, ${dark})` };
  }

  hover(i, x, y) {
    this.over = i;
    this.tip.hidden = i < 0 || !this.store.columns.flagged;
    if (this.tip.hidden) return;
    this.store.read([i])?.then(() => {
      if (this.over === i) this.hover(i, x, y);
    });
    const { title, group, rival } = this.store.row(i),
      where =
        group < 0 ? `off-topic, nearest to ${rival} ${this.store.name(rival)}` : `${group} ${this.store.name(group)}`;
    this.tip.replaceChildren(el("b", { dir: "auto" }, title), el("span", { dir: "auto" }, where));
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    this.tip.style.top = `${y + box.height + 24 > innerHeight ? y - box.height - 12 : y + 16}px`;
  }

  said() {
    const count = this.store.decisions.length;
    if (count !== this.count) this.tell(count > this.count ? NOTED : "Undone.");
    this.count = count;
  }

  tell(message) {
    this.status.textContent = clean(message);
    clearTimeout(this.quiet);
    this.quiet = setTimeout(
      () => {
        this.status.textContent = "";
      },
      2500 + 40 * message.length,
    );
  }

  /** Show an optional message: it does not replace another one. */
  mention(message) {
    if (["", NOTED].includes(this.status.textContent)) this.tell(message);
  }

  copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      byHand(text);
    }
    this.tell(`${what} is copied.`);
  };
}

/** Copy in browsers that refuse the clipboard to files. */
function byHand(text) {
  const box = el("textarea", { class: "unseen", "aria-hidden": "true" });
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}
