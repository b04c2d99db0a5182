// What became of the decisions: the receipts of the workbench.
import { counted, figure } from "./dom.js";
import { draw, html } from "./html.js";
import { ask } from "./live.js";
import { DocumentName } from "./pieces.js";
import { InWords, ROOM } from "./tray.js";

const NAMED = 3;

export class Outcomes {
  receipts = new Map();
  message = "";
  seen = "";

  constructor(ctx) {
    this.ctx = ctx;
    this.known = ctx.store.decisions.length;
  }

  /** Follow the decisions. Fetch the outcome of the last one after the fit; where the card is out of sight, tell it. */
  async follow() {
    const { ctx } = this,
      { decisions, pending, state, taken } = ctx.store,
      seen = `${taken}|${decisions.length}`,
      last = decisions.length - 1,
      fresh = decisions.length > this.known;
    if (seen === this.seen) return;
    this.seen = seen;
    this.receipts.clear();
    ctx.questions.look();
    if (last < 0 || state.busy || pending.length) return;
    this.known = decisions.length;
    await this.fetch(last);
    const found = this.receipts.get(last);
    if (!fresh || !found || found.waiting || (ROOM && ctx.part(".last .came")?.checkVisibility())) return;
    const box = document.createElement("p");
    draw(html`<${Receipt} ctx=${ctx} found=${found} />`, box);
    ctx.mention(box.textContent);
  }

  async fetch(number) {
    const { store } = this.ctx,
      documents = store.decisions[number].documents?.slice(0, 2) ?? [];
    try {
      const found = await ask("receipt", { decision: number });
      await store.meet([...documents, ...(found.moved ?? []).slice(0, NAMED).map(({ id }) => id)]);
      this.receipts.set(number, found);
    } catch (error) {
      this.ctx.tell(error.message);
    }
    this.ctx.draw();
  }

  async export() {
    this.note("Writing the result \u2026");
    const written = ask("export", {}).then(({ folder }) => `Written to ${folder}`);
    this.note(await written.catch(({ message }) => message));
  }

  note(message) {
    this.message = message;
    this.ctx.render();
  }
}

/** The last decision, with its outcome after the fit, and the message. */
export function LastDecision({ ctx }) {
  const { store, outcomes } = ctx,
    { decisions, state } = store,
    found = outcomes.receipts.get(decisions.length - 1),
    stuck = store.away || (state.error && !state.busy),
    waiting = html`<p class="soft">${stuck ? "The groups do not include it." : "The groups follow \u2026"}</p>`;
  return html`${
    decisions.length > 0 &&
    html`<p><${InWords} ctx=${ctx} decision=${decisions.at(-1)} /></p>
      ${found && !found.waiting ? html`<${Receipt} ctx=${ctx} found=${found} />` : waiting}`
  }
    ${outcomes.message && html`<p class="soft" dir="auto">${outcomes.message}</p>`}`;
}

export function Outcome({ ctx: { outcomes }, ctx, number }) {
  const found = outcomes.receipts.get(number);
  return found
    ? html`<${Receipt} ctx=${ctx} found=${found} />`
    : html`<button class="copy" onclick=${() => outcomes.fetch(number)}>what came of it?</button>`;
}

function Receipt({ ctx, found }) {
  if (found.waiting) return html`<span class="soft">the groups do not include it yet</span>`;
  const { sentence, contradicts, n_moved: count, moved, shared } = found,
    first = moved.slice(0, NAMED).filter(({ id }) => ctx.store.rowOf(id) >= 0),
    others = contradicts.length > NAMED ? [`and ${figure(contradicts.length - NAMED)} more`] : [],
    link = ({ id }, i) => html`${i > 0 && ", "}<${DocumentName} ctx=${ctx} id=${id} most=${30} />`;
  return html`<p class="soft came">
    ${sentence}${count !== null && `; ${count ? counted(count, "document") : "no document"} moved`}
    ${first.length > 0 && html` (${first.map(link)})`}
    ${count > 0 && shared > 0 && ` (shared with ${counted(shared, "other decision")})`}
    ${contradicts.length > 0 && `; against it: ${[...contradicts.slice(0, NAMED), ...others].join(", ")}`}
  </p>`;
}
