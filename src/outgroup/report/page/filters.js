// Filters: of each column a value or a range, [name, value] or [name, "first..last"]. A document passes if it has, in
// every column named, one of the values.

export const TO = ".."; // between the ends of a range
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  DATE = /^\d{4}(?!\d)/;

/** The key that orders the values of a column: of numbers, or of dates as text; null for other values. */
export function keyOf(values) {
  const known = values.filter(Boolean),
    all = (form) => known.length > 1 && known.every((value) => form.test(value));
  return all(NUMBER) ? Number : all(DATE) ? String : null;
}

export const endsOf = (value) => (value.includes(TO) ? value.split(TO) : null);

/** Whether each value passes one of the filters of its column. */
function passing(values, wanted) {
  const ordered = keyOf(values),
    key = ordered ?? String,
    ranges = wanted.map((value) => (ordered && !values.includes(value) ? endsOf(value) : null)).filter(Boolean),
    inside = (value) => ranges.some(([first, last]) => key(first) <= key(value) && key(value) <= key(last));
  return values.map((value) => wanted.includes(value) || Boolean(value && inside(value)));
}

/** Set `hits` of the rows to 0 that do not pass. */
export async function filter(store, where, hits) {
  for (const name of new Set(where.map(([each]) => each))) {
    const { values, codes } = await store.field(name),
      wanted = where.filter(([each]) => each === name).map(([, value]) => value),
      passes = passing(values, wanted);
    for (let i = 0; i < hits.length; i++) if (!passes[codes[i]]) hits[i] = 0;
  }
  return hits;
}
