// Dialogs: choose an option by key, click or typing, or enter a line of text. Return a promise of the answer, or null.
import { figure, once } from "./dom.js";
import { draw, html } from "./html.js";
import { Component } from "./vendor/preact.mjs";

const OPTIONS = 200,
  STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** Open the dialog `content(end)`, until it calls `end` with the answer. */
function open(content) {
  const place = document.createElement("div"),
    over = new AbortController();
  return new Promise((answer) => {
    // A closed dialog keeps the focus for a moment and would swallow the next key, so it goes at once.
    const end = (given = null) => {
      answer(given);
      over.abort();
      place.querySelector("dialog")?.close();
      draw(null, place);
      place.remove();
    };
    addEventListener("hashchange", () => end(), { signal: over.signal }); // navigation ends the question
    document.body.append(place);
    draw(content(end), place);
  });
}

/** The frame of a dialog; a button, Escape and a click outside end it. */
function Dialog({ title, end, pressed = (_event) => {}, children }) {
  const key = (event) => {
    event.stopPropagation();
    if (event.key !== "Escape") return pressed(event);
    event.preventDefault();
    end();
  };
  const clicked = once((event) => event.target === event.currentTarget && end());
  return html`<dialog
    class="ask" aria-label=${title} onkeydown=${key} onclick=${clicked} onclose=${() => end()}
    ref=${(box) => box?.open || box?.showModal()}>
    <div class="asked">
      <h2>${title}</h2>
      <button class="copy" onclick=${() => end()}>Close <kbd>Esc</kbd></button>
    </div>
    ${children}
  </dialog>`;
}

/** Choose among options [{ value, label, key?, note?, tone? }]: by one key if all have one, else, or with `find`, by
 *  typing and Enter. `about` is content above them. */
export const choose = (title, options, { typed = "", find = false, about = /** @type {unknown} */ (null) } = {}) =>
  open(
    (end) =>
      html`<${Choice} title=${title} options=${options} typed=${typed} find=${find} about=${about} end=${end} />`,
  );

class Choice extends Component {
  constructor(props) {
    super(props);
    this.state = { typed: props.typed };
    this.keyed = props.options.every(({ key }) => key);
    this.box = { current: document.body };
  }

  componentDidMount() {
    const input = this.box.current.querySelector("input"),
      byTouch = matchMedia("(pointer: coarse)").matches; // an on-screen keyboard would cover the options
    if (!input || (this.keyed && byTouch)) return this.box.current.querySelector("button")?.focus();
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }

  /** The options with all typed words: an equal number first, then those that begin with what is typed. */
  fitting() {
    const typed = this.state.typed.trim().toLowerCase(),
      words = typed.split(/\s+/),
      rank = ({ label }) => (label.startsWith(`${typed} `) ? 0 : label.startsWith(typed) ? 1 : 2);
    return this.props.options
      .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
      .sort((a, b) => rank(a) - rank(b));
  }

  pressed(event) {
    const { options, end } = this.props,
      chord = event.ctrlKey || event.altKey || event.metaKey,
      byKey = !chord && !this.state.typed && options.find(({ key }) => key && key === event.key),
      first = event.key === "Enter" && event.target.matches("input") && this.fitting()[0],
      chosen = byKey || first,
      step = STEPS[event.key];
    if (chosen || step) event.preventDefault();
    if (chosen) return end(chosen.value);
    if (!step) return;
    const stops = [...this.box.current.querySelectorAll("input, button")],
      at = stops.indexOf(event.target) + step;
    /** @type {HTMLElement} */ (stops[Math.max(0, Math.min(stops.length - 1, at))]).focus();
  }

  render({ title, options, find, about, end }, { typed }) {
    const fitting = this.fitting().slice(0, OPTIONS),
      line = (option, i) => {
        const sign = option.key && !typed ? option.key : i ? null : "Enter";
        return html`<li key=${options.indexOf(option)}><${Option} ...${option} sign=${sign} run=${() => end(option.value)} /></li>`;
      };
    return html`<${Dialog} title=${title} end=${end} pressed=${(event) => this.pressed(event)}>
      ${about}
      <div ref=${this.box}>
        ${
          (find || !this.keyed) &&
          html`<input
          type="search" aria-label="Narrow down" placeholder="Type to narrow down, then Enter" autocomplete="off"
          value=${typed} oninput=${(event) => this.setState({ typed: event.target.value })} />`
        }
        <ul class="options">${fitting.length ? fitting.map(line) : html`<li class="soft">No match.</li>`}</ul>
      </div>
    <//>`;
  }
}

const Option = ({ label, sign, note, tone, run }) =>
  html`<button onclick=${once(run)}>
    ${tone && html`<span class="spot ${tone}" />`}<span class="label" dir="auto">${label}</span>
    ${note && html`<span class="soft">${note}</span>`}${sign && html`<kbd>${sign}</kbd>`}
  </button>`;

/** Show what a decision would move: the number, examples, and the estimate of right labels, if there is one. Return a
 *  promise of "yes", "alone" or null. */
export function preview({ count, sentence, examples, right, alone }) {
  const percent = (share) => `${Math.round(100 * share)}%`,
    some = examples.length < count ? `; here are ${examples.length}` : "",
    options = [
      { value: "yes", label: "Yes, move them", key: "y" },
      alone && { value: "alone", label: "Only the chosen ones", key: "1" },
      { value: null, label: "No, leave all as it is", key: "n" },
    ].filter(Boolean),
    example = ({ title, text, from, to }) =>
      html`<li><span class="soft">${from} \u2192 ${to} </span><bdi>${(title || text).slice(0, 90)}</bdi></li>`,
    drawn = right && `Of ${figure(right[0])} labelled documents drawn at random, ${percent(right[1])} are right now; `,
    about = html`${right && html`<p>${drawn}an estimated ${percent(right[2])} after.</p>`}
      <ul class="examples">${examples.map(example)}</ul>`;
  return choose(`${sentence}${some}`, options, { about });
}

/** Ask for one line of text; `wrong` returns the reason that it is not valid, or "". */
export const ask = (title, { value = "", button = "Save", wrong = /** @returns {string} */ (_text) => "" } = {}) =>
  open((end) => html`<${Line} title=${title} value=${value} button=${button} wrong=${wrong} end=${end} />`);

class Line extends Component {
  constructor(props) {
    super(props);
    this.state = { mistake: "" };
    this.input = { current: /** @type {HTMLInputElement | null} */ (null) };
  }

  componentDidMount() {
    this.input.current?.focus();
    this.input.current?.select();
  }

  render({ title, value, button, wrong, end }, { mistake }) {
    const submitted = (event) => {
      event.preventDefault();
      const text = this.input.current?.value ?? "";
      if (wrong(text)) this.setState({ mistake: wrong(text) });
      else end(text.trim());
    };
    return html`<${Dialog} title=${title} end=${end}>
      <form onsubmit=${submitted}>
        <input type="text" aria-label=${title} defaultValue=${value} autocomplete="off" ref=${this.input} />
        <p class="wrong" role="alert">${mistake}</p>
        <button class="main">${button}</button>
      </form>
    <//>`;
  }
}

export function help(keys) {
  const line = ([key, what]) =>
    html`<dt>${key.split(" ").map((part) => html`<kbd>${part}</kbd>`)}</dt><dd>${what}</dd>`;
  return open((end) => html`<${Dialog} title="Keys" end=${end}><dl class="keys">${keys.map(line)}</dl><//>`);
}
