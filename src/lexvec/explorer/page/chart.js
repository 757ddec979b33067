// A small line chart as SVG, with a table of the same figures for those who cannot see it.

import { make, makeSvg } from "./dom.js";
import { shown } from "./words.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 220, 56, 32, 14];
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#a8477c", "#8a6d00", "#3a7ca5"];
const LINE = 17; // pixels of a line of the legend
const TEXT = { fill: "currentColor", "font-size": 12 };
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
    ...ticks(low, high).map((value) => makeSvg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end", ...TEXT }, value.toPrecision(3))),
    ...[left, right].map((value, place) => makeSvg("text", { x: x(value), y: HEIGHT - 12, "text-anchor": place ? "end" : "start", ...TEXT }, String(+value.toFixed(2)))),
    makeSvg("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 12, "text-anchor": "middle", ...TEXT }, xName),
    makeSvg("path", { d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM + 4}H${WIDTH - 8}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.6 }),
  ];
  const names = series.length > 1 ? series.map((each, place) => legendLine(each.name, place)) : [];
  const height = HEIGHT + LINE * names.length; // the legend is part of the drawing, because that can be saved
  const drawing = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${title}: ${yName} over ${xName}` }, ...axes, ...lines.flat(2), ...names.flat());
  return make("figure", { class: "chart" }, make("figcaption", {}, title), drawing);
}

function legendLine(name, place) {
  const y = HEIGHT + LINE * place;
  const line = { d: `M${LEFT} ${y}h30`, stroke: COLOURS[place % COLOURS.length], "stroke-width": 2, "stroke-dasharray": DASHES[place % DASHES.length] };
  return [makeSvg("path", line), makeSvg("text", { x: LEFT + 38, y: y + 4, ...TEXT }, shown(name))];
}
