// A small line chart as SVG, with a table of the same figures for those who cannot see it.

import { make, makeSvg } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 220, 56, 32, 14];
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#a8477c", "#8a6d00", "#3a7ca5"];
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "4 4", "1 2"];

function ticks(low, high) {
  return [0, 0.5, 1].map((part) => low + part * (high - low));
}

// "series" are {name, points: [[x, y], …]}; lines differ in colour and in dashes.
export function lineChart({ title, xName, yName, series }) {
  const all = series.flatMap((each) => each.points);
  const [xs, ys] = [0, 1].map((side) => all.map((point) => point[side]));
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const x = (value) => LEFT + ((value - left) / (right - left || 1)) * (WIDTH - LEFT - 12);
  const y = (value) => HEIGHT - BOTTOM - ((value - low) / (high - low || 1)) * (HEIGHT - BOTTOM - TOP);
  const lines = series.map((each, place) => [
    makeSvg("polyline", {
      points: each.points.map((point) => `${x(point[0]).toFixed(1)},${y(point[1]).toFixed(1)}`).join(" "),
      fill: "none",
      stroke: COLOURS[place % COLOURS.length],
      "stroke-width": 2,
      "stroke-dasharray": DASHES[place % DASHES.length],
    }),
    each.points.length < 30 ? each.points.map((point) => makeSvg("circle", { cx: x(point[0]).toFixed(1), cy: y(point[1]).toFixed(1), r: 3, fill: COLOURS[place % COLOURS.length] })) : [],
  ]);
  const axes = [
    ...ticks(low, high).map((value) => makeSvg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value.toPrecision(3))),
    ...[left, right].map((value, place) => makeSvg("text", { x: x(value), y: HEIGHT - 12, "text-anchor": place ? "end" : "start" }, String(+value.toFixed(2)))),
    makeSvg("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 12, "text-anchor": "middle" }, xName),
    makeSvg("path", { d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM + 4}H${WIDTH - 8}`, class: "axis" }),
  ];
  const drawing = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${yName} over ${xName}` }, ...axes, ...lines.flat(2));
  const legend = series.length > 1 ? make("ul", { class: "plain legend" }, series.map((each, place) => make("li", {}, legendLine(place), each.name))) : null;
  return make("figure", { class: "chart" }, make("figcaption", {}, title), drawing, legend);
}

function legendLine(place) {
  return makeSvg("svg", { viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": "true" }, makeSvg("path", { d: "M0 4H30", stroke: COLOURS[place % COLOURS.length], "stroke-width": 2, "stroke-dasharray": DASHES[place % DASHES.length] }));
}
