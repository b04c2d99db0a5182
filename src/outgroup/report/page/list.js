// A virtual list: only visible rows have elements.
import { html } from "./html.js";
import { Component } from "./vendor/preact.mjs";

/** Rows of one height in a scrolling box; `item(row, position)` draws one. `read(rows)` returns a promise for rows that
 *  must be fetched, else null. The box begins at its top for another `list`; position `at` is kept in sight. */
export class VirtualList extends Component {
  constructor(props) {
    super(props);
    this.range = [0, 0];
    this.box = { current: /** @type {HTMLElement | null} */ (null) };
    this.observer = new ResizeObserver(() => this.forceUpdate());
  }

  componentDidMount() {
    if (this.box.current) this.observer.observe(this.box.current);
    this.reveal();
    this.fetch();
  }

  componentDidUpdate({ list, at }) {
    if (list !== this.props.list && this.box.current) this.box.current.scrollTop = 0;
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
    const { current: box } = this.box,
      { at, height } = this.props;
    if (box && at >= 0)
      box.scrollTop = Math.max((at + 1) * height - box.clientHeight, Math.min(at * height, box.scrollTop));
  }

  /** The first position in sight and the one after the last, with some rows around. */
  sight() {
    const { rows, height } = this.props,
      { scrollTop = 0, clientHeight = 0 } = this.box.current ?? {},
      first = Math.max(0, Math.floor(scrollTop / height) - 4);
    return [first, Math.min(rows.length, first + Math.ceil((clientHeight || 600) / height) + 9)];
  }

  render({ label, rows, height, item }) {
    this.range = this.sight();
    const [first, last] = this.range,
      scrolled = () => String(this.sight()) !== String(this.range) && this.forceUpdate();
    const line = (row, i) => html`<li
      key=${row} class="choosable" style=${{ top: `${(first + i) * height}px` }}
      aria-setsize=${rows.length} aria-posinset=${first + i + 1}>${item(row, first + i)}</li>`;
    return html`<div class="rows" tabindex="-1" style=${{ "--row": `${height}px` }} onscroll=${scrolled} ref=${this.box}>
      <ol class="virtual" aria-label=${label} style=${{ height: `${rows.length * height}px` }}>
        ${rows.slice(first, last).map(line)}
      </ol>
    </div>`;
  }
}
