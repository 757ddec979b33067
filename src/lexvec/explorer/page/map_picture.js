// The map as a picture to keep: what is in view, as SVG or as one canvas.

import { makeSvg } from "./dom.js";

export function mapCanvas(map) {
  const canvas = document.createElement("canvas");
  canvas.width = map.labels.canvas.width;
  canvas.height = map.labels.canvas.height;
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(map.element).getPropertyValue("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  map.moving = false;
  map.draw();
  map.sheet.copyTo(context, map.camera, map.ratio);
  context.drawImage(map.labels.canvas, 0, 0);
  return canvas;
}

function hex(colours, row) {
  return `#${[0, 1, 2].map((part) => colours[3 * row + part].toString(16).padStart(2, "0")).join("")}`;
}

export function mapSvg(map) {
  const { camera, points } = map;
  const { ink, paper, accent } = map.labels;
  const marked = new Set(map.highlighted);
  const at = (row) => ({ cx: camera.screenX(points[2 * row]).toFixed(1), cy: camera.screenY(points[2 * row + 1]).toFixed(1) });
  const circles = map.inView.reverse().map((row) => makeSvg("circle", { ...at(row), r: (map.pointSize / 2).toFixed(1), fill: hex(map.colours, row) }));
  const chosen = map.highlighted.map((row, place) => makeSvg("circle", { ...at(row), r: place ? 4 : 6, fill: accent }));
  map.moving = false;
  map.draw();
  const texts = map.labels.placed.map(({ row, dx }) => {
    const [x, y] = [camera.screenX(points[2 * row]) + dx, camera.screenY(points[2 * row + 1]) + 4];
    return makeSvg("text", { x: x.toFixed(1), y: y.toFixed(1), fill: marked.has(row) ? accent : ink, stroke: paper, "stroke-width": 3, "paint-order": "stroke" }, map.labels.text(row));
  });
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${camera.width} ${camera.height}`, width: camera.width, height: camera.height, "font-family": "system-ui, sans-serif", "font-size": 12 },
    makeSvg("rect", { width: camera.width, height: camera.height, fill: paper }),
    ...circles,
    ...chosen,
    ...texts,
  );
}
