// Saving what is shown: CSV, SVG and PNG.

import { button, make, makeSvg } from "./dom.js";

const KEPT = 30000; // milliseconds that a browser may take to fetch what it saves
const DETAIL = 2; // pixels of a picture for each of a drawing

export function save(name, content) {
  const address = URL.createObjectURL(content);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT);
}

// A word may begin with what a spreadsheet takes for a formula: an apostrophe before it keeps it a text.
function cell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv(heads, rows) {
  return [heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export function csvButton(name, heads, rows) {
  return button("CSV", () => save(`${name}.csv`, new Blob([csv(heads, rows())], { type: "text/csv" })), {
    "aria-label": `Save ${name} as CSV`,
  });
}

function svgBlob(drawing) {
  return new Blob([new XMLSerializer().serializeToString(drawing)], { type: "image/svg+xml" });
}

// A copy of a drawing that needs no style sheet, with the colours of the page.
export function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const { width, height } = drawing.viewBox.baseVal;
  const style = getComputedStyle(document.documentElement);
  const [ink, paper] = ["--ink", "--paper"].map((name) => style.getPropertyValue(name).trim());
  for (const [name, value] of Object.entries({ width, height, color: ink, "font-family": "system-ui, sans-serif" })) copy.setAttribute(name, value);
  copy.prepend(makeSvg("rect", { width, height, fill: paper }));
  return copy;
}

async function painted(drawing) {
  const [width, height] = ["width", "height"].map((name) => DETAIL * Number(drawing.getAttribute(name)));
  const address = URL.createObjectURL(svgBlob(drawing));
  const image = new Image(width, height);
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  URL.revokeObjectURL(address);
  return canvas;
}

export function svgButton(name, drawn) {
  return button("SVG", () => save(`${name}.svg`, svgBlob(drawn())), { "aria-label": `Save ${name} as SVG` });
}

export function pngButton(name, canvas) {
  return button("PNG", async () => (await canvas()).toBlob((blob) => save(`${name}.png`, blob)), { "aria-label": `Save ${name} as PNG` });
}

// Both forms of a drawing that the page's own style sheet draws.
export function drawingButtons(name, drawn) {
  const drawing = () => standalone(drawn());
  return [svgButton(name, drawing), pngButton(name, () => painted(drawing()))];
}
