// Where the labels of a map go: frequent words first, and none over another.

const CELL = 8; // pixels of the grid that finds overlaps
const HALF = 8; // pixels above and below the middle of a label
const GAP = 7; // pixels between a point and its label

class Taken {
  constructor(width, height) {
    this.columns = Math.ceil(width / CELL) + 1;
    this.rows = Math.ceil(height / CELL) + 1;
    this.cells = new Uint8Array(this.columns * this.rows);
  }

  has(x, y) {
    return this.cells[Math.floor(y / CELL) * this.columns + Math.floor(x / CELL)] === 1;
  }

  // Take a box if nothing is there yet.
  take(left, top, right, bottom) {
    const [first, last] = [Math.max(0, Math.floor(left / CELL)), Math.min(this.columns - 1, Math.floor(right / CELL))];
    const [highest, lowest] = [Math.max(0, Math.floor(top / CELL)), Math.min(this.rows - 1, Math.floor(bottom / CELL))];
    for (let row = highest; row <= lowest; row += 1) {
      if (this.cells.subarray(row * this.columns + first, row * this.columns + last + 1).includes(1)) return false;
    }
    for (let row = highest; row <= lowest; row += 1) this.cells.fill(1, row * this.columns + first, row * this.columns + last + 1);
    return true;
  }
}

// Return {row, dx}: the labels that fit, and how far right of its point each begins. Those in "first" (the chosen word and
// its neighbours) come first. "width" measures a word, which takes long: nearly all words are passed over before that.
export function placedLabels({ points, words, camera, first, most, width }) {
  const taken = new Taken(camera.width, camera.height);
  const placed = [];
  const seen = new Set(first);
  const place = (row) => {
    const x = camera.screenX(points[2 * row]);
    const y = camera.screenY(points[2 * row + 1]);
    if (x < 0 || y < HALF || x > camera.width || y > camera.height - HALF / 2 || taken.has(x, y)) return;
    const wide = width(row);
    const dx = x + GAP + wide > camera.width ? -GAP - wide : GAP;
    if (taken.take(x + dx - 2, y - HALF, x + dx + wide + 4, y + HALF - 1)) placed.push({ row, dx });
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
