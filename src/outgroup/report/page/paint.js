// Dots by the ten thousand: written into the pixels of an image, which is faster than asking a canvas for each.

/** The four bytes of a colour, "#rrggbb", as numbers. */
export const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** How much of each pixel a round dot covers: [dx, dy, share] around its middle. */
export function stamp(radius) {
  const reach = Math.ceil(radius + 0.5), found = [];
  for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) {
    const share = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy)));
    if (share > 0) found.push([dx, dy, share]);
  }
  return found;
}

/** Draw the dots `order` says, at x and y in pixels, in colour[kind[i]] with strength[i] from 0 to 255. */
export function dots(image, { order, x, y, kind, colours, strength, radius }) {
  const { width, height, data } = image, shape = stamp(radius), edge = Math.ceil(radius + 1);
  data.fill(0);
  for (const i of order) {
    const px = Math.round(x[i]), py = Math.round(y[i]);
    if (px < -edge || py < -edge || px >= width + edge || py >= height + edge) continue;
    const [r, g, b] = colours[kind[i]], most = strength[i];
    for (const [dx, dy, share] of shape) {
      const ax = px + dx, ay = py + dy;
      if (ax < 0 || ay < 0 || ax >= width || ay >= height) continue;
      const at = 4 * (ay * width + ax), alpha = share * most, old = data[at + 3], sum = alpha + old * (1 - alpha / 255);
      const mix = sum ? alpha / sum : 0;
      data[at] += (r - data[at]) * mix;
      data[at + 1] += (g - data[at + 1]) * mix;
      data[at + 2] += (b - data[at + 2]) * mix;
      data[at + 3] = sum;
    }
  }
}
