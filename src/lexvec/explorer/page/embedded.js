// Where answers come from in an exported page: the data within it. Questions and answers are those of the server.

import { bestRows, EmbeddedVectors } from "./embedded_vectors.js";
import { parsedFormula } from "./formula.js";
import { unpackedBytes, unpackedInts, unpackedShorts, unpackedSigned } from "./numbers.js";
import { AnswerError } from "./server.js";
import { meantWords } from "./spelling.js";

const SUGGESTED = 8;
const NOTE = "Computed from compressed vectors of the exported words: cosines are approximate, and near ties may change places.";

class EmbeddedModel {
  constructor(record) {
    this.record = record;
    this.map = record.map;
    this.words = record.map.words;
    this.nearest = record.nearest;
    this.rows = this.words.length > 65536 ? unpackedInts(record.rows) : unpackedShorts(record.rows);
    this.falls = unpackedSigned(record.falls);
    this.index = new Map(this.words.map((word, row) => [word, row]));
  }

  // Decoding takes some tenths of a second: it waits until a formula or an analogy is asked for.
  get vectors() {
    this.decoded ??= new EmbeddedVectors(this.record, this.words.length);
    return this.decoded;
  }

  described(row) {
    return { word: this.words[row], rank: row + 1, count: this.map.counts ? this.map.counts[row] : null };
  }

  listed(found) {
    return found.map(([row, cosine]) => ({ ...this.described(row), cosine }));
  }

  row(word) {
    const row = this.index.get(word) ?? this.index.get(word.toLowerCase());
    if (row !== undefined) return row;
    const left = this.map.left_out ? ` (${this.map.left_out.toLocaleString("en")} rarer words are not in this page)` : "";
    throw new AnswerError({ error: `“${word}” is not among the exported words${left}.`, word, meant: meantWords(word, this.words, 5) });
  }

  suggest(text) {
    const prefix = text.trim().toLowerCase();
    const found = [];
    for (const word of prefix ? this.words : []) {
      if (word.toLowerCase().startsWith(prefix)) found.push(word);
      if (found.length === SUGGESTED) break;
    }
    return { text, words: found, meant: found.length || !prefix ? [] : meantWords(text, this.words, SUGGESTED) };
  }

  neighbours(text, count) {
    const terms = parsedFormula(text, (word) => this.index.has(word)).map(({ word, sign }) => ({ row: this.row(word), sign }));
    const described = terms.map(({ row, sign }) => ({ ...this.described(row), sign, composed: false }));
    const about = { text, terms: described, searched: this.words.length, generation: 0 };
    const [{ row, sign }] = terms;
    if (terms.length === 1 && sign === 1) return { ...about, found: this.listed(this.exact(row, count)), most: this.nearest };
    const found = bestRows(this.vectors.cosines(this.vectors.sum(terms)), count, terms.map((term) => term.row));
    return { ...about, found: this.listed(found), note: NOTE };
  }

  // As a side of a comparison: a word that only the other model has is no failure.
  side(text, count) {
    try {
      return this.neighbours(text, count);
    } catch (error) {
      if (!error.word) throw error;
      return { text, found: [], error: error.message };
    }
  }

  // The neighbours that were found before the export; each cosine is stored as its fall from the one before.
  exact(row, count) {
    let fallen = 0;
    return Array.from({ length: Math.min(count, this.nearest) }, (_, number) => {
      const place = row * this.nearest + number;
      fallen += this.falls[place];
      return [this.rows[place], 1 - fallen / this.record.steps];
    });
  }

  analogy(words, count) {
    const [a, b, c] = words.map((word) => this.row(word.trim()));
    const sum = this.vectors.sum([{ row: b, sign: 1 }, { row: a, sign: -1 }, { row: c, sign: 1 }]);
    const [add, mul] = [this.vectors.cosines(sum), this.vectors.products(a, b, c)].map((scores) => this.listed(bestRows(scores, count, [a, b, c])));
    return { words, add, mul, note: NOTE };
  }

  odd(words) {
    if (words.length < 3 || words.length > 50) throw new AnswerError({ error: `give 3 to 50 words to compare, not ${words.length}` });
    const rows = words.map((word) => this.row(word));
    const mean = this.vectors.sum(rows.map((row) => ({ row, sign: 1 })));
    const cosine = (row) => this.vectors.vector(row).reduce((sum, value, place) => sum + value * mean[place], 0);
    const ranked = rows.map((row, place) => ({ word: words[place], cosine: cosine(row) })).sort((one, other) => other.cosine - one.cosine);
    return { odd: ranked.at(-1).word, words: ranked, note: NOTE };
  }
}

export class Embedded {
  constructor(record) {
    this.record = record;
    this.models = record.models.map((model) => new EmbeddedModel(model));
  }

  async ask(name, parameters = {}) {
    const model = this.models[parameters.model ?? 0];
    const { text, a, b, c, word } = parameters;
    const count = Number(parameters.count ?? 20);
    if (name === "about") return this.record.about;
    if (name === "scores") return this.record.scores;
    if (name === "map") return { state: "ready", ...model.map };
    if (name === "suggest") return model.suggest(text);
    if (name === "neighbours") return model.neighbours(text, count);
    if (name === "analogy") return model.analogy([a, b, c], count);
    if (name === "odd") return model.odd([word].flat());
    if (name === "sides") return this.sides([model, this.models[parameters.other]], text, count);
    if (name === "different" && this.record.different) return this.different(parameters);
    throw new AnswerError({ error: "An exported page cannot answer this." });
  }

  sides(models, text, count) {
    const sides = models.map((model) => model.side(text, count));
    if (sides.every((side) => side.error)) models[0].neighbours(text, count); // which says what was probably meant
    const [one, other] = sides.map((side) => side.found.map((found) => found.word));
    const shared = one.filter((word) => other.includes(word));
    return { text, sides, shared, overlap: shared.length / Math.max(1, one.length, other.length) };
  }

  // Only the first two models were compared, in this order.
  different({ model, other }) {
    const { different } = this.record;
    const [first, second] = [model, other].map((number) => Number(number ?? 0));
    if (different.state === "failed") return different;
    if (Math.max(first, second) > 1) return { state: "failed", error: "In an exported page, only the first two models are compared." };
    const turned = first > second ? different.words.map((each) => ({ ...each, sides: [...each.sides].reverse() })) : different.words;
    return { ...different, words: turned };
  }

  listen() {}
}

async function unpacked(text) {
  if (!("DecompressionStream" in globalThis)) throw new Error("This browser is too old for an exported page: use one from 2023 or later.");
  const stream = new Blob([unpackedBytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

export async function embeddedSource(element) {
  return new Embedded(await unpacked(element.textContent));
}
