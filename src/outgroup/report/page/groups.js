// The list of groups, always in view, and the slider from few to many, which names, colours, map and lists follow.
import { level } from "./decisions.js";
import { counted, figure, settled } from "./dom.js";
import { html } from "./html.js";
import { Meter, Trust, tone } from "./pieces.js";
import { go, href } from "./route.js";
import { TRUST } from "./store.js";
import { Component } from "./vendor/preact.mjs";

const LARGEST = "largest first",
  NUMBER = "by number",
  LIKENESS = "by likeness",
  BY_TRUST = "by trust";

export class Groups extends Component {
  constructor(props) {
    super(props);
    this.state = { order: LARGEST };
    this.figures = new Map();
  }

  render({ ctx }, { order }) {
    const { store, found, route } = ctx,
      known = store.fields.includes(TRUST),
      orders = [LARGEST, NUMBER, LIKENESS, ...(known ? [BY_TRUST] : [])],
      count = (number) => (found ? found.groups : store.sizes()).get(number) ?? 0,
      most = Math.max(1, ...store.summary.groups.map(({ number }) => count(number)));
    // new groups keep their places until their trust is known
    if (known) this.figures = new Map(store.summary.groups.map(({ number, figures }) => [number, figures]));
    const entry = (number) => {
      const sign = html`<${Sign} ctx=${ctx} number=${number} word=${this.figures.get(number)?.word} />`;
      return html`<${Entry} key=${number} ctx=${ctx} number=${number} count=${count(number)} most=${most} sign=${sign} />`;
    };
    return html`<div class="head">
        <h2>Groups</h2>
        <select aria-label="Order of the groups" onchange=${(event) => this.setState({ order: event.target.value })}>
          ${orders.map((each) => html`<option selected=${each === order}>${each}</option>`)}
        </select>
      </div>
      <${Levels} ctx=${ctx} />
      <div class="group-list">
        <ol>
          <li key="all">
            <a class="entry all" href=${href({ group: null, doc: null })} aria-current=${route.group === null || null}>
              <span class="what">${found ? "All hits" : "All documents"}</span>
              <span class="num">${figure(found ? found.total : store.n)}</span>
            </a>
          </li>
          ${this.numbers(order, count).map(entry)}
          ${store.sizes().get(-1) && entry(-1)}
        </ol>
      </div>`;
  }

  numbers(order, count) {
    const { store } = this.props.ctx,
      numbers = store.groups.map(({ number }) => number),
      score = (number) => this.figures.get(number)?.score ?? -1;
    if (order === LIKENESS) return [...new Set([...store.branchesOf(1).flat(), ...numbers])]; // empty ones last
    if (order === BY_TRUST) return numbers.sort((a, b) => score(b) - score(a) || a - b);
    if (order === NUMBER) return numbers.sort((a, b) => store.code(a) - store.code(b));
    return numbers.sort((a, b) => count(b) - count(a) || a - b);
  }
}

/** The cell after a group: its merge target, or its trust; a placeholder until that is known keeps the layout stable. */
function Sign({ ctx, number, word }) {
  const { effects, trustFollows, summary } = ctx.store,
    merged = effects.merged.get(number);
  if (merged !== undefined) return html`<span class="sign">\u2192 ${ctx.store.code(merged)}</span>`;
  if (effects.done.has(number)) return html`<span class="sign" title="No fit moves its documents">done</span>`;
  if (effects.split.has(number)) return html`<span class="sign">split</span>`;
  if (!summary.groups[number]) return null;
  if (trustFollows) return html`<span class="sign" title="Trust is still being measured">\u2026</span>`;
  return html`<${Trust} ctx=${ctx} trust=${word} />`;
}

function Entry({ ctx, number, count, most, sign }) {
  const { store, route, found } = ctx;
  return html`<li>
    <a
      class="entry ${tone(number)} ${found && !count ? "none" : ""}" style=${ctx.tint(-1, number)}
      href=${href({ group: number, doc: null })} aria-current=${route.group === number || null} data-group=${number}>
      <span class="what">
        <span class="spot ${number < 0 ? "out" : ""}" />
        ${number >= 0 && html`<span class="n">${store.code(number)}</span> `}<bdi>${store.name(number)}</bdi>
      </span>
      <span class="num">${figure(count)}</span>
      <${Meter} share=${count / most} />
      ${sign}
    </a>
  </li>`;
}

const toLevel = (store, count) => go({ level: count === store.usual ? null : count }, { replace: true });

/** The number of groups, with the suggested numbers and their reasons. `asked` is the number that the slider asks for,
 *  until it rests. */
class Levels extends Component {
  constructor(props) {
    super(props);
    this.state = { asked: null };
    this.rest = settled(() => {
      toLevel(this.props.ctx.store, this.state.asked);
      this.setState({ asked: null });
    }, 40);
  }

  ask(asked) {
    this.setState({ asked });
    this.rest();
  }

  render({ ctx: { store } }, { asked }) {
    const { level: count, usual, finest, fixed } = store,
      suggested = store.summary.suggested.filter(([each]) => each <= finest),
      why = suggested.find(([each]) => each === count)?.[1];
    if (finest < 2) return null;
    const suggestion = ([each, title]) =>
      html`<button title=${title} aria-pressed=${each === count} onclick=${() => this.ask(each)}>${figure(each)}</button>`;
    return html`<div class="levels">
      <label for="level">Number of groups <output for="level">${figure(asked ?? count)}</output></label>
      <span class="ends">
        <span>few</span>
        <input
          type="range" id="level" min="1" max=${finest} value=${asked ?? count} aria-describedby="level-reason"
          oninput=${(event) => this.ask(Number(event.target.value))} />
        <span>many</span>
      </span>
      <p class="suggested" role="group" aria-label="Suggested numbers of groups">
        ${suggested.length > 0 && html`<span>suggested</span>`}${suggested.map(suggestion)}
      </p>
      <p id="level-reason" class="soft">${why && html`<bdi>${why}</bdi>`}</p>
      <p class="corrections" hidden=${count === usual}>
        <button
          disabled=${Boolean(fixed)} title=${fixed || "One decision; undo takes it back"}
          onclick=${() => store.decide(level(count))}>Keep ${counted(count, "group")}</button>
        <button onclick=${() => toLevel(store, usual)}>Back to ${usual}</button>
      </p>
    </div>`;
  }
}
