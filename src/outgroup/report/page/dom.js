// Build elements. Text always becomes a text node: document text is never parsed as markup.

const UNSHOWABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** Replace control characters, lone surrogates and marks that reorder text. */
export const clean = (text) => String(text).replace(UNSHOWABLE, "\ufffd");

/** Make an element with properties (`class`, `on` for listeners, `style`, attributes), children and strings. A property
 *  that is true is an empty attribute, or "true" in ARIA, to which "" is false.
 *  @returns {any} */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) put(made, name, value);
  made.append(
    ...children
      .flat()
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : clean(child))),
  );
  return made;
}

function put(made, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") hear(made, value);
  else if (name === "style") for (const [key, said] of Object.entries(value)) made.style.setProperty(key, said);
  else made.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : clean(value));
}

const heard = new WeakMap(); // element -> { event: listener }: others may take their place

function hear(made, listeners) {
  const before = heard.get(made) ?? {};
  heard.set(made, { ...Object.fromEntries(Object.keys(before).map((event) => [event, null])), ...listeners });
  for (const event of Object.keys(listeners))
    if (!(event in before)) made.addEventListener(event, (given) => heard.get(made)[event]?.(given));
}

/** Give an element the listeners of an equal later one. */
function handOver(old, later) {
  if (heard.has(old) || heard.has(later)) hear(old, heard.get(later) ?? {});
  [...(old.children ?? [])].forEach((child, i) => {
    handOver(child, later.children[i]);
  });
}

/** Replace the children of an element. Equal children stay and get the new listeners, so that a selection or a started
 *  click survives. Keyboard focus moves to the element with the same text, else to the same position. */
export function refill(box, ...children) {
  const inside = stops(box),
    at = inside.indexOf(document.activeElement),
    here = at >= 0 && sayingOf(inside[at]);
  const made = children.flat().filter((child) => child instanceof Node),
    open = new Set(Array.from(box.querySelectorAll("details[open] > summary"), (each) => each.textContent));
  for (const child of made)
    for (const each of child instanceof Element ? child.querySelectorAll("details > summary") : [])
      if (open.has(each.textContent)) each.parentElement?.setAttribute("open", "");
  made.forEach((child, i) => {
    const old = box.childNodes[i];
    if (!old) box.append(child);
    else if (!old.isEqualNode(child)) old.replaceWith(child);
    else if (old !== child) handOver(old, child);
  });
  while (box.childNodes.length > made.length) box.lastChild.remove();
  if (at >= 0 && !box.contains(document.activeElement)) goOn(stops(box), at, here);
}

const stops = (box) => [
  ...box.querySelectorAll("a[href], button:not(:disabled), summary, input, select, h2[tabindex]"),
];
const sayingOf = (each) =>
  each.dataset.word ?? each.dataset.group ?? each.getAttribute("aria-label") ?? each.textContent;

function goOn(there, at, said) {
  const alike = there
    .filter((each) => sayingOf(each) === said)
    .sort((a, b) => Math.abs(there.indexOf(a) - at) - Math.abs(there.indexOf(b) - at));
  (alike[0] ?? there[Math.min(at, there.length - 1)])?.focus({ preventScroll: true });
}

/** A button with an action. */
export const button = (label, click, props = {}) =>
  el("button", { type: "button", ...props, on: { click, ...props.on } }, ...[label].flat());

/** Format a number: thousands separators, or fixed decimals and a true minus sign. */
export function figure(value, digits = 0) {
  if (!Number.isFinite(value)) return "\u2013";
  const [whole, rest] = Math.abs(value).toFixed(digits).split("."),
    sign = value < 0 && Number(value.toFixed(digits)) ? "\u2212" : "";
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}

/** Run on the first click of a double click only: the second may hit another element. */
export const once = (run) => (event) => {
  if (event.detail < 2) run(event);
};

export const counted = (n, one, many = `${one}s`) => `${figure(n)} ${n === 1 ? one : many}`;

/** Return a promise unchanged; call `late` if it is slow. */
export function patient(promise, late, wait = 250) {
  const timer = setTimeout(late, wait);
  return promise.finally(() => clearTimeout(timer));
}

/** Debounce: run after a pause of so many milliseconds. */
export function settled(run, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), wait);
  };
}
