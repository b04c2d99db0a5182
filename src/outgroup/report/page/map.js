// The map of content: regions, dots, names; click a dot for its document, a region for its group.
import { Camera, gestures } from "./camera.js";
import { clean, counted, settled } from "./dom.js";
import { draw, html } from "./html.js";
import { forms, leader, place } from "./names.js";
import { density, dots, rgb, sheet } from "./paint.js";
import { regions } from "./regions.js";
import { go } from "./route.js";

const NEAR = 9,
  MANY = 45,
  AFAR = 24, // groups: of more, branches of the tree are named until one zooms in
  BRANCHES = 12,
  NEARER = 1.6, // zoom
  DENSE = 30000, // documents: from so many on, the map shows their density until one zooms in
  CLOSE = 4, // zoom
  CELL = 6, // pixels: names keep so far from dots
  FLASH = 1200, // milliseconds
  FONT = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, Arial, sans-serif";
const ON_PAPER = { ink: "#23282e", paper: "#fff", clientWidth: 703, clientHeight: 400 }; // A4 without margins

/** @typedef {import("./data.d.ts").Box} Box @typedef {import("./data.d.ts").Placed} Placed */

const system = matchMedia("(prefers-color-scheme: dark)"),
  reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the page is dark, by its button or else by the system. */
function dark() {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme === "dark" || (colorScheme !== "light" && system.matches);
}

function stroke(paper, path, strokeStyle, lineWidth) {
  Object.assign(paper, { strokeStyle, lineWidth });
  paper.stroke(path);
}

/** @returns {CanvasRenderingContext2D} */
const pen = (canvas) => canvas.getContext("2d");

/** A click calls `pick({ doc })` or `pick({ group })`; a pointer over a document calls `tell(i, x, y)`. */
export class ContentMap {
  /** @type {import("./data.d.ts").Numbers} Places of the documents as the store has them. */
  places;
  /** @type {{ x: Float32Array, y: Float32Array, group: import("./data.d.ts").Numbers }} What to draw. */
  points;
  /** @type {ReturnType<typeof bounds>} */
  box;
  /** @type {Camera} */
  camera;
  /** @type {Map<number, { path: Path2D, x: number, y: number }>} Outlines of the groups, and the places of their names. */
  regions = new Map();
  /** @type {{ kind: Uint16Array, colours: [string, string][], lead?: Map<number, number> }} Kind and colours of the dots. */
  kinds;
  /** @type {Uint8Array | null} */
  hits = null;
  /** @type {Map<number, number> | null} Hits by group. */
  counts = null;
  /** @type {{ moved: number[], start: number } | null} The documents that changed their group, and when, while it is shown. */
  motion = null;
  progress = 1;
  /** @type {ImageData | null} */
  image = null;
  printing = false;
  ratio = 1;
  radius = 0;
  /** @type {{ scale: number, x: number, y: number } | null} The camera of the regions drawn last. */
  drawn = null;
  // Of the dots: pixels and opacity.
  px = new Float32Array(0);
  py = new Float32Array(0);
  strength = new Uint8Array(0);
  /** @type {Placed[]} */
  placed = [];
  /** @type {Map<number, number[]>} The groups of each name. */
  groupsOf = new Map();
  ink = { ink: "", paper: "" }; // colours of text and paper
  /** @type {number | null} */
  chosen = null;
  doc = -1;
  waiting = 0;
  still = true;

  constructor(store, { pick, lasso, tell }) {
    this.store = store;
    this.pick = pick;
    this.lassoed = lasso;
    this.tell = tell;
    this.take();
    this.element = document.createElement("div");
    this.element.className = "map";
    draw(html`<${Paper} map=${this} />`, this.element);
    const [ground, front] = this.element.querySelectorAll("canvas");
    this.ground = ground;
    this.front = front;
    this.more = /** @type {HTMLElement} */ (this.element.querySelector(".more-names"));
    this.tools = /** @type {HTMLElement} */ (this.element.querySelector(".tools"));
    this.settle = settled(() => this.anew(), 140);
    this.camera = new Camera(this.box, () => {
      this.still = false;
      this.settle();
      this.later();
    });
    this.colourBy(null);
    gestures(this.front, this.camera, {
      click: (x, y) => this.clicked(x, y),
      lasso: (line, ended) => this.drawLasso(line, ended),
      step: (by) => {
        const all = [...this.regions.keys()],
          at = all.indexOf(this.chosen ?? NaN);
        this.pick({ group: all.at(at < 0 && by < 0 ? -1 : (at + by) % all.length) });
      },
    });
    this.front.addEventListener("pointermove", (event) => this.hover(event));
    this.front.addEventListener("pointerleave", () => this.tell(-1));
    new ResizeObserver(() => this.printing || this.fit()).observe(this.element);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    system.addEventListener("change", () => this.anew());
  }

  /** Take the documents' places and groups from the store. */
  take(still = false) {
    const { store, points: before } = this,
      { place } = store.columns,
      stays = place === this.places;
    this.points = store.points();
    if (stays && !still && !reduced.matches) {
      const moved = [...before.x.keys()].filter((i) => before.group[i] !== this.points.group[i]);
      this.motion = moved.length ? { moved, start: performance.now() } : null;
    }
    if (!stays) {
      this.places = place;
      this.box = bounds(this.points);
      this.camera?.whole(this.box);
    }
    const numbers = [...store.summary.groups.map(({ number }) => number), -1],
      { cx, cy, side } = this.box;
    this.regions = regions(this.points, numbers, { x: cx - side / 2, y: cy - side / 2, size: side });
  }

  /** Colour by group (null), or by kinds: { kind: per document, colours: [[light, dark]], lead: kind per group }. */
  colourBy(kinds) {
    this.kinds = kinds ?? {
      kind: Uint16Array.from(this.points.group, (group) => (group < 0 ? this.store.about.colours.length : group)),
      colours: [...this.store.about.colours, ["#8a8f96", "#8d939c"]],
    };
    this.anew();
  }

  show({ group, doc, hits }) {
    this.chosen = group;
    this.doc = doc;
    this.hits = hits;
    this.counts = hits && this.store.tally(hits).groups;
    draw(html`<${Paper} map=${this} />`, this.element);
    this.anew();
  }

  print(printing) {
    this.printing = printing;
    this.fit();
    this.draw();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.printing ? ON_PAPER : this.element;
    if (!width || !height) return;
    this.ratio = this.printing ? 2 : Math.min(2, devicePixelRatio || 1);
    for (const canvas of [this.ground, this.front])
      Object.assign(canvas, { width: width * this.ratio, height: height * this.ratio });
    this.drawn = null;
    this.image = new ImageData(this.front.width, this.front.height);
    this.camera.resize(width, height);
    this.anew();
  }

  /** Draw regions and place names too, once. */
  anew() {
    this.still = true;
    this.later();
  }

  later() {
    if (this.waiting || !this.front) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.image) return;
    this.dark = !this.printing && dark();
    const style = getComputedStyle(this.element);
    this.ink = this.printing ? ON_PAPER : { ink: style.color, paper: style.backgroundColor };
    if (this.still || !this.drawn) this.drawRegions();
    else this.slideRegions(this.drawn);
    this.progress = this.motion ? Math.min(1, (performance.now() - this.motion.start) / FLASH) : 1;
    this.drawDots(this.image);
    if (this.motion) this.flash(this.motion.moved);
    this.drawNames();
    this.still = false;
    if (this.progress === 1) this.motion = null;
    else this.later();
  }

  /** Rings around the documents that changed their group: they widen and fade once. */
  flash(moved) {
    const paper = pen(this.front),
      { ratio, progress } = this,
      radius = this.radius + 1 + 9 * progress,
      rings = new Path2D();
    for (const i of moved) {
      rings.moveTo(this.px[i] / ratio + radius, this.py[i] / ratio);
      rings.arc(this.px[i] / ratio, this.py[i] / ratio, radius, 0, 7);
    }
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.globalAlpha = 0.7 * (1 - progress);
    stroke(paper, rings, this.ink.ink, 1.5);
    paper.globalAlpha = 1;
  }

  get dense() {
    return this.points.x.length >= DENSE && this.camera.zoom < CLOSE;
  }

  colour(number) {
    const { colours, lead } = this.kinds;
    return (colours[lead?.get(number) ?? number] ?? colours.at(-1))[this.dark ? 1 : 0];
  }

  /** While the map moves, the regions drawn last move along; they are drawn anew once it rests. */
  slideRegions(drawn) {
    const { camera } = this,
      zoom = camera.scale / drawn.scale;
    this.ground.style.transform = `translate(${camera.toX(drawn.x)}px, ${camera.toY(drawn.y)}px) scale(${zoom})`;
  }

  drawRegions() {
    const paper = pen(this.ground),
      { scale } = this.camera,
      r = this.ratio;
    this.drawn = { scale, x: this.camera.fromX(0), y: this.camera.fromY(0) };
    this.ground.style.transform = "";
    paper.setTransform(1, 0, 0, 1, 0, 0);
    paper.clearRect(0, 0, this.ground.width, this.ground.height);
    paper.setTransform(scale * r, 0, 0, scale * r, this.camera.toX(0) * r, this.camera.toY(0) * r);
    for (const [number, { path }] of this.regions) {
      if (this.dense && number !== this.chosen) continue;
      const faint = this.chosen !== null && this.chosen !== number;
      paper.fillStyle = paper.strokeStyle = this.colour(number);
      paper.globalAlpha = faint ? 0.035 : this.dark ? 0.17 : 0.13;
      paper.fill(path);
      paper.globalAlpha = faint ? 0.12 : this.chosen === number ? 0.9 : 0.4;
      paper.lineWidth = (this.chosen === number ? 1.8 : 1) / scale;
      if (number === -1) paper.setLineDash([4 / scale, 3 / scale]);
      paper.stroke(path);
      paper.setLineDash([]);
    }
    paper.globalAlpha = 1;
  }

  drawDots(image) {
    const { points, camera, ratio, kinds } = this,
      n = points.x.length,
      paper = pen(this.front);
    if (this.px.length !== n)
      Object.assign(this, { px: new Float32Array(n), py: new Float32Array(n), strength: new Uint8Array(n) });
    const a = camera.scale * ratio,
      bx = camera.toX(0) * ratio,
      by = camera.toY(0) * ratio;
    const some = this.hits !== null || this.chosen !== null,
      usual = n > 8000 ? 150 : 200;
    for (let i = 0; i < n; i++) {
      this.px[i] = points.x[i] * a + bx;
      this.py[i] = points.y[i] * a + by;
      const on = (this.hits === null || this.hits[i]) && (this.chosen === null || points.group[i] === this.chosen);
      this.strength[i] = !some ? usual : on ? 245 : 26;
    }
    const radius =
      Math.min(6, Math.max(0.9, (n > 30000 ? 1 : n > 5000 ? 1.35 : n > 1000 ? 1.9 : 2.8) * Math.sqrt(camera.zoom))) *
      ratio;
    const content = {
      x: this.px,
      y: this.py,
      kind: kinds.kind,
      colours: kinds.colours.map((pair) => rgb(pair[this.dark ? 1 : 0])),
      strength: this.strength,
    };
    paper.setTransform(1, 0, 0, 1, 0, 0);
    paper.clearRect(0, 0, image.width, image.height);
    if (this.dense) density(paper, image, content);
    else dots(image, { ...content, radius });
    if (this.printing && !this.dense)
      paper.drawImage(sheet(image), 0, 0); // print repeats no pixels that are put
    else if (!this.dense) paper.putImageData(image, 0, 0);
    this.radius = radius / ratio;
  }

  drawNames() {
    const paper = pen(this.front),
      { ratio } = this;
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.still || !this.placed.length) this.placeNames(paper);
    else this.slideNames();
    Object.assign(paper, { font: this.font(), textAlign: "center", textBaseline: "middle" });
    for (const label of this.placed) if (label.line) this.drawLine(paper, label);
    for (const label of this.placed) this.drawName(paper, label);
    if (this.doc >= 0) this.drawChosen(paper);
  }

  font() {
    return `600 ${this.smallNames ? 11 : 12.5}px ${FONT}`;
  }

  placeNames(paper) {
    const { camera } = this,
      labels = this.labels();
    this.smallNames = labels.length > MANY;
    paper.font = this.font();
    const room = {
      width: camera.width,
      height: camera.height,
      line: this.smallNames ? 14 : 17,
      measure: (text) => paper.measureText(text).width,
      ...this.beneath(),
      taken: this.covered(),
    };
    this.placed = place(labels, room);
    this.tellMore(labels.length - this.placed.length);
    if (this.placed.length === labels.length) return;
    const aside = ({ must, x, y }) => (must ? -1 : Math.hypot(x - camera.width / 2, y - camera.height / 2));
    if (!camera.all) labels.sort((a, b) => aside(a) - aside(b)); // too many for all: those where one looks
    this.placed = place(labels, { ...room, taken: this.covered() });
  }

  /** What boxes [left, top, right, bottom] lie over: `covers(box)` is whether over dots or regions, `strays(box, label)`
   *  whether more over other groups than over those of the name. */
  beneath() {
    const { px, py, ratio, camera } = this,
      columns = Math.ceil(camera.width / CELL),
      lines = Math.ceil(camera.height / CELL),
      size = CELL * ratio;
    const paper = pen(new OffscreenCanvas(columns, lines));
    const scale = camera.scale / CELL;
    paper.setTransform(scale, 0, 0, scale, camera.toX(0) / CELL, camera.toY(0) / CELL);
    for (const [number, { path }] of this.dense ? [] : this.regions) {
      paper.fillStyle = `rgb(${(number + 1) & 255} ${(number + 1) >> 8} 0)`;
      paper.fill(path);
    }
    const inside = new Uint32Array(paper.getImageData(0, 0, columns, lines).data.buffer),
      held = new Uint32Array(columns * lines);
    for (let i = 0; i < px.length; i++) {
      const column = Math.floor(px[i] / size),
        line = Math.floor(py[i] / size);
      if (column >= 0 && column < columns && line >= 0) held[line * columns + column]++; // beyond the end: ignored
    }
    const full = held.reduce((count, each) => count + (each ? 1 : 0), 0),
      least = Math.max(1, px.length / 2 / Math.max(1, full)); // in a crowd, a few dots do not count
    const within = ([left, top, right, bottom]) => {
      const cells = [];
      for (let line = Math.floor(top / CELL); line <= bottom / CELL; line++)
        for (let column = Math.floor(left / CELL); column <= right / CELL; column++)
          cells.push(line * columns + column);
      return cells;
    };
    return {
      covers: (box) => within(box).some((cell) => inside[cell] || held[cell] >= least),
      strays: (box, { number }) => {
        const owners = within(box)
            .filter((cell) => inside[cell] >>> 24 === 255) // not at an edge, where colours mix
            .map((cell) => (inside[cell] & 65535) - 1),
          own = owners.filter((owner) => this.groupsOf.get(number)?.includes(owner)).length;
        return owners.length > 2 * own;
      },
    };
  }

  /** Boxes of what lies over the map: names would be hidden beneath. */
  covered() {
    const box = ({ offsetLeft: left, offsetTop: top, offsetWidth: width, offsetHeight: height }) => [
      left - 3,
      top - 3,
      left + width + 3,
      top + height + 3,
    ];
    return [this.tools, this.more].filter((each) => !each.hidden).map(box);
  }

  /** While the map moves, names keep beside their groups; they get new places once it rests. */
  slideNames() {
    const { camera, regions } = this;
    this.placed = this.placed.flatMap((label) => {
      const region = regions.get(label.number);
      if (!region) return [];
      const [x, y, l, t, r, b] = [camera.toX(region.x), camera.toY(region.y), ...label.box],
        dx = x - label.from[0],
        dy = y - label.from[1];
      return [{ ...label, from: [x, y], x: label.x + dx, y: label.y + dy, box: [l + dx, t + dy, r + dx, b + dy] }];
    });
  }

  /** The names in sight, with long and short forms, those that matter most first. */
  labels() {
    const { camera, store, regions } = this,
      sizes = store.sizes();
    this.groupsOf = this.branches();
    const groups = [...this.groupsOf]
        .filter(([number]) => regions.has(number))
        .sort(([a], [b]) => sizes.get(b) - sizes.get(a))
        .map(([number, inside]) => ({
          number,
          name: clean(store.branchName(inside)),
          before: number < 0 || inside.length > 1 ? "" : `${store.code(number)} `,
        })),
      texts = forms(groups),
      before = ({ must, number }) => (must ? Infinity : ((this.counts ?? sizes).get(number) ?? 0)),
      inSight = ({ x, y }) => x > -20 && y > -20 && x < camera.width + 20 && y < camera.height + 20;
    const label = ({ number }) => ({
      number,
      texts: texts.get(number),
      x: camera.toX(regions.get(number)?.x),
      y: camera.toY(regions.get(number)?.y),
      must: number === this.chosen,
    });
    return groups
      .map(label)
      .filter(inSight)
      .sort((a, b) => before(b) - before(a));
  }

  /** The groups of each name, by the largest: one group or, from afar, a branch of the tree. */
  branches() {
    const { store, regions } = this,
      afar = regions.size > AFAR && this.camera.zoom < NEARER && this.chosen === null && !this.hits,
      found = afar ? store.branchesOf(BRANCHES) : [...regions.keys()].map((number) => [number]);
    if (afar && regions.has(-1)) found.push([-1]);
    return new Map(found.map((members) => [store.bySize(members)[0], members]));
  }

  tellMore(count) {
    if (count === this.unnamed) return;
    this.unnamed = count;
    this.more.hidden = !count;
    this.more.textContent = `${counted(count, "more name")} ${count === 1 ? "has" : "have"} room when you zoom in.`;
  }

  /** A line from the nearest end of a name into its group. */
  drawLine(paper, { number, from, box }) {
    const [x, y, ...end] = leader(box, from[0], from[1]),
      line = new Path2D(`M${x} ${y}L${end.join(" ")}`),
      spot = new Path2D();
    spot.arc(x, y, 3, 0, 7);
    Object.assign(paper, {
      globalAlpha: this.faint(number) ? 0.45 : 1,
      lineCap: "round",
      fillStyle: this.colour(number),
    });
    stroke(paper, line, this.ink.paper, 4);
    stroke(paper, line, this.colour(number), 1.6);
    paper.fill(spot);
    stroke(paper, spot, this.ink.paper, 1.5);
    paper.globalAlpha = 1;
  }

  faint(number) {
    return (this.chosen !== null && this.chosen !== number) || (this.counts && !this.counts.get(number));
  }

  drawName(paper, { number, text, x, y }) {
    Object.assign(paper, { globalAlpha: this.faint(number) ? 0.45 : 1, lineJoin: "round", lineWidth: 4 });
    Object.assign(paper, { strokeStyle: this.ink.paper, fillStyle: this.ink.ink });
    paper.strokeText(text, x, y);
    paper.fillText(text, x, y);
    paper.globalAlpha = 1;
  }

  drawChosen(paper) {
    const { camera, points, doc, ink } = this,
      ring = new Path2D();
    ring.arc(camera.toX(points.x[doc]), camera.toY(points.y[doc]), this.radius + 5, 0, 7);
    stroke(paper, ring, ink.paper, 5);
    stroke(paper, ring, ink.ink, 2);
  }

  at(px, py) {
    const x = px * this.ratio,
      y = py * this.ratio,
      reach = NEAR * this.ratio;
    let best = -1,
      least = reach * reach;
    for (let i = 0; i < this.px.length; i++) {
      const dx = this.px[i] - x,
        dy = this.py[i] - y,
        far = dx * dx + dy * dy;
      if (far < least && (this.hits === null || this.hits[i])) {
        least = far;
        best = i;
      }
    }
    return best;
  }

  /** Draw the line around documents, and choose them at its end. */
  drawLasso(line, ended = false) {
    const rows = ended ? this.inside(line) : [];
    this.element.querySelector("polygon")?.setAttribute("points", ended ? "" : line.join(" "));
    if (rows.length) this.lassoed(rows);
  }

  /** The documents inside a line around them, among the hits of a search. */
  inside(line) {
    const path = new Path2D(),
      paper = pen(this.ground),
      { points, camera, hits, chosen } = this;
    for (const [x, y] of line) path.lineTo(x, y);
    path.closePath();
    paper.setTransform(1, 0, 0, 1, 0, 0);
    const seen = (i) => (!hits || hits[i]) && (chosen === null || points.group[i] === chosen);
    return Array.from(points.x.keys()).filter(
      (i) => seen(i) && paper.isPointInPath(path, camera.toX(points.x[i]), camera.toY(points.y[i])),
    );
  }

  nameAt(px, py) {
    return this.placed.find(({ box: [l, t, r, b] }) => px >= l && px <= r && py >= t && py <= b);
  }

  regionAt(px, py) {
    const label = this.nameAt(px, py);
    if (label) return label.number;
    const paper = pen(this.ground),
      x = this.camera.fromX(px),
      y = this.camera.fromY(py);
    paper.setTransform(1, 0, 0, 1, 0, 0);
    return [...this.regions].find(([, { path }]) => paper.isPointInPath(path, x, y))?.[0] ?? null;
  }

  clicked(px, py) {
    const named = this.nameAt(px, py),
      doc = named ? -1 : this.at(px, py),
      inside = this.groupsOf.get(named?.number ?? NaN) ?? [];
    this.front.focus({ preventScroll: true });
    if (inside.length > 1) this.enter(inside);
    else if (doc >= 0) this.pick({ doc });
    else this.pick({ group: this.regionAt(px, py) });
  }

  /** Zoom in on a branch, so far that its groups are named. */
  enter(groups) {
    const places = groups.map((number) => this.regions.get(number)),
      [left, right] = ends(places.map(({ x }) => x)),
      [top, bottom] = ends(places.map(({ y }) => y)),
      size = Math.min(Math.max(right - left, bottom - top), (0.5 * Math.min(this.box.w, this.box.h)) / NEARER);
    this.camera.to((left + right) / 2, (top + bottom) / 2, Math.max(size, 0.1));
  }

  hover(event) {
    if (event.buttons) return this.tell(-1);
    const i = this.at(event.offsetX, event.offsetY);
    this.front.style.cursor = i >= 0 || this.regionAt(event.offsetX, event.offsetY) !== null ? "pointer" : "grab";
    this.tell(i, event.clientX, event.clientY);
  }
}

function Paper({ map }) {
  const label =
    `Map of ${map.store.n} documents. Arrow keys pan, plus and minus zoom, zero resets, Page Down and Page Up go from ` +
    "group to group, shift and drag chooses. The list has every document.";
  const tidy = () => {
    map.store.tidy();
    go({ tidy: "yes" }, { replace: true }); // so that a reload keeps it
  };
  const tool = (sign, title, run) =>
    html`<button class="tool" aria-label=${title.split(":")[0]} title=${title} onclick=${run}>${sign}</button>`;
  return html`<canvas aria-hidden="true" />
    <canvas tabindex="0" role="application" aria-label=${label} />
    <p class="more-names" hidden />
    <div class="tools">
      ${tool("+", "Zoom in", () => map.camera.by(1.6))} ${tool("\u2212", "Zoom out", () => map.camera.by(1 / 1.6))}
      ${tool("\u25a1", "Show all", () => map.camera.whole())}
      ${map.store.untidy && tool("\u2927", "Tidy the map: the parts of merged groups move together", tidy)}
    </div>
    <svg class="lasso"><polygon /></svg>`;
}

const ends = (values) => [Math.min(...values), Math.max(...values)];

function bounds({ x, y }) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    left = Math.min(left, x[i]);
    right = Math.max(right, x[i]);
    top = Math.min(top, y[i]);
    bottom = Math.max(bottom, y[i]);
  }
  const pad = 2 * Math.min(0.3, 2.2 / Math.sqrt(x.length)); // wider margin with fewer documents
  const w = Math.max(right - left, 0.2) * 1.06 + pad,
    h = Math.max(bottom - top, 0.2) * 1.06 + pad;
  return { cx: (left + right) / 2, cy: (top + bottom) / 2, w, h, side: Math.max(w, h) };
}
