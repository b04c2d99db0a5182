// The page as a whole: show the route of the address, send decisions to the store.
import { Actions } from "./actions.js";
import { Brush } from "./brush.js";
import { colouring, Legend } from "./colours.js";
import { Bulk, BulkBar, DocumentList, Documents } from "./documents.js";
import { clean, patient } from "./dom.js";
import { Chips, coloursOf, Finder } from "./finder.js";
import { groupPanel } from "./group.js";
import { Groups } from "./groups.js";
import { theme, tour } from "./head.js";
import { draw, html } from "./html.js";
import { listen } from "./keys.js";
import { ContentMap } from "./map.js";
import { asidesOf, Overview } from "./overview.js";
import { documentPanel } from "./reading.js";
import { go, href, route } from "./route.js";
import { TRUST } from "./store.js";
import { JunkNote, ROOM, Tray } from "./tray.js";
import { Tree } from "./tree.js";

const VIEWS = { map: ["Map"], list: ["Documents", Documents], tree: ["Tree", Tree] },
  LOOKING = "Looking \u2026",
  NOTED = "Noted.",
  START = route(""); // what is drawn until all that the address asks for is there

/** Show a store's data in an element and follow the address. `live` has the parts of the workbench. */
export class App {
  /** @type {import("./data.d.ts").Route} */
  route = START;
  /** @type {import("./data.d.ts").Found | null} Hits of the search. */
  found = null;
  /** @type {string | null} The word at hand. */
  word = null;
  doc = -1; // the row of the open document, -1 for none
  /** @type {unknown} What the panel shows. */
  panel = null;
  /** @type {number | string} The document or group of the panel. */
  placed = -1;
  /** @type {Awaited<ReturnType<typeof colouring>>} Kinds and colours of the documents, null for those of the groups. */
  colours = null;
  /** @type {Awaited<ReturnType<typeof asidesOf>>} */
  asides = [];
  /** @type {Brush | null} */
  brush = null;
  over = -1;
  quiet = 0;
  turn = 0;
  drawing = 0;

  constructor(store, place, live = /** @type {typeof import("./desk.js").LIVE | null} */ (null)) {
    this.store = store;
    this.place = place;
    this.bar = document.createElement("div");
    this.bar.className = "unboxed";
    this.parts = live ?? { Tray, JunkNote, Card: null, Knobs: null };
    this.beside = Boolean(live) || ROOM; // the corrections lie below the groups, where they hide no text
    this.actions = new Actions(this);
    this.map = new ContentMap(store, {
      pick: (what) => this.pick(what),
      lasso: (rows) => store.full.then(() => this.bulk.take(rows)),
      tell: (i, x, y) => this.hover(i, x, y),
    });
    this.bulk = new Bulk(this);
    this.list = new DocumentList(this);
    this.questions = live && new live.Questions(this);
    this.outcomes = live && new live.Outcomes(this);
    place.replaceChildren();
    place.hidden = false;
    this.render();
    this.status = place.querySelector(".toast");
    this.tip = place.querySelector("#tip");
    addEventListener("hashchange", () => this.follow());
    store.listen(() => {
      this.acknowledge();
      if (this.relevel()) this.follow();
      else this.draw();
    });
    listen(this);
    theme(() => this.map.anew());
    tour();
    this.count = store.decisions.length;
    this.follow();
    if (route().tidy && store.untidy) store.tidy();
    store.full.then(() => this.draw());
    asidesOf(store).then((asides) => {
      this.asides = asides;
      this.draw();
    });
  }

  render() {
    draw(html`<${Page} ctx=${this} />`, this.place);
    draw(html`<${Bar} ctx=${this} />`, this.bar);
  }

  /** Show the new groups of the store at the current address. */
  renew() {
    this.store.cutTo(route().level);
    this.regroup(false);
    this.follow();
  }

  regroup(still) {
    this.map.take(still);
    if (this.found) this.found.key = ""; // it counts the hits of earlier groups
    this.colour(this.route.colour);
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
    const { colour, where } = route();
    if ([colour, ...where.map(([name]) => name)].includes(TRUST)) this.renew();
  }

  /** Deselect the group when its number means another group now. */
  leaveGroup(why) {
    if (this.route.group === null || this.route.group < 0) return;
    go({ group: null }, { replace: true });
    this.tell(why);
  }

  /** The subject of keys and buttons: the open document, else the document of the question shown. */
  at() {
    const { id } = this.questions?.current() ?? {},
      doc = this.doc >= 0 ? this.doc : id ? this.store.rowOf(id) : -1,
      own = this.doc >= 0 ? this.store.row(doc).group : null;
    return { doc: doc >= 0 ? doc : null, group: this.route.group ?? own, word: this.word };
  }

  async follow() {
    this.relevel();
    const now = this.known(route()),
      turn = ++this.turn;
    const key = JSON.stringify([now.q, now.where]);
    if (now.doc || now.q || now.where.length || now.group !== null || now.view !== "map") await this.store.full;
    this.render(); // also during a search: a click on a tab must not undo typed text
    const found = key === this.found?.key ? this.found : await patient(this.store.find(now), () => this.tell(LOOKING));
    if (this.status.textContent === LOOKING) this.tell("");
    const doc = now.doc ? await this.store.locate(now.doc) : -1;
    if (turn !== this.turn) return;
    if (found) found.key = key;
    const before = this.route;
    Object.assign(this, { route: now, found, doc });
    if (before.colour !== now.colour) this.colour(now.colour);
    await this.draw();
    this.moved(before, now);
  }

  /** Reduce an address to valid views, columns and groups. */
  known(asked) {
    const { fields, home } = this.store,
      { group } = asked,
      view = Object.hasOwn(VIEWS, asked.view) ? asked.view : "map",
      where = asked.where.filter(([name]) => [...fields, TRUST].includes(name)),
      colour = coloursOf(this.store).includes(asked.colour) ? asked.colour : "group";
    return { ...asked, view, where, colour, group: group < 0 ? group : (home[group] ?? null) };
  }

  async draw() {
    const { route: now, found, doc } = this,
      { view, group } = now;
    this.place.dataset.view = view;
    this.place.dataset.reading = doc >= 0 ? "doc" : group !== null ? "group" : "all";
    if (doc >= 0 || view === "list") this.list.take();
    this.outcomes?.follow();
    this.render();
    this.map.show({ group, doc, hits: this.bulk.mask() ?? found?.mask ?? null });
    this.questions?.moveOn();
    const turn = this.turn,
      drawing = ++this.drawing,
      panel = await this.load().catch((error) => html`<p class="panel">${error.message}</p>`);
    if (turn === this.turn && drawing === this.drawing) this.replace(panel); // an earlier one may end later
  }

  /** Load the content of the panel. Show the title of a slow document at once: keys act on what is visible. */
  async load() {
    const { route: now, doc, store } = this;
    if (doc < 0 && now.doc) return html`<${Missing} id=${now.doc} />`;
    if (doc < 0) return now.group === null ? html`<${Overview} ctx=${this} />` : groupPanel(this, now.group);
    const late = () => this.placed === doc || this.replace(html`<${Opening} title=${store.row(doc).title} />`);
    return patient(documentPanel(this, doc, this.list.rows), late);
  }

  /** Replace the content of the panel. Keep the keyboard focus; at another place, focus its heading. */
  replace(content) {
    const side = this.part(".side"),
      place = this.doc < 0 ? `group ${this.route.group}` : this.doc,
      stays = place === this.placed,
      inside = side.contains(document.activeElement) && document.activeElement !== side;
    this.placed = place;
    this.panel = content;
    this.render();
    if (inside && !stays) side.querySelector("h2")?.focus({ preventScroll: true });
  }

  /** An element of the page.
   *  @returns {HTMLElement} */
  part(selector) {
    return this.place.querySelector(selector);
  }

  /** After navigation, scroll the panel to its top, and into view on a small screen. */
  moved(before, now) {
    const narrow = innerWidth < 960,
      page = this.part(".columns-3"),
      elsewhere = before.group !== now.group || before.doc !== now.doc,
      turned = before.view !== now.view;
    if (!narrow && (elsewhere || turned) && page.getBoundingClientRect().bottom < innerHeight / 2)
      page.scrollIntoView();
    if (narrow && turned && !now.doc) return this.part(".middle").scrollIntoView();
    if (!elsewhere) return;
    this.part(".side").scrollTop = 0;
    if (narrow && (now.doc || now.group !== null)) this.part(".side").scrollIntoView();
  }

  async pick({ doc, group }) {
    await this.store.full;
    if (doc === undefined) return go({ group, doc: null });
    return this.open(doc);
  }

  async open(row, options = {}) {
    await this.store.read?.([row]);
    go({ doc: this.store.row(row).id }, options);
  }

  async step(by) {
    await this.store.full;
    if (this.doc < 0) this.list.take();
    const next = this.list.next(by);
    if (next !== undefined) await this.open(next, { replace: this.doc >= 0 });
  }

  /** Focus the first word of the panel; return whether there is one. */
  toWords() {
    const first = /** @type {HTMLElement | null} */ (this.part(".side").querySelector(".word"));
    first?.focus();
    if (first) this.tell("Tab moves from word to word; n marks a word as noise, w assigns it to a group.");
    return Boolean(first);
  }

  /** Close the work list on a small screen, where it would cover the document. */
  fold = () => {
    if (!ROOM) this.part(".tray details").removeAttribute("open");
  };

  find = (word) => go({ q: word, doc: null, view: "list" });

  async colour(by) {
    this.colours = await colouring(this.store, by);
    this.map.colourBy(this.colours);
    this.render();
  }

  /** The style of a spot where colours are not those of the groups: of a document, or of most of a group. */
  tint(i, group) {
    if (!this.colours) return undefined;
    const { colours, kind, lead } = this.colours,
      [light, dark] = colours[kind[i] ?? lead.get(group)] ?? [];
    return light && { "--c": `light-dark(${light}, ${dark})` };
  }

  hover(i, x, y) {
    this.over = i;
    this.tip.hidden = i < 0 || !this.store.columns.flagged;
    if (this.tip.hidden) return;
    this.store.read?.([i])?.then(() => {
      if (this.over === i) this.hover(i, x, y);
    });
    const { title, group, rival } = this.store.row(i),
      where = group < 0 ? `off-topic, nearest to ${this.store.called(rival)}` : this.store.called(group);
    draw(html`<b dir="auto">${title}</b><span dir="auto">${where}</span>`, this.tip);
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    this.tip.style.top = `${y + box.height + 24 > innerHeight ? y - box.height - 12 : y + 16}px`;
  }

  /** Tell of a decision, or of one undone; after it no document is chosen. */
  acknowledge() {
    const count = this.store.decisions.length;
    if (count === this.count) return;
    this.tell(count > this.count ? NOTED : "Undone.");
    this.bulk.chosen.clear();
    this.count = count;
  }

  tell(message) {
    this.status.textContent = clean(message);
    clearTimeout(this.quiet);
    const end = () => this.status.replaceChildren();
    this.quiet = setTimeout(end, 2500 + 40 * message.length);
  }

  /** Show an optional message: it does not replace another one. */
  mention(message) {
    if (["", NOTED].includes(this.status.textContent)) this.tell(message);
  }

  copy = async (text, what) => {
    const copied = navigator.clipboard?.writeText(text).then(() => `${what} is copied.`); // only on safe addresses
    const source = text === location.href ? "the address of this page" : "the text";
    this.tell((await copied?.catch(() => "")) || `The browser does not allow copying: copy ${source} by hand.`);
  };
}

function Page({ ctx }) {
  const { route, map, beside } = ctx,
    { Tray, Card } = ctx.parts,
    [, View] = VIEWS[route.view],
    tray = html`<${Tray} ctx=${ctx} />`;
  return html`<div class="columns-3">
      <nav class="groups" aria-label="Groups"><${Groups} ctx=${ctx} />${beside && tray}</nav>
      <div class="middle">
        <div class="over">
        <nav class="tabs" aria-label="Views">
          ${Object.entries(VIEWS).map(
            ([view, [label]]) => html`<a
              data-view=${view} href=${href({ view, doc: route.doc })} aria-current=${view === route.view || null}>${label}</a>`,
          )}
        </nav>
        <button class="copy" onclick=${() => ctx.copy(location.href, "The link to this view")}>Copy link</button>
        <${Chips} ctx=${ctx} /><${BulkBar} ctx=${ctx} />
        </div>
        <figure class="map-view" hidden=${Boolean(View)}>
          <div class="unboxed" ref=${holding(map.element)} />
          <div class="legend-box"><${Legend} of=${ctx.colours} /></div>
        </figure>
        ${View && html`<${View} ctx=${ctx} />`}
        <${Brush} ctx=${ctx} />
      </div>
      <div class="right">
        ${Card && html`<${Card} ctx=${ctx} />`}
        <div class="side" tabindex="0" role="region" aria-label="Selection">${ctx.panel}</div>
      </div>
    </div>
    ${!beside && tray}
    <div id="tip" aria-hidden="true" hidden />
    <p class="toast" role="status" />`;
}

/** What lies above the page: search, colours, and the buttons of the workbench. */
function Bar({ ctx }) {
  const { Knobs } = ctx.parts;
  return html`<${Finder} ctx=${ctx} />${Knobs && html`<${Knobs} ctx=${ctx} />`}`;
}

const holding = (element) => (box) => element && box && element.parentNode !== box && box.append(element);

const Missing = ({ id }) =>
  html`<p class="panel">No document here has the id <code>${id}</code>. <a href=${href({ doc: null })}>Show all documents</a>.</p>`;

const Opening = ({ title }) =>
  html`<article class="panel"><h2 tabindex="-1" dir="auto">${title}</h2><p class="soft">Opening \u2026</p></article>`;
