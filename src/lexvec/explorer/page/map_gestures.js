// How a map is moved: by dragging, pinching, the wheel, and keys.

const KEYS = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
const STILL = 4; // pixels that a click may travel

export class Gestures {
  constructor(map) {
    this.map = map;
    this.pointers = new Map();
    this.travelled = 0; // pixels of the latest gesture
    const { element } = map;
    element.addEventListener("keydown", (event) => this.press(event));
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    element.addEventListener("pointerleave", () => map.hover(-1));
  }

  press(event) {
    const { map } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in KEYS) map.pan(...KEYS[event.key]);
    else if (event.key === "+" || event.key === "=") map.zoom(1.3);
    else if (event.key === "-") map.zoom(1 / 1.3);
    else if (event.key === "0") map.fit();
    else return;
    event.preventDefault();
  }

  wheel(event) {
    if (event.ctrlKey && !event.deltaY) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1; // some browsers count lines, not pixels
    const step = Math.max(-300, Math.min(300, event.deltaY * lines * (event.ctrlKey ? 5 : 1))); // a pinch on a touchpad has small steps
    this.map.zoom(Math.exp(-step * 0.0015), event.offsetX, event.offsetY);
  }

  down(event) {
    this.map.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.pointers.size === 1) this.travelled = 0;
  }

  move(event) {
    const { map } = this;
    const now = [event.offsetX, event.offsetY];
    const before = this.pointers.get(event.pointerId);
    if (!before) return map.hover(map.nearest(...now));
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    const away = ([x, y]) => Math.hypot(x - other[0], y - other[1]) || 1;
    if (other) map.zoom(away(now) / away(before), ...other);
    else map.pan(now[0] - before[0], now[1] - before[1]);
    this.travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    this.pointers.set(event.pointerId, now);
    return undefined;
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    const row = this.travelled < STILL && event.button === 0 ? this.map.nearest(event.offsetX, event.offsetY) : -1;
    if (row >= 0) this.map.picked(this.map.words[row]);
  }
}
