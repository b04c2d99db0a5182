// Dialogs: choose an option by key, click or typing, or enter a line of text. Return a promise of the answer, or null.
import { button, el, figure, once } from "./dom.js";

/** Remove a dialog at once: a closed one keeps the focus for a moment and would swallow the next key. */
function end(box) {
  box.close();
  box.remove();
}

/** Open a dialog; a button, Escape and a click outside close it. */
function open(title, content, close, out = "Cancel") {
  const leave = button([out, " ", el("kbd", {}, "Esc")], () => end(box), { class: "copy" });
  const box = el(
    "dialog",
    { class: "ask", "aria-label": title },
    el("div", { class: "asked" }, el("h2", {}, title), leave),
    ...content,
  );
  const over = new AbortController();
  addEventListener("hashchange", () => end(box), { signal: over.signal }); // navigation ends the question
  box.addEventListener("close", () => {
    over.abort();
    box.remove();
    close();
  });
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      end(box);
    }
  });
  box.addEventListener(
    "click",
    once((event) => {
      if (event.target === box) end(box);
    }),
  );
  document.body.append(box);
  box.showModal();
  return box;
}

/** Choose among options [{ value, label, key?, note?, tone? }]: by one key if all have one, else, or with `find`, by
 *  typing and Enter. */
export function choose(title, options, { typed = "", find = false, about = /** @type {any[]} */ ([]) } = {}) {
  return new Promise((answer) => {
    const shown = el("ul", { class: "options" }),
      keyed = options.every(({ key }) => key),
      filter = find || !keyed;
    const input = el("input", {
      type: "search",
      "aria-label": "Narrow down",
      placeholder: "Number or words, then Enter",
      value: typed,
      autocomplete: "off",
    });
    const fitting = () => fit(options, input.value.trim().toLowerCase());
    const draw = () => {
      const found = fitting()
        .slice(0, 200)
        .map((option, i) =>
          el(
            "li",
            {},
            choice(option.key && !input.value ? option : { ...option, key: i ? null : "Enter" }, () =>
              pick(option.value),
            ),
          ),
        );
      shown.replaceChildren(...(found.length ? found : [el("li", { class: "soft" }, "No match.")]));
    };
    draw();
    const box = open(title, [...about, filter && input, shown].filter(Boolean), () => answer(null));
    const pick = (value) => {
      answer(value);
      end(box);
    };
    const byTouch = matchMedia("(pointer: coarse)").matches; // an on-screen keyboard would cover the options
    if (filter && !(keyed && byTouch)) {
      input.focus();
      input.setSelectionRange(input.value.length, input.value.length);
    } else shown.querySelector("button")?.focus();
    input.addEventListener("input", draw);
    box.addEventListener("keydown", (event) => {
      const wanted = !input.value && options.find(({ key }) => key && key === event.key);
      if (wanted) {
        event.preventDefault();
        pick(wanted.value);
      }
      if (filter && event.key === "Enter" && event.target === input && fitting().length) {
        event.preventDefault();
        pick(fitting()[0].value);
      }
      if (event.key === "ArrowDown" || event.key === "ArrowUp") step(box, event);
    });
  });
}

/** The options with all typed words: an equal number first, then numbers with this prefix. */
function fit(options, typed) {
  const words = typed.split(/\s+/),
    rank = ({ value }) => (String(value) === typed ? 0 : String(value).startsWith(typed) ? 1 : 2);
  const there = options.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return there.sort((a, b) => rank(a) - rank(b));
}

function choice({ label, key, note, tone }, run) {
  return button(
    [
      tone && el("span", { class: `spot ${tone}` }),
      el("span", { class: "label", dir: "auto" }, label),
      note && el("span", { class: "soft" }, note),
      key && el("kbd", {}, key),
    ].filter(Boolean),
    once(run),
  );
}

function step(box, event) {
  const stops = [...box.querySelectorAll("input, .options button")],
    at = stops.indexOf(document.activeElement);
  stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))]?.focus();
  event.preventDefault();
}

/** Show what a decision would move: the number, examples, and the estimate of right labels, if there is one. Return a
 *  promise of "yes", "alone" or null. */
export function preview({ count, said, examples, right, alone }) {
  const percent = (share) => `${Math.round(100 * share)}%`;
  const place = (group) => (group < 0 ? "no group" : String(group));
  const list = examples.map(({ title, text, group, to }) =>
    el(
      "li",
      {},
      el("span", { class: "soft" }, `${place(group)} \u2192 ${place(to)} `),
      el("bdi", {}, (title || text).slice(0, 90)),
    ),
  );
  const estimate =
    right &&
    el(
      "p",
      {},
      `Of ${figure(right[0])} labelled documents drawn at random, ${percent(right[1])} are right now; ` +
        `an estimated ${percent(right[2])} after.`,
    );
  const options = [
    { value: "yes", label: "Yes, move them", key: "y" },
    alone && { value: "alone", label: "Only the chosen ones", key: "1" },
    { value: null, label: "No, leave all as it is", key: "n" },
  ].filter(Boolean);
  const some = examples.length < count ? `; here are ${examples.length}` : "";
  return choose(`${said}${some}`, options, {
    about: [estimate, el("ul", { class: "examples" }, ...list)].filter(Boolean),
  });
}

/** Ask for one line of text. */
export function ask(
  title,
  { value = "", label = title, button: save = "Save", wrong = /** @returns {string} */ (_said) => "" } = {},
) {
  return new Promise((answer) => {
    const input = el("input", { type: "text", "aria-label": label, value, autocomplete: "off" }),
      mistake = el("p", { class: "wrong", role: "alert" });
    const form = el(
      "form",
      {
        on: {
          submit: (event) => {
            event.preventDefault();
            mistake.textContent = wrong(input.value);
            if (!mistake.textContent) {
              answer(input.value.trim());
              end(box);
            }
          },
        },
      },
      input,
      mistake,
      el("button", { class: "main" }, save),
    );
    const box = open(title, [form], () => answer(null));
    input.focus();
    input.select();
  });
}

/** Show the keyboard shortcuts. */
export function help(keys) {
  const rows = keys.map(([key, what]) => [
    el("dt", {}, ...key.split(" ").map((part) => el("kbd", {}, part))),
    el("dd", {}, what),
  ]);
  open("Keys", [el("dl", { class: "keys" }, ...rows.flat())], () => {}, "Close");
}
