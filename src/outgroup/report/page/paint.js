// Draw tens of thousands of dots into image pixels, faster than canvas calls.

/** The four bytes of a colour, "#rrggbb", as numbers. */
export const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** The coverage of pixels by a round dot: offsets and shares. */
export function stamp(radius) {
  const reach = Math.ceil(radius + 0.5),
    found = [];
  for (let dy = -reach; dy <= reach; dy++)
    for (let dx = -reach; dx <= reach; dx++) {
      const share = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy)));
      if (share > 0.05) found.push([dx, dy, share]);
    }
  return found;
}

const PRIME = 15485863; // rows drawn in such steps mix the classes of a sorted file; above any n, so that all are drawn
const packed = ([r, g, b]) => (b << 16) | (g << 8) | r; // opacity goes to the highest byte

/** Draw dots at x, y (pixels) in colour[kind[i]] with alpha strength[i], 0 to 255; the stronger wins. */
export function dots(image, { x, y, kind, colours, strength, radius }) {
  const { width, height } = image,
    pixels = new Uint32Array(image.data.buffer),
    shape = stamp(radius),
    edge = Math.ceil(radius + 1);
  const offsets = Int32Array.from(shape, ([dx, dy]) => dy * width + dx),
    shares = Float32Array.from(shape, ([, , share]) => share);
  const colour = Uint32Array.from(colours, packed),
    count = shape.length;
  pixels.fill(0);
  for (let t = 0; t < x.length; t++) {
    const i = (t * PRIME) % x.length,
      px = Math.round(x[i]),
      py = Math.round(y[i]);
    if (px < edge || py < edge || px >= width - edge || py >= height - edge) continue;
    const at = py * width + px,
      most = strength[i],
      own = colour[kind[i]];
    for (let s = 0; s < count; s++) {
      const alpha = (shares[s] * most) | 0,
        place = at + offsets[s];
      if (alpha >= pixels[place] >>> 24) pixels[place] = (own | (alpha << 24)) >>> 0;
    }
  }
}

export function sheet(image) {
  const made = new OffscreenCanvas(image.width, image.height);
  made.getContext("2d")?.putImageData(image, 0, 0);
  return made;
}

const CELL = 3; // pixels

/** Draw the density of dots in cells, without steps between them; a cell has the colour of most of its dots. Arguments as
 *  for `dots`. */
export function density(paper, { width, height }, { x, y, kind, colours, strength }) {
  const columns = Math.ceil(width / CELL),
    lines = Math.ceil(height / CELL),
    weight = new Float32Array(columns * lines),
    most = new Uint16Array(weight.length),
    lead = new Int32Array(weight.length);
  for (let i = 0; i < x.length; i++) {
    const column = Math.floor(x[i] / CELL),
      line = Math.floor(y[i] / CELL);
    if (column < 0 || line < 0 || column >= columns || line >= lines) continue;
    const cell = line * columns + column;
    weight[cell] += strength[i] > 100 ? 1 : 0.02;
    if (lead[cell] === 0) most[cell] = kind[i]; // the majority vote of Boyer and Moore
    lead[cell] += most[cell] === kind[i] ? 1 : -1;
  }
  const highest = weight.reduce((high, each) => Math.max(high, each), 1),
    scale = 215 / Math.log1p(highest),
    colour = Uint32Array.from(colours, packed),
    image = new ImageData(columns, lines),
    pixels = new Uint32Array(image.data.buffer);
  for (let cell = 0; cell < weight.length; cell++) {
    const alpha = 40 * Math.min(1, weight[cell]) + scale * Math.log1p(weight[cell]);
    pixels[cell] = (colour[most[cell]] | (alpha << 24)) >>> 0;
  }
  paper.drawImage(sheet(image), 0, 0, columns * CELL, lines * CELL); // which smooths it
}
