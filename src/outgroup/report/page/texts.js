// Texts in one byte array: decode one on access, all for a search.

const BETWEEN = 0x1e,
  decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Texts joined by a separator that none of them contains. */
export class Texts {
  constructor(raw, n) {
    this.raw = raw;
    this.starts = new Uint32Array(n + 1);
    for (let i = 1, at = 0; i < n; i++) this.starts[i] = at = raw.indexOf(BETWEEN, at) + 1;
    this.starts[n] = raw.length + 1;
  }

  at(i) {
    return decoder.decode(this.raw.subarray(this.starts[i], this.starts[i + 1] - 1));
  }

  get whole() {
    return decoder.decode(this.raw);
  }
}
