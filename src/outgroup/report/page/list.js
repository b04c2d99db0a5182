// A virtual list: only visible rows have elements.
import { el, refill } from "./dom.js";

/** Rows of one height in a scrolling box. `draw(row, position)` makes a row; `show(rows)` fills the box from its top
 *  or from the current position. `read(rows)` returns a promise for rows that must be fetched, else null. */
export class VirtualList {
  constructor(label, height, draw, read) {
    this.height = height;
    this.draw = draw;
    this.read = read;
    this.rows = [];
    this.first = -1;
    this.last = -1;
    this.space = el("ol", { class: "virtual", "aria-label": label });
    this.box = el("div", { class: "rows", tabindex: "-1", on: { scroll: () => this.update() } }, this.space);
    new ResizeObserver(() => this.update()).observe(this.box);
  }

  show(rows, { top = true } = {}) {
    this.rows = rows;
    this.space.style.height = `${rows.length * this.height}px`;
    if (top) this.box.scrollTop = 0;
    this.redraw();
  }

  redraw() {
    this.first = this.last = -1;
    this.update();
  }

  update() {
    const room = this.box.clientHeight || 600,
      first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 4);
    const last = Math.min(this.rows.length, first + Math.ceil(room / this.height) + 9);
    if (first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    const shown = this.rows.slice(first, last),
      coming = this.read(shown);
    refill(this.space, ...shown.map((row, at) => this.item(row, first + at)));
    coming?.then(() => {
      if (this.first === first && this.last === last) this.redraw();
    });
  }

  item(row, position) {
    const made = this.draw(row, position);
    made.style.top = `${position * this.height}px`;
    made.setAttribute("aria-setsize", this.rows.length);
    made.setAttribute("aria-posinset", position + 1);
    return made;
  }

  /** Scroll to a position. */
  reveal(position) {
    const top = position * this.height,
      { scrollTop, clientHeight } = this.box;
    if (top < scrollTop) this.box.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) this.box.scrollTop = top + this.height - clientHeight;
  }
}
