// Pan and zoom: the transform from map to screen, and its gestures.

const CLOSEST = 60;

/** The transform from map units to pixels, screen = (unit - middle) * scale + half; calls `moved` on each change. */
export class Camera {
  constructor(box, moved) {
    this.box = box;
    this.moved = moved;
    this.width = 1;
    this.height = 1;
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    this.whole();
  }

  get scale() {
    return this.zoom * Math.min(this.width / this.box.w, this.height / this.box.h);
  }
  toX(x) {
    return (x - this.x) * this.scale + this.width / 2;
  }
  toY(y) {
    return (y - this.y) * this.scale + this.height / 2;
  }
  fromX(px) {
    return (px - this.width / 2) / this.scale + this.x;
  }
  fromY(py) {
    return (py - this.height / 2) / this.scale + this.y;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    if (this.all) this.whole();
  }

  /** Show all; in a high view, closer to the top, which is visible first. */
  whole(box = this.box) {
    this.box = box;
    this.zoom = 1;
    this.x = this.box.cx;
    this.all = true;
    this.y = this.box.cy + 0.4 * Math.max(0, this.height / this.scale - this.box.h);
    this.moved();
  }

  by(factor, px = this.width / 2, py = this.height / 2) {
    const x = this.fromX(px),
      y = this.fromY(py);
    this.zoom = Math.min(CLOSEST, Math.max(0.8, this.zoom * factor));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y - (py - this.height / 2) / this.scale;
    this.bound();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.bound();
  }

  bound() {
    const { cx, cy, w, h } = this.box;
    this.all = false;
    this.x = Math.min(cx + w / 2, Math.max(cx - w / 2, this.x));
    this.y = Math.min(cy + h / 2, Math.max(cy - h / 2, this.y));
    this.moved();
  }

  /** Go to a place so that `size` units fill half of the view. */
  to(x, y, size) {
    this.x = x;
    this.y = y;
    this.all = false;
    this.zoom = Math.min(
      CLOSEST,
      Math.max(1, (0.5 * Math.min(this.width, this.height)) / ((size * this.scale) / this.zoom)),
    );
    this.bound();
  }
}

/** Move the camera by drag, pinch, wheel (ctrl or focus) and keys. Pass clicks to `click(x, y)`, a line drawn with shift
 *  to `lasso(line, ended)`, and keys from page to page to `step(by)`. */
export function gestures(target, camera, { click, lasso, step }) {
  const fingers = new Map();
  let far = 0,
    moved = 0,
    line = /** @type {number[][]} */ ([]);
  const at = (event) => {
    const box = target.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  target.addEventListener("pointerdown", (event) => {
    target.setPointerCapture(event.pointerId);
    if (event.shiftKey && !event.button) line = [at(event)];
    else fingers.set(event.pointerId, at(event));
    moved = fingers.size > 1 ? 99 : 0;
    if (fingers.size === 2) far = spread();
  });
  target.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId),
      now = at(event);
    if (line.length && line.push(now)) lasso(line);
    if (!before) return;
    fingers.set(event.pointerId, now);
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (fingers.size === 2) {
      const wide = spread();
      camera.by(wide / far, ...now);
      far = wide;
    } else if (moved > 4) camera.pan(now[0] - before[0], now[1] - before[1]);
  });
  const end = (event) => {
    if (line.length) lasso(event.type === "pointerup" ? line : [], true);
    line = [];
    if (fingers.delete(event.pointerId) && moved <= 4 && event.type === "pointerup") click(...at(event), event);
  };
  target.addEventListener("pointerup", end);
  target.addEventListener("pointercancel", end);
  target.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== target) return;
      event.preventDefault();
      camera.by(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0022)), ...at(event));
    },
    { passive: false },
  );
  const keys = {
    ArrowLeft: () => camera.pan(60, 0),
    ArrowRight: () => camera.pan(-60, 0),
    ArrowUp: () => camera.pan(0, 60),
    ArrowDown: () => camera.pan(0, -60),
    "+": () => camera.by(1.4),
    "=": () => camera.by(1.4),
    "-": () => camera.by(1 / 1.4),
    0: () => camera.whole(),
    PageDown: () => step(1),
    PageUp: () => step(-1),
  };
  target.addEventListener("keydown", (event) => {
    if (keys[event.key] && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
    }
  });
}
