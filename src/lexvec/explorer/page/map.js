// The map itself: points and labels on two canvases, moved by pointer, wheel and keys.

import { Camera } from "./camera.js";
import { frequencyColours, labelColours } from "./colours.js";
import { make } from "./dom.js";
import { placedLabels, rowsInView } from "./labels.js";
import { CanvasPoints } from "./points_canvas.js";
import { WebglPoints } from "./points_webgl.js";
import { isDark } from "./theme.js";

const FONT = "12px system-ui, sans-serif";
const NEAR = 14; // pixels from a point within which a click means it
const MOST_LABELS = 140;
const KEYS = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };

// The corners around nearly all points: a few words far away must not make the others small.
function middleOf(points) {
  const count = points.length / 2;
  const sides = [0, 1].map((side) => Float32Array.from({ length: count }, (_, row) => points[2 * row + side]).sort());
  return [0.004, 0.996].map((part) => sides.map((values) => values[Math.round(part * (count - 1))]));
}

export class WordMap {
  constructor({ picked, moved }) {
    this.picked = picked;
    this.moved = moved;
    this.camera = new Camera();
    this.words = [];
    this.points = new Float32Array();
    this.highlighted = [];
    this.over = -1;
    this.travelled = 0; // pixels of the latest gesture
    this.colouring = "frequency";
    this.overlay = make("canvas", { "aria-hidden": "true" });
    this.element = make("div", {
      class: "stage",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "map",
      "aria-label": "Map of words. Arrow keys move, plus and minus zoom, 0 shows everything. The words in view are listed below.",
      onkeydown: (event) => this.press(event),
      onwheel: (event) => this.wheel(event),
      onpointerdown: (event) => this.down(event),
      onpointermove: (event) => this.move(event),
      onpointerup: (event) => this.up(event),
      onpointercancel: () => this.pointers.clear(),
      onpointerleave: () => this.hover(-1),
    });
    this.pointers = new Map();
    this.choosePainter(WebglPoints);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  choosePainter(kind) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    try {
      this.painter = new kind(canvas);
    } catch {
      return this.choosePainter(CanvasPoints);
    }
    canvas.addEventListener("webglcontextlost", () => this.choosePainter(CanvasPoints));
    this.element.replaceChildren(canvas, this.overlay);
    this.element.dataset.painter = this.painter.name;
    this.painter.setPoints(this.points);
    this.recolour();
    this.resize();
  }

  // Coordinates are whole numbers to 65,535; the same words may come again in another layout.
  show({ words, points, labels }) {
    const same = words.length === this.words.length;
    this.words = words;
    this.index = new Map(words.map((word, row) => [word, row]));
    this.labels = labels;
    this.points = Float32Array.from(points, (value) => value / 65535);
    this.painter.setPoints(this.points);
    this.camera.home = middleOf(this.points);
    if (!same || !this.travelled) this.camera.fit();
    this.recolour();
  }

  recolour() {
    const dark = isDark();
    const byLabel = this.colouring === "label" && this.labels;
    this.colours = byLabel ? labelColours(this.labels, dark) : frequencyColours(this.words.length, dark);
    this.painter.setColours(this.colours);
    this.refresh();
  }

  // The first of the words is the chosen one, the others are its neighbours.
  highlight(words) {
    this.highlighted = words.map((word) => this.index?.get(word)).filter((row) => row !== undefined);
    this.refresh();
  }

  resize() {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    for (const canvas of this.element.querySelectorAll("canvas")) {
      canvas.width = Math.round(clientWidth * this.ratio);
      canvas.height = Math.round(clientHeight * this.ratio);
    }
    this.camera.resize(clientWidth, clientHeight);
    this.refresh();
  }

  refresh() {
    if (this.waiting || !this.ratio) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
      this.moved();
    });
  }

  get pointSize() {
    const zoomed = (this.camera.scale * (this.camera.home[1][0] - this.camera.home[0][0])) / this.camera.width;
    return Math.min(9, (this.words.length > 20000 ? 2.2 : 3.4) * Math.max(1, Math.sqrt(zoomed)));
  }

  draw() {
    this.painter.draw(this.camera, this.pointSize, this.ratio);
    this.element.dataset.drawn = String(this.words.length);
    const context = this.overlay.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.camera.width, this.camera.height);
    this.drawLabels(context);
  }

  visibleLabels(context) {
    context.font = FONT;
    const first = this.over >= 0 ? [this.over, ...this.highlighted] : this.highlighted;
    const width = (word) => context.measureText(word).width;
    return placedLabels({ ...this, first: [...new Set(first)], most: MOST_LABELS, width });
  }

  drawLabels(context) {
    const style = getComputedStyle(this.element);
    const [ink, paper, accent] = ["--ink", "--paper", "--accent"].map((name) => style.getPropertyValue(name));
    const marked = new Set(this.highlighted);
    context.strokeStyle = accent;
    context.fillStyle = accent;
    for (const [place, row] of this.highlighted.entries()) {
      context.beginPath();
      context.arc(this.camera.screenX(this.points[2 * row]), this.camera.screenY(this.points[2 * row + 1]), place ? 4 : 7, 0, 7);
      context.fill();
    }
    context.lineWidth = 3;
    context.lineJoin = "round";
    for (const { row, x, y } of this.visibleLabels(context)) {
      context.font = marked.has(row) || row === this.over ? `bold ${FONT}` : FONT;
      context.strokeStyle = paper;
      context.strokeText(this.words[row], x, y);
      context.fillStyle = marked.has(row) ? accent : ink;
      context.fillText(this.words[row], x, y);
    }
  }

  get inView() {
    return rowsInView(this.points, this.camera);
  }

  nearest(px, py) {
    let [best, found] = [NEAR * NEAR, -1];
    for (let row = 0; row < this.words.length; row += 1) {
      const dx = this.camera.screenX(this.points[2 * row]) - px;
      const dy = this.camera.screenY(this.points[2 * row + 1]) - py;
      const away = dx * dx + dy * dy;
      if (away < best) [best, found] = [away, row];
    }
    return found;
  }

  hover(row) {
    if (row === this.over) return;
    this.over = row;
    this.refresh();
  }

  zoom(factor, ...at) {
    this.camera.zoom(factor, ...at);
    this.refresh();
  }

  fit() {
    this.camera.fit();
    this.refresh();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in KEYS) this.camera.pan(...KEYS[event.key]);
    else if (event.key === "+" || event.key === "=") this.camera.zoom(1.3);
    else if (event.key === "-") this.camera.zoom(1 / 1.3);
    else if (event.key === "0") this.camera.fit();
    else return;
    event.preventDefault();
    this.refresh();
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  }

  down(event) {
    this.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.travelled = 0;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.hover(this.nearest(event.offsetX, event.offsetY));
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    if (others.length) {
      const away = ([x, y]) => Math.hypot(x - others[0][0], y - others[0][1]) || 1;
      this.camera.zoom(away([event.offsetX, event.offsetY]) / away(before), ...others[0]);
    } else {
      this.camera.pan(event.offsetX - before[0], event.offsetY - before[1]);
    }
    this.travelled += Math.hypot(event.offsetX - before[0], event.offsetY - before[1]);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.refresh();
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    const row = this.travelled < 4 ? this.nearest(event.offsetX, event.offsetY) : -1;
    if (row >= 0) this.picked(this.words[row]);
  }
}
