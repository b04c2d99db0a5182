// The slider from few groups to many: names, colours, map and lists follow it, and a button makes it a decision.
import { level } from "./decisions.js";
import { counted, figure, settled } from "./dom.js";
import { html } from "./html.js";
import { go } from "./route.js";
import { Component } from "./vendor/preact.mjs";

/** Show so many groups. */
const toLevel = (store, count) => go({ level: count === store.usual ? null : count }, { replace: true });

/** The number of groups, with the suggested numbers and their reasons. `asked` is the number that the slider asks for,
 *  until it rests. */
export class Levels extends Component {
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
