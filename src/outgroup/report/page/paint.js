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

const packed = ([r, g, b]) => (b << 16) | (g << 8) | r; // opacity goes to the highest byte

/** Draw dots in `order` at x, y (pixels) in colour[kind[i]] with alpha strength[i], 0 to 255; the stronger wins. */
export function dots(image, { order, x, y, kind, colours, strength, radius }) {
  const { width, height } = image,
    pixels = new Uint32Array(image.data.buffer),
    shape = stamp(radius),
    edge = Math.ceil(radius + 1);
  const offsets = Int32Array.from(shape, ([dx, dy]) => dy * width + dx),
    shares = Float32Array.from(shape, ([, , share]) => share);
  const colour = Uint32Array.from(colours, packed),
    count = shape.length;
  pixels.fill(0);
  for (const i of order) {
    const px = Math.round(x[i]),
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

/** The cells before and behind the middle of each pixel, and its way from one to the other. */
function among(length, size, cells) {
  const before = new Int32Array(length),
    behind = new Int32Array(length),
    way = new Float32Array(length);
  for (let i = 0; i < length; i++) {
    const at = (i + 0.5) / size - 0.5,
      cell = Math.floor(at);
    before[i] = Math.max(0, cell);
    behind[i] = Math.min(cells - 1, cell + 1);
    way[i] = at - cell;
  }
  return { before, behind, way };
}

/** Draw the density of dots in cells of three pixels, without steps between them. A pixel has the colour of most dots of
 *  the cell that counts most there. Arguments as for `dots`. */
export function density(image, { x, y, kind, colours, strength }) {
  const { width, height } = image,
    size = 3,
    columns = Math.ceil(width / size),
    lines = Math.ceil(height / size);
  const pixels = new Uint32Array(image.data.buffer),
    colour = Uint32Array.from(colours, packed);
  const weight = new Float32Array(columns * lines),
    most = new Uint16Array(weight.length),
    lead = new Int32Array(weight.length);
  let highest = 1;
  for (let i = 0; i < x.length; i++) {
    const column = Math.floor(x[i] / size),
      line = Math.floor(y[i] / size);
    if (column < 0 || line < 0 || column >= columns || line >= lines) continue;
    const cell = line * columns + column;
    weight[cell] += strength[i] > 100 ? 1 : 0.02;
    highest = Math.max(highest, weight[cell]);
    if (lead[cell] === 0) most[cell] = kind[i]; // the majority vote of Boyer and Moore
    lead[cell] += most[cell] === kind[i] ? 1 : -1;
  }
  const scale = 215 / Math.log1p(highest),
    alpha = weight.map((each) => each && 40 * Math.min(1, each) + scale * Math.log1p(each)),
    across = among(width, size, columns),
    down = among(height, size, lines);
  pixels.fill(0);
  for (let line = 0; line < height; line++) {
    const top = columns * down.before[line],
      bottom = columns * down.behind[line],
      below = down.way[line];
    for (let column = 0; column < width; column++) {
      const left = across.before[column],
        right = across.behind[column],
        beside = across.way[column];
      const a = (1 - below) * (1 - beside) * alpha[top + left],
        b = (1 - below) * beside * alpha[top + right],
        c = below * (1 - beside) * alpha[bottom + left],
        d = below * beside * alpha[bottom + right],
        sum = a + b + c + d;
      if (!sum) continue;
      const upper = a > b ? top + left : top + right,
        lower = c > d ? bottom + left : bottom + right,
        cell = Math.max(a, b) > Math.max(c, d) ? upper : lower;
      pixels[line * width + column] = (colour[most[cell]] | (sum << 24)) >>> 0;
    }
  }
}
