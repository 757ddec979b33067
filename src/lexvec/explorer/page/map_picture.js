// The map as a picture to keep: what is in view, as SVG or as one canvas.

import { makeSvg } from "./dom.js";

export function mapCanvas(map) {
  const canvas = document.createElement("canvas");
  canvas.width = map.overlay.width;
  canvas.height = map.overlay.height;
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(map.element).getPropertyValue("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  map.draw();
  context.drawImage(map.painter.canvas, 0, 0);
  context.drawImage(map.overlay, 0, 0);
  return canvas;
}

function hex(colours, row) {
  return `#${[0, 1, 2].map((part) => colours[3 * row + part].toString(16).padStart(2, "0")).join("")}`;
}

export function mapSvg(map) {
  const { camera, points } = map;
  const style = getComputedStyle(map.element);
  const [ink, paper, accent] = ["--ink", "--paper", "--accent"].map((name) => style.getPropertyValue(name).trim());
  const marked = new Set(map.highlighted);
  const at = (row) => ({ cx: camera.screenX(points[2 * row]).toFixed(1), cy: camera.screenY(points[2 * row + 1]).toFixed(1) });
  const circles = map.inView.reverse().map((row) => makeSvg("circle", { ...at(row), r: (map.pointSize / 2).toFixed(1), fill: hex(map.colours, row) }));
  const chosen = map.highlighted.map((row, place) => makeSvg("circle", { ...at(row), r: place ? 4 : 7, fill: accent }));
  const texts = map.visibleLabels(map.overlay.getContext("2d")).map(({ row, x, y }) =>
    makeSvg("text", { x: x.toFixed(1), y: y.toFixed(1), fill: marked.has(row) ? accent : ink, stroke: paper, "stroke-width": 3, "paint-order": "stroke" }, map.words[row]),
  );
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${camera.width} ${camera.height}`, width: camera.width, height: camera.height, "font-family": "system-ui, sans-serif", "font-size": 12 },
    makeSvg("rect", { width: camera.width, height: camera.height, fill: paper }),
    ...circles,
    ...chosen,
    ...texts,
  );
}
