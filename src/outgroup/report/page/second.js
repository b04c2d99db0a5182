// The chat model as a second person: ask it, check some of its answers, take its decisions back.
import { choose } from "./dialog.js";
import { counted, figure, once } from "./dom.js";
import { html } from "./html.js";
import { ask } from "./live.js";
import { Component } from "./vendor/preact.mjs";

const KEYS = { one: "y", two: "n", "off-topic": "x", "cannot tell": "c" };

/** The answers of the model, what they proved, and the buttons; `given` has the answers of the person to questions that
 *  the model answered, too. */
export class Second extends Component {
  constructor(props) {
    super(props);
    /** @type {Record<string, string>} */
    this.given = props.ctx.questions.given;
  }

  /** Let the model answer, after a yes: texts leave the machine. */
  async start({ sent }) {
    const options = [
      { value: "yes", label: "Send them", key: "y" },
      { value: null, label: "Send nothing", key: "n" },
    ];
    if (await choose("Let the model answer", options, { about: html`<p>${sent}</p>` })) this.send("ask_model", {});
  }

  async send(name, body) {
    if (await this.props.ctx.store.send(name, body)) return; // the server refused: the answers stay
    for (const key of Object.keys(this.given)) delete this.given[key];
    this.forceUpdate();
  }

  /** Ask the person some of the questions that the model answered, without its answers. */
  async check() {
    const { store } = this.props.ctx;
    for (const { key, shown: question, answers } of await ask("checks")) {
      if (this.given[key]) continue;
      const options = answers.map((answer) => {
        const group = /^\d+$/.test(answer) ? Number(answer) : null,
          typed = group === null ? answer : String(store.code(group));
        return {
          value: answer,
          label: group === null ? answer : store.called(group),
          key: KEYS[answer] ?? (typed.length === 1 ? typed : null),
        };
      });
      const lines = question
          .replace(/^Group (\d+):/gm, (_, group) => `Group ${store.code(Number(group))}:`)
          .split("\n"),
        about = html`<div class="text left-out" dir="auto">${lines.slice(0, -1).join("\n")}</div>`,
        answer = await choose(lines.at(-1), options, { about });
      if (answer === null) return this.forceUpdate();
      this.given[key] = answer;
    }
    this.use();
  }

  use() {
    this.send("use_answers", { answers: { ...this.given } });
  }

  render({ ctx: { store } }) {
    const { model } = store.state,
      own = store.decisions.filter(({ source }) => source === "model").length,
      given = Object.keys(this.given).length,
      press = (label, run) => html`<button class="copy" onclick=${once(run)}>${label}</button>`,
      undo =
        own > 0 &&
        press(`Undo the ${counted(own, "answer")} of the model`, () => store.send("undo", { source: "model" }));
    if (!model || store.rough) return undo && html`<p class="answers">${undo}</p>`;
    const { asking, answered, questions, cannot_tell: none, tokens, error, proved } = model,
      count =
        `${model.model} answered ${figure(answered)} of ${counted(questions, "question")}, ${figure(none)} with ` +
        `\u201ccannot tell\u201d (${counted(tokens, "token")})`,
      rest = ". Answer some of them yourself: its other answers count where they prove better than the groups.",
      progress = asking && !questions ? "Looking for questions \u2026" : questions > 0 && count + (asking ? "" : rest);
    const actions = asking
      ? press("Stop", () => store.send("stop_model", {}))
      : [
          answered > 0 && press(given ? "Go on with the check" : "Check them \u2026", () => this.check()),
          given > 0 && press(`Use ${counted(given, "checked answer")}`, () => this.use()),
          press("Let the model answer \u2026", () => this.start(model)),
        ];
    return html`<div role="status">
        ${[error, progress, ...proved].filter(Boolean).map((line) => html`<p class="soft" dir="auto">${line}</p>`)}
      </div>
      <p class="answers">${actions}${undo}</p>`;
  }
}
