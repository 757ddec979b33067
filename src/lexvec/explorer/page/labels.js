// Where the labels of a map go: frequent words first, and none over another.

const CELL = 64; // pixels of the grid that finds overlaps

class Taken {
  constructor() {
    this.cells = new Map();
  }

  // Take a box if nothing is there yet.
  take(left, top, right, bottom) {
    const keys = [];
    for (let column = Math.floor(left / CELL); column <= Math.floor(right / CELL); column += 1) {
      for (let row = Math.floor(top / CELL); row <= Math.floor(bottom / CELL); row += 1) keys.push(column * 4096 + row);
    }
    for (const key of keys) {
      for (const box of this.cells.get(key) ?? []) {
        if (left < box[2] && right > box[0] && top < box[3] && bottom > box[1]) return false;
      }
    }
    for (const key of keys) {
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push([left, top, right, bottom]);
    }
    return true;
  }
}

// Return {row, x, y} for the labels that fit; those in "first" (the chosen word and its neighbours) come first.
export function placedLabels({ points, words, camera, first, most, width }) {
  const taken = new Taken();
  const placed = [];
  const seen = new Set(first);
  const place = (row) => {
    const x = camera.screenX(points[2 * row]);
    const y = camera.screenY(points[2 * row + 1]);
    if (x < 0 || y < 8 || x > camera.width || y > camera.height - 4) return;
    const left = x + 6;
    if (taken.take(left - 2, y - 8, left + width(words[row]) + 4, y + 8)) placed.push({ row, x: left, y: y + 4 });
  };
  for (const row of first) place(row);
  for (let row = 0; row < words.length && placed.length < most; row += 1) {
    if (!seen.has(row)) place(row);
  }
  return placed;
}

export function rowsInView(points, camera) {
  const rows = [];
  const [wide, high] = [camera.width / 2 / camera.scale, camera.height / 2 / camera.scale];
  for (let row = 0; row < points.length / 2; row += 1) {
    if (Math.abs(points[2 * row] - camera.x) <= wide && Math.abs(points[2 * row + 1] - camera.y) <= high) rows.push(row);
  }
  return rows;
}
