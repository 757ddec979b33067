// The points of a map, painted on a sheet that is larger than the view. While the map moves, the sheet is moved and not
// painted again, so that panning many points is smooth without a graphics processor too.

import { make } from "./dom.js";
import { CanvasPoints } from "./points_canvas.js";
import { WebglPoints } from "./points_webgl.js";

const MANY = 20000; // points from which on painting takes longer than a frame may
const MARGIN = 0.3; // of the view's width and height, on each side
const [SMALLEST, LARGEST] = [0.6, 1.7]; // how far the sheet is scaled before it is painted again

export class PointSheet {
  constructor() {
    this.element = make("div", { class: "sheet" });
    this.points = new Float32Array();
    this.colours = new Uint8Array();
    this.choosePainter(WebglPoints);
  }

  choosePainter(kind) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    try {
      this.painter = new kind(canvas);
    } catch {
      return this.choosePainter(CanvasPoints);
    }
    canvas.addEventListener("webglcontextlost", () => {
      this.choosePainter(CanvasPoints);
      this.repainted?.();
    });
    this.element.replaceChildren(canvas);
    this.painter.setPoints(this.points);
    this.painter.setColours(this.colours);
    this.painted = null;
    return undefined;
  }

  setPoints(points) {
    this.points = points;
    this.painter.setPoints(points);
    this.painted = null;
  }

  setColours(colours) {
    this.colours = colours;
    this.painter.setColours(colours);
    this.painted = null;
  }

  get margin() {
    return this.points.length / 2 > MANY ? MARGIN : 0;
  }

  // Show what a camera sees. What was painted is used again where it is near enough and the map is moving.
  show(camera, size, ratio, moving) {
    if (this.painted?.camera.equals(camera) && this.painted.size === size && this.painted.ratio === ratio) return this.slide(camera);
    if (moving && this.covers(camera)) return this.slide(camera);
    return this.paint(camera, size, ratio);
  }

  covers(camera) {
    const before = this.painted?.camera;
    if (!before || !this.margin || before.width !== camera.width || before.height !== camera.height) return false;
    const factor = camera.scale / before.scale;
    if (factor < SMALLEST || factor > LARGEST) return false;
    const [right, down] = this.shift(camera);
    const fits = (shift, side) => Math.abs(shift) + side / 2 <= (0.5 + MARGIN) * side * factor;
    return fits(right, camera.width) && fits(down, camera.height);
  }

  // How far the middle of the sheet is from the middle of the view, in pixels.
  shift(camera) {
    const before = this.painted.camera;
    return [(before.x - camera.x) * camera.scale, (camera.y - before.y) * camera.scale];
  }

  slide(camera) {
    const [right, down] = this.shift(camera);
    this.painter.canvas.style.transform = `translate(${right}px, ${down}px) scale(${camera.scale / this.painted.camera.scale})`;
  }

  paint(camera, size, ratio) {
    const { canvas } = this.painter;
    const wider = camera.widened(1 + 2 * this.margin);
    const [width, height] = [wider.width, wider.height].map((side) => Math.round(side * ratio));
    if (canvas.width !== width || canvas.height !== height) {
      Object.assign(canvas, { width, height });
      Object.assign(canvas.style, { left: `${-this.margin * camera.width}px`, top: `${-this.margin * camera.height}px`, width: `${wider.width}px`, height: `${wider.height}px` });
    }
    this.painter.draw(wider, size, ratio);
    this.painted = { camera: camera.widened(1), size, ratio };
    this.slide(camera);
  }

  // Copy what is in view, which must have been painted as it is shown.
  copyTo(context, camera, ratio) {
    const [left, top] = [this.margin * camera.width * ratio, this.margin * camera.height * ratio];
    context.drawImage(this.painter.canvas, -left, -top);
  }
}
