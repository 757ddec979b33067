// Colours of points: by frequency, along one scale of lightness, or by label, in colours that colour-blind readers can
// tell apart (Okabe and Ito's, and two more).

const LABELS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#7f5fc9", "#b8860b"];
const SCALE = {
  light: ["#123a73", "#5b7aa8", "#b9bfae"],
  dark: ["#ffe680", "#b9a268", "#5f6373"],
};
const UNLABELLED = { light: "#c4c4c4", dark: "#55585f" };

function parts(colour) {
  return [1, 3, 5].map((place) => Number.parseInt(colour.slice(place, place + 2), 16));
}

export function labelColour(kind) {
  return LABELS[kind % LABELS.length];
}

export function frequencyStops(dark) {
  return SCALE[dark ? "dark" : "light"];
}

// From the most frequent word to the rarest on the map, by the logarithm of the rank, as frequencies fall.
export function frequencyColours(count, dark) {
  const stops = SCALE[dark ? "dark" : "light"].map(parts);
  const colours = new Uint8Array(3 * count);
  for (let row = 0; row < count; row += 1) {
    const along = (Math.log(row + 10) - Math.log(10)) / Math.max(1e-9, Math.log(count + 10) - Math.log(10));
    const from = Math.min(stops.length - 2, Math.floor(along * (stops.length - 1)));
    const part = along * (stops.length - 1) - from;
    for (let each = 0; each < 3; each += 1) {
      colours[3 * row + each] = stops[from][each] * (1 - part) + stops[from + 1][each] * part;
    }
  }
  return colours;
}

export function labelColours(labels, dark) {
  const none = parts(UNLABELLED[dark ? "dark" : "light"]);
  const known = LABELS.map(parts);
  const colours = new Uint8Array(3 * labels.length);
  labels.forEach((kind, row) => colours.set(kind === 255 ? none : known[kind % known.length], 3 * row));
  return colours;
}
