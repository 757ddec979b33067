// Saving what is shown: CSV, SVG and PNG.

import { button, make } from "./dom.js";

export function save(name, content) {
  const address = URL.createObjectURL(content);
  const link = make("a", { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
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

export function svgButton(name, drawn) {
  const written = () => new XMLSerializer().serializeToString(drawn());
  return button("SVG", () => save(`${name}.svg`, new Blob([written()], { type: "image/svg+xml" })), {
    "aria-label": `Save ${name} as SVG`,
  });
}

export function pngButton(name, painted) {
  return button("PNG", () => painted().toBlob((blob) => save(`${name}.png`, blob)), {
    "aria-label": `Save ${name} as PNG`,
  });
}
