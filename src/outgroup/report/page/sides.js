// Two versions side by side: figures, groups, and moved documents.
import { counted, figure } from "./dom.js";
import { html } from "./html.js";
import { ask } from "./live.js";
import { DocumentName, Group, GroupLink, short } from "./pieces.js";
import { go } from "./route.js";
import { Component } from "./vendor/preact.mjs";
import { called, cameFrom, when } from "./versions.js";

const TITLE = 60;

/** The versions compared: those of the address, or the current version and the one before. */
function pairOf({ route, store: { state } }) {
  const { versions, version } = state,
    there = (given) => (Number(given) >= 1 && Number(given) <= versions.length ? Number(given) : undefined),
    after = there(route.after) ?? version,
    before = there(route.before) ?? (after > 1 ? after - 1 : versions.length > 1 ? after + 1 : undefined);
  return before === after ? [after > 1 ? after - 1 : there(after + 1), after] : [before, after];
}

/** The middle column's comparison of two versions: `found` is the answer of the server, or `wrong` its error. */
export class Sides extends Component {
  constructor(props) {
    super(props);
    this.state = { found: null, wrong: "" };
    this.key = "";
  }

  componentDidMount() {
    this.fetch();
  }
  componentDidUpdate() {
    this.fetch();
  }

  /** Compare the pair of the address, unless that is done. */
  async fetch() {
    const { ctx } = this.props,
      [before, after] = pairOf(ctx),
      key = `${before}|${after}|${ctx.store.taken}`;
    if (before === undefined || key === this.key) return;
    this.key = key;
    this.setState({ found: null, wrong: "" });
    const compare = async () => {
      const found = await ask(`compare?before=${before}&after=${after}`);
      await ctx.store.meet(found.ways.flatMap(({ such }) => such));
      return { found };
    };
    const answer = await compare().catch(({ message }) => ({ wrong: message }));
    if (this.key === key) this.setState(answer);
  }

  render({ ctx }, { found, wrong }) {
    const { versions } = ctx.store.state,
      pair = pairOf(ctx),
      [before, after] = pair;
    if (before === undefined)
      return html`<${Frame}><p class="soft">There is only one version. The next decision creates another.</p><//>`;
    const groups = () => html`<h3>${found.sentence}</h3>
      <${Ways} key=${this.key} ctx=${ctx} found=${found} />
      <h3>Groups of both</h3>
      <${Both} ctx=${ctx} groups=${found.groups} pair=${pair} />`;
    return html`<${Frame}>
      <div class="pair">
        <${Pick} ctx=${ctx} name="before" label="First version" chosen=${before} other=${after} />
        <${Pick} ctx=${ctx} name="after" label="Second version" chosen=${after} other=${before} />
      </div>
      <div class="pair">${pair.map((number) => html`<${Side} ctx=${ctx} version=${versions[number - 1]} />`)}</div>
      ${found ? groups() : html`<p class="soft">${wrong || "Comparing \u2026"}</p>`}
    <//>`;
  }
}

const Frame = ({ children }) =>
  html`<div class="compare scrolls" tabindex="0" role="region" aria-label="Two versions side by side">${children}</div>`;

function Pick({ ctx, name, label, chosen, other }) {
  const others = ctx.store.state.versions.filter(({ number }) => number !== other).reverse(),
    option = (each) =>
      html`<option key=${each.number} value=${each.number} selected=${each.number === chosen}>${short(called(each), 40)}</option>`;
  return html`<select aria-label=${label} onchange=${(event) => go({ [name]: Number(event.target.value) })}>
    ${others.map(option)}
  </select>`;
}

/** One version: name, time, origin and figures. */
function Side({ ctx, version }) {
  const { number, name, made, groups, away, decisions, quality } = version;
  const rows = [
    ["groups", figure(groups)],
    ["decisions", figure(decisions)],
    ["in no group", figure(away)],
    ...Object.entries(quality ?? {}).map(([key, value]) => [key.toUpperCase(), figure(value, 3)]),
  ];
  return html`<div>
    <p>
      <b>Version ${number}</b>${number === ctx.store.state.version && " (here)"}${name && html` <bdi class="called">${name}</bdi>`}
    </p>
    <p class="soft">${[made && when(made), cameFrom(version)].filter(Boolean).join(", ")}</p>
    <dl class="facts">${rows.map(([term, value]) => html`<dt>${term}</dt><dd class="num">${value}</dd>`)}</dl>
  </div>`;
}

/** The pairs of groups between which documents moved, and the documents: the first of a pair, or all after a click. */
class Ways extends Component {
  constructor(props) {
    super(props);
    this.state = {};
  }

  async all({ before, after }) {
    const { ctx } = this.props,
      [first, second] = pairOf(ctx);
    try {
      const ids = await ask(`moved?before=${first}&after=${second}&left=${before}&joined=${after}`);
      await ctx.store.meet(ids);
      this.setState({ [`${before}|${after}`]: ids });
    } catch (error) {
      ctx.tell(error.message);
    }
  }

  documents(way) {
    const { store } = this.props.ctx,
      { before, after, count, such } = way,
      all = this.state[`${before}|${after}`],
      ids = (all ?? such).filter((id) => store.rowOf(id) >= 0),
      more = `and ${figure(count - ids.length)} more`;
    const rest = all
      ? html`<span class="soft">${more}</span>`
      : html`<button class="copy" aria-label="${more} from ${store.code(before)} to ${store.code(after)}" onclick=${() => this.all(way)}>${more}</button>`;
    return html`<ul class="such">
      ${ids.map((id) => html`<li><${DocumentName} ctx=${this.props.ctx} id=${id} most=${TITLE} /></li>`)}
      ${count > ids.length && html`<li>${rest}</li>`}
    </ul>`;
  }

  render({ found: { ways, n_ways: count, groups } }) {
    if (!ways.length) return html`<p class="soft">No document moved.</p>`;
    const names = new Map(groups.map(({ number, names: two }) => [number, two])),
      name = (number, i) => html`<${Named} ctx=${this.props.ctx} group=${number} name=${names.get(number)?.[i]} />`;
    return html`<ol class="ways">
      ${ways.map(
        (way) => html`<li>
          <p>${counted(way.count, "document")} from ${name(way.before, 0)} to ${name(way.after, 1)}</p>
          ${this.documents(way)}
        </li>`,
      )}
      ${count > ways.length && html`<li class="soft">and ${counted(count - ways.length, "pair")} of groups more</li>`}
    </ol>`;
  }
}

/** A group with its name in a version. */
const Named = ({ ctx, group, name }) =>
  html`<span class="group-link"><${Group} ctx=${ctx} group=${group} name=${group < 0 ? "no group" : name} /></span>`;

/** The groups of both versions, those that changed most first. */
function Both({ ctx, groups, pair }) {
  const cell = ({ number, names, sizes }, i) => {
    const name =
      pair[i] === ctx.store.state.version
        ? html`<${GroupLink} ctx=${ctx} group=${number} changes=${{ view: "map" }} />`
        : html`<${Named} ctx=${ctx} group=${number} name=${names[i]} />`;
    const size = html`<span class="num soft"> ${figure(sizes[i])}</span>`;
    return html`<td>${names[i] === null ? html`<span class="soft">\u2013</span>` : [name, size]}</td>`;
  };
  const rows = [...groups].sort((a, b) => b.joined + b.left - a.joined - a.left || a.number - b.number),
    moved = ({ joined, left }) =>
      [joined && `+${figure(joined)}`, left && `\u2212${figure(left)}`].filter(Boolean).join(" ");
  return html`<table class="plain">
    <thead>
      <tr>
        ${pair.map((number) => html`<th scope="col">Version ${number}</th>`)}
        <th scope="col" class="r">came, left</th>
      </tr>
    </thead>
    <tbody>${rows.map((each) => html`<tr>${cell(each, 0)}${cell(each, 1)}<td class="r">${moved(each)}</td></tr>`)}</tbody>
  </table>`;
}
