// The search box, the column filter, and the choice of colours.
import { settled } from "./dom.js";
import { html } from "./html.js";
import { go } from "./route.js";
import { Component } from "./vendor/preact.mjs";

const VALUES = 200;

const search = settled((q) => go({ q, doc: null }, { replace: true }), 160);

/** The bar above the columns. */
export function Finder({ ctx }) {
  const { store, route, by } = ctx,
    typed = (event) => search(event.target.value),
    typing = document.activeElement?.id === "q"; // what is typed stays
  return html`<div class="finder" role="search">
    <input
      type="search" id="q" placeholder="Search words, or \u201cexact text\u201d" aria-label="Search documents"
      title="All words; \u201cexact text\u201d; OR between words, NOT before a word" autocomplete="off"
      spellcheck=${false} oninput=${typed} onsearch=${typed} value=${typing ? undefined : route.q} />
    <${Filter} ctx=${ctx} />
    <select aria-label="Colour of the dots" onchange=${(event) => ctx.colour(event.target.value)}>
      ${["group", "neighbourhood", "sureness", ...store.fields].map(
        (name) => html`<option value=${name} selected=${name === by}>colour by ${name}</option>`,
      )}
    </select>
  </div>`;
}

/** The values of the columns to filter by; trust comes later. */
class Filter extends Component {
  constructor(props) {
    super(props);
    /** @type {{ columns: [string, string[]][] }} */
    this.state = { columns: [] };
    this.fields = "";
  }

  componentDidMount() {
    this.fetch();
  }
  componentDidUpdate() {
    this.fetch();
  }

  async fetch() {
    const { store } = this.props.ctx,
      { fields } = store;
    if (String(fields) === this.fields) return;
    this.fields = String(fields);
    const all = await Promise.all(fields.map(async (name) => [name, (await store.field(name)).values]));
    this.setState({ columns: all.filter(([, values]) => values.length > 1 && values.length <= store.n / 2 + 2) });
  }

  render({ ctx: { route } }, { columns }) {
    const { field, value } = route,
      listed = columns.map(([name, values]) => [name, values.filter(Boolean).slice(0, VALUES)]),
      lone = field && !listed.some(([name, values]) => name === field && values.includes(value));
    if (!listed.length && !lone) return null;
    const chosen = (event) => {
      const [name, wanted] = event.target.value ? JSON.parse(event.target.value) : ["", ""];
      go({ field: name, value: wanted, doc: null });
    };
    const option = (name, each) =>
      html`<option value=${JSON.stringify([name, each])} selected=${name === field && each === value}>${each.slice(0, 60)}</option>`;
    return html`<select aria-label="Filter" onchange=${chosen}>
      <option value="" selected=${!field}>all documents</option>
      ${listed.map(([name, values]) => html`<optgroup label=${name}>${values.map((each) => option(name, each))}</optgroup>`)}
      ${lone && option(field, value)}
    </select>`;
  }
}
