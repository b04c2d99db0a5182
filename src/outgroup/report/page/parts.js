// The parts of the file: deflated, in base64, each in an inert script element.

/** @type {Promise<Event | void>} */
const parsed = new Promise((done) => {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", done, { once: true });
  else done(undefined);
});

/** A part of the file: parts before the script at once, the others after the file is parsed. */
async function inFile(name) {
  const there = document.getElementById(`part-${name}`);
  if (there?.nextElementSibling) return there.textContent;
  await parsed;
  return document.getElementById(`part-${name}`)?.textContent ?? "";
}

let read = inFile;

/** Read the parts from elsewhere: name -> base64, or a promise of it. */
export const readFrom = (reader) => {
  read = reader;
};

export async function bytes(name) {
  const packed = await read(name),
    raw = Uint8Array.fromBase64 ? Uint8Array.fromBase64(packed) : unpacked(atob(packed));
  const stream = new DecompressionStream("deflate"),
    writer = stream.writable.getWriter();
  Promise.all([writer.write(raw), writer.close()]).catch(() => {}); // the reader throws the same error
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

/** Bytes from letters of a byte each. */
export function unpacked(letters) {
  const raw = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) raw[i] = letters.charCodeAt(i);
  return raw;
}

export const json = async (name) => JSON.parse(new TextDecoder().decode(await bytes(name)));

/** A column of numbers, stored byte plane by byte plane, which deflates best; `type` may be a promise.
 *  @returns {Promise<import("./data.d.ts").Numbers>} */
export async function numbers(part, type) {
  const raw = await bytes(part),
    name = await type,
    View = globalThis[`${name[0].toUpperCase()}${name.slice(1)}Array`],
    width = View.BYTES_PER_ELEMENT,
    n = raw.length / width;
  const joined = new Uint8Array(raw.length);
  for (let b = 0; b < width; b++) for (let i = 0; i < n; i++) joined[i * width + b] = raw[b * n + i];
  return new View(joined.buffer);
}
