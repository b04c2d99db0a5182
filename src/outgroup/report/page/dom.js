// Small tools: clean and count, wait and repeat, keep in the browser.

const UNSHOWABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** Replace control characters, lone surrogates and marks that reorder text. */
export const clean = (text) => String(text).replace(UNSHOWABLE, "\ufffd");

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

/** A value that the browser kept, or another one. */
export function kept(key, other) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "") ?? other;
  } catch {
    return other;
  }
}

/** Keep a value, where the browser allows it. */
export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {}
}
