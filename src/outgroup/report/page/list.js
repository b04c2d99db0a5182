// A virtual list: only visible rows have elements.
import { html } from "./html.js";
import { Component } from "./vendor/preact.mjs";

/** Rows of one height in a scrolling box; `item(row, position)` draws one. `read(rows)` returns a promise for rows that
 *  must be fetched, else null. The box begins at its top for another `list`; position `at` is kept in sight. */
export class VirtualList extends Component {
  constructor(props) {
    super(props);
    this.range = [0, 0];
    /** @type {HTMLElement | null} */
    this.box = null;
    this.observer = new ResizeObserver(() => this.forceUpdate());
  }

  componentDidMount() {
    if (this.box) this.observer.observe(this.box);
    this.reveal();
    this.fetch();
  }

  componentDidUpdate({ list, at }) {
    if (list !== this.props.list && this.box) this.box.scrollTop = 0;
    if (list !== this.props.list || at !== this.props.at) this.reveal();
    this.fetch();
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  fetch() {
    const { read, rows } = this.props;
    read(rows.slice(...this.range))?.then(() => this.forceUpdate());
  }

  reveal() {
    const { box, props } = this,
      top = props.at * props.height;
    if (!box || top < 0) return;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + props.height > box.scrollTop + box.clientHeight)
      box.scrollTop = top + props.height - box.clientHeight;
  }

  /** The first position in sight and the one after the last, with some rows around. */
  sight() {
    const { rows, height } = this.props,
      first = Math.max(0, Math.floor((this.box?.scrollTop ?? 0) / height) - 4);
    return [first, Math.min(rows.length, first + Math.ceil((this.box?.clientHeight || 600) / height) + 9)];
  }

  render({ label, rows, height, item }) {
    this.range = this.sight();
    const [first, last] = this.range,
      scrolled = () => String(this.sight()) !== String(this.range) && this.forceUpdate(),
      keep = (box) => {
        this.box = box;
      };
    return html`<div class="rows" tabindex="-1" style=${{ "--row": `${height}px` }} onscroll=${scrolled} ref=${keep}>
      <ol class="virtual" aria-label=${label} style=${{ height: `${rows.length * height}px` }}>
        ${rows.slice(first, last).map((row, i) => {
          const at = first + i;
          return html`<li
            key=${row} class="choosable" style=${{ top: `${at * height}px` }}
            aria-setsize=${rows.length} aria-posinset=${at + 1}>${item(row, at)}</li>`;
        })}
      </ol>
    </div>`;
  }
}
