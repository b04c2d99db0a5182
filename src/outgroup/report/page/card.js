// The card above the selection: the question, and the last decision.
import { merge, notAGroup, split } from "./decisions.js";
import { counted, keep, once } from "./dom.js";
import { html } from "./html.js";
import { LastDecision } from "./outcomes.js";
import { below, Decider, DocumentName, GroupLink, halves, short, tone } from "./pieces.js";
import { apart, EXAMPLES, nameOf, STAY } from "./questions.js";
import { href } from "./route.js";

const WORDS = 4; // of a group

const SEVERAL = { new: ["a new group", "not a group"], pocket: ["junk", "not junk"] };

/** The question about the selection, else the next one, and below it the last decision. */
export function Card({ ctx }) {
  const { questions, store } = ctx,
    question = questions.current(),
    wrong = store.away || (store.state.error && !store.state.busy);
  const stay = ({ target }) => {
    questions.stay = target.checked;
    keep(STAY, target.checked);
  };
  const next = html`<p class="answers">
      <button class="copy" onclick=${once(() => questions.first())}>Next question <kbd>o</kbd></button>
    </p>`,
    ask = question
      ? html`<${Question} key=${nameOf(question)} ctx=${ctx} question=${question} />`
      : questions.open().length > 0 && next,
    progress = html`<p class="progress">
        <span>${questions.progress()}</span>
        <label><input type="checkbox" checked=${questions.stay} onchange=${stay} /> stay after an answer</label>
      </p>
      ${ask}`;
  return html`<section class="question ${question || wrong ? "" : "idle"}" aria-label="Question">
    ${wrong ? html`<${Trouble} store=${store} />` : progress}
    <div class="last" role="status"><${LastDecision} ctx=${ctx} /></div>
  </section>`;
}

function Trouble({ store: { away, stranger, state } }) {
  const gone = stranger
    ? "The workbench was restarted and does not know this page: open the address that it printed in this browser; " +
      "this page then continues."
    : "The workbench ended or cannot be reached. Run its command again and open the address that it prints: " +
      "--project keeps every saved decision.";
  return html`<p class="gone" role="alert" dir="auto">${away ? gone : state.error}</p>`;
}

/** A question in the card: its subject, unless it is open below, and its answers. */
function Question({ ctx, question }) {
  const { questions, store } = ctx,
    { id, group, rival, kind } = question,
    answers = html`<${Answers} ctx=${ctx} question=${question} />`;
  if (kind === "typical")
    return html`${[group, rival].map((number) => html`<${Typical} ctx=${ctx} number=${number} />`)}${answers}`;
  if (apart(question) || questions.here()) return answers;
  if (id === null) return html`<p class="about"><${GroupLink} ctx=${ctx} group=${group} /></p>${answers}`;
  const row = store.row(store.rowOf(id));
  return html`<p class="about">
      <a ...${opens(ctx, question)}><bdi class="title">${short(row.title, 90)}</bdi></a>
      <span class="text" dir="auto">${below(row, 420)}</span>
    </p>
    <p class="soft where">
      <${GroupLink} ctx=${ctx} group=${group} />${rival !== null && html`; the nearest group is <${GroupLink} ctx=${ctx} group=${rival} />`}
    </p>
    ${answers}`;
}

/** The properties of a link to the document of a question, by default its own. On a small screen the work list would
 *  cover the document. */
function opens({ questions, fold }, question, id = question.id) {
  const onclick = () => {
    questions.led = nameOf(question);
    fold();
  };
  return { href: href(questions.placeOf(id)), onclick };
}

/** A group of a question: its words and most typical documents. */
function Typical({ ctx, number }) {
  const { store, questions } = ctx,
    words = store.groups.find((group) => group.number === number)?.words ?? [],
    titles = questions.typical(number).map((row) => html` \u00b7 <bdi>${short(store.row(row).title, 45)}</bdi>`),
    first = words.slice(0, WORDS).map(([word]) => word);
  return html`<p class="soft"><${GroupLink} ctx=${ctx} group=${number} />: <bdi>${first.join(", ")}</bdi>${titles}</p>`;
}

/** The reason of a question, how many documents an answer moves, and the answers. */
function Answers({ ctx, question }) {
  const { why, kind, id, group, documents, moves } = question,
    { store } = ctx,
    later = kind === "mixed" ? "leave it as one" : "not now";
  const examples = (documents ?? [])
    .filter((one) => store.rowOf(one) >= 0)
    .slice(0, EXAMPLES)
    .map(
      (one, i) =>
        html`${i ? " \u00b7 " : " "}<${DocumentName} ctx=${ctx} id=${one} most=${90} ...${opens(ctx, question, one)} />`,
    );
  const to = kind === "document" ? "would move to the second group with it" : "would move if so";
  return html`<p class="soft">
      ${why}${examples}${!documents && id === null && html`<${Halves} store=${store} group=${group} />`}
      ${moves > 0 && ` ${kind === "document" ? "About " : ""}${counted(moves, "document")} ${to}.`}
    </p>
    <p class="answers">
      <${Choices} ctx=${ctx} question=${question} />
      <button class="copy" onclick=${once(() => ctx.questions.pass(question))}>${later}</button>
    </p>`;
}

function Choices({ ctx, question }) {
  const { id, kind, group, rival, documents } = question,
    { store, actions } = ctx;
  const choice = (label, decide, title = "", sign = "") =>
    html`<${Decider} ctx=${ctx} run=${decide} title=${title} sign=${sign} class="copy">${label}<//>`;
  if (documents)
    return [
      choice(SEVERAL[kind][0], () => store.decide(question.decision), "", "y"),
      choice(SEVERAL[kind][1], () => store.decide(notAGroup(documents)), "", "n"),
    ];
  if (id === null) return choice("split it", () => store.decide(split(group)));
  const row = store.rowOf(id),
    move = async (number) => actions.place(await actions.documents([row]), number),
    named = (label, number) => html`${label} <span class="spot ${tone(number)}" />${store.code(number)}`,
    to = (number, label) => choice(named(label, number), () => move(number), `It belongs to ${store.called(number)}`);
  if (kind === "off-topic") return [choice("junk", () => move(-1)), to(group, "keep in")];
  if (kind === "typical")
    return [
      choice("no, two groups", () => move(group), `${store.code(group)} and ${store.code(rival)} stay apart`),
      choice(
        named("yes, same as", rival),
        () => store.decide(merge(store.bySize([group, rival]))),
        `Merge ${store.code(group)} with ${store.called(rival)}`,
      ),
    ];
  const another = choice("another \u2026", () => actions.belongs("", [row]));
  return [to(group, "stays in"), to(rival, "goes to"), store.groups.length > 1 && another];
}

function Halves({ store, group }) {
  const found = store.summary.tree.splits.find((split) => split.group === group);
  return found && html` One is ${halves(found)[0]}, the other ${halves(found)[1]}.`;
}
