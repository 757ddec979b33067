// The labels of a map and the marks of the chosen words, on a canvas of their own above the points.

import { make } from "./dom.js";
import { placedLabels } from "./labels.js";
import { shown } from "./words.js";

const FONT = "12px system-ui, sans-serif";
const BOLD = `bold ${FONT}`;
const MOST = 140;
const LONGEST = 40; // characters of a label: a word may be very long

export class LabelLayer {
  constructor() {
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.context = this.canvas.getContext("2d");
    this.setWords([]);
  }

  setWords(words) {
    this.words = words;
    this.widths = new Float32Array(words.length); // 0: not measured yet
    this.placed = [];
  }

  recolour(style) {
    [this.ink, this.paper, this.accent] = ["--ink", "--paper", "--accent"].map((name) => style.getPropertyValue(name).trim());
  }

  text(row) {
    const word = shown(this.words[row]);
    return word.length > LONGEST ? `${word.slice(0, LONGEST)}…` : word;
  }

  width(row) {
    if (!this.widths[row]) {
      this.context.font = BOLD;
      this.widths[row] = this.context.measureText(this.text(row)).width + 0.1;
    }
    return this.widths[row];
  }

  // Choose which words have a label where the camera is now.
  place(points, camera, first) {
    this.placed = placedLabels({ points, words: this.words, camera, first, most: MOST, width: (row) => this.width(row) });
  }

  // Draw the labels that were chosen: while the map moves, they move along.
  draw(points, camera, ratio, { highlighted, over }) {
    const { context } = this;
    const marked = new Set(highlighted);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    context.fillStyle = this.accent;
    for (const [place, row] of highlighted.entries()) {
      context.beginPath();
      context.arc(camera.screenX(points[2 * row]), camera.screenY(points[2 * row + 1]), place ? 4 : 6, 0, 7);
      context.fill();
    }
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = this.paper;
    for (const { row, dx } of this.placed) {
      const [x, y] = [camera.screenX(points[2 * row]) + dx, camera.screenY(points[2 * row + 1]) + 4];
      context.font = marked.has(row) || row === over ? BOLD : FONT;
      context.fillStyle = marked.has(row) ? this.accent : this.ink;
      context.strokeText(this.text(row), x, y);
      context.fillText(this.text(row), x, y);
    }
  }
}
