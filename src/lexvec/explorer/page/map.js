// The map itself: points on a sheet, labels above it, and a camera that gestures move.

import { Camera } from "./camera.js";
import { frequencyColours, labelColours } from "./colours.js";
import { make } from "./dom.js";
import { LabelLayer } from "./label_layer.js";
import { rowsInView } from "./labels.js";
import { Gestures } from "./map_gestures.js";
import { PointSheet } from "./point_sheet.js";
import { isDark } from "./theme.js";

const NEAR = 14; // pixels from a point within which a click means it
const REST = 140; // milliseconds after which the map has come to rest

// The corners around nearly all points: a few words far away must not make the others small.
function middleOf(points) {
  const count = points.length / 2;
  const sides = [0, 1].map((side) => Float32Array.from({ length: count }, (_, row) => points[2 * row + side]).sort());
  return [0.004, 0.996].map((part) => sides.map((values) => values[Math.round(part * (count - 1))]));
}

export class WordMap {
  constructor({ picked, rested }) {
    this.picked = picked;
    this.rested = rested;
    this.camera = new Camera();
    this.words = [];
    this.points = new Float32Array();
    this.highlighted = [];
    this.over = -1;
    this.moving = false;
    this.colouring = "frequency";
    this.sheet = new PointSheet();
    this.sheet.repainted = () => this.refresh();
    this.labels = new LabelLayer();
    this.element = make(
      "div",
      {
        class: "stage",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "map",
        "aria-label": "Map of words. Arrow keys move, plus and minus zoom, 0 shows everything. The words in view are listed below.",
      },
      this.sheet.element,
      this.labels.canvas,
    );
    this.gestures = new Gestures(this);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  // Coordinates are whole numbers to 65,535. "fresh" is false where the same map comes again, of a newer checkpoint.
  show({ words, points, kinds, fresh }) {
    const empty = !this.words.length;
    this.words = words;
    this.index = new Map(words.map((word, row) => [word, row]));
    this.kinds = kinds;
    this.points = Float32Array.from(points, (value) => value / 65535);
    this.over = -1;
    this.sheet.setPoints(this.points);
    this.labels.setWords(words);
    this.camera.home = middleOf(this.points);
    if (fresh || empty) this.camera.fit();
    this.recolour();
  }

  recolour() {
    const dark = isDark();
    const byKind = this.colouring === "label" && this.kinds;
    this.colours = byKind ? labelColours(this.kinds, dark) : frequencyColours(this.words.length, dark);
    this.sheet.setColours(this.colours);
    this.labels.recolour(getComputedStyle(this.element));
    this.refresh();
  }

  // The first "chosen" of the words are what was asked for, the others are neighbours. Return the rows of the chosen ones.
  highlight(words, chosen) {
    const rows = words.map((word) => this.index?.get(word));
    this.highlighted = rows.filter((row) => row !== undefined);
    const [first] = this.highlighted;
    if (first !== undefined && !this.camera.sees(this.points[2 * first], this.points[2 * first + 1])) {
      this.camera.centre(this.points[2 * first], this.points[2 * first + 1]);
    }
    this.refresh();
    return rows.slice(0, chosen);
  }

  resize() {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.labels.canvas.width = Math.round(clientWidth * this.ratio);
    this.labels.canvas.height = Math.round(clientHeight * this.ratio);
    this.camera.resize(clientWidth, clientHeight);
    this.labels.recolour(getComputedStyle(this.element));
    this.refresh();
  }

  refresh() {
    if (this.waiting || !this.ratio) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
      if (!this.moving) this.rested();
    });
  }

  // While the map moves, frames come first: labels stay those that they were, and the rest follows when it has come to rest.
  move() {
    this.moving = true;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.moving = false;
      this.refresh();
    }, REST);
    this.refresh();
  }

  pan(right, down) {
    this.camera.pan(right, down);
    this.move();
  }

  zoom(factor, ...at) {
    this.camera.zoom(factor, ...at);
    this.move();
  }

  fit() {
    this.camera.fit();
    this.refresh();
  }

  // Show all highlighted words.
  frame() {
    this.camera.frame(this.highlighted.map((row) => [this.points[2 * row], this.points[2 * row + 1]]));
    this.refresh();
  }

  get pointSize() {
    const zoomed = (this.camera.scale * (this.camera.home[1][0] - this.camera.home[0][0])) / this.camera.width;
    return Math.min(9, (this.words.length > 20000 ? 2.2 : 3.4) * Math.max(1, Math.sqrt(zoomed)));
  }

  draw() {
    this.sheet.show(this.camera, this.pointSize, this.ratio, this.moving);
    this.element.dataset.painter = this.sheet.painter.name;
    this.element.dataset.drawn = String(this.words.length);
    if (!this.moving) {
      const first = this.over >= 0 ? [this.over, ...this.highlighted] : this.highlighted;
      this.labels.place(this.points, this.camera, [...new Set(first)]);
    }
    this.labels.draw(this.points, this.camera, this.ratio, this);
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
    if (row === this.over || this.moving) return;
    this.over = row;
    this.refresh();
  }
}
