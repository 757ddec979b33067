// The compressed vectors of an exported page: each word has a code per piece of its vector, and each code stands for some
// numbers. Decoded and scaled to length 1, a product of two is about their cosine.

import { unpackedBytes, unpackedSigned } from "./numbers.js";

const EPSILON = 0.001; // of 3CosMul, against division by zero

function scaled(vector) {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}

export class EmbeddedVectors {
  constructor({ widths, codes, centroids }, count) {
    this.count = count;
    this.dim = widths.reduce((sum, width) => sum + width, 0);
    this.values = new Float32Array(count * this.dim);
    this.decode(widths, unpackedBytes(codes), unpackedSigned(centroids));
  }

  decode(widths, codes, centroids) {
    const widest = Math.max(...widths);
    for (let row = 0; row < this.count; row += 1) {
      let [place, squares] = [row * this.dim, 0];
      for (let piece = 0; piece < widths.length; piece += 1) {
        const start = (piece * 256 + codes[row * widths.length + piece]) * widest;
        for (let at = start; at < start + widths[piece]; at += 1) {
          this.values[place] = centroids[at];
          squares += centroids[at] ** 2;
          place += 1;
        }
      }
      const length = Math.sqrt(squares) || 1;
      for (let at = row * this.dim; at < place; at += 1) this.values[at] /= length;
    }
  }

  vector(row) {
    return this.values.subarray(row * this.dim, (row + 1) * this.dim);
  }

  // The sum of {row, sign}, scaled to length 1.
  sum(terms) {
    const total = new Float32Array(this.dim);
    for (const { row, sign } of terms) this.vector(row).forEach((value, place) => (total[place] += sign * value));
    return scaled(total);
  }

  cosines(vector) {
    const found = new Float32Array(this.count);
    for (let row = 0; row < this.count; row += 1) {
      let sum = 0;
      for (let place = 0, at = row * this.dim; place < this.dim; place += 1, at += 1) sum += vector[place] * this.values[at];
      found[row] = sum;
    }
    return found;
  }

  // The scores of 3CosMul: a is to b as c is to which word?
  products(a, b, c) {
    const shifted = [b, c, a].map((row) => this.cosines(this.vector(row)).map((cosine) => (Math.max(-1, Math.min(1, cosine)) + 1) / 2));
    return shifted[0].map((factor, row) => (factor * shifted[1][row]) / (shifted[2][row] + EPSILON));
  }
}

// The rows with the largest scores, best first, as [row, score]; of equal scores the lower row comes first.
export function bestRows(scores, count, excluded) {
  const found = [];
  const left = new Set(excluded);
  for (let row = 0; row < scores.length; row += 1) {
    if (left.has(row) || (found.length === count && scores[row] <= found[count - 1][1])) continue;
    let place = found.length;
    while (place > 0 && found[place - 1][1] < scores[row]) place -= 1;
    found.splice(place, 0, [row, scores[row]]);
    if (found.length > count) found.pop();
  }
  return found;
}
