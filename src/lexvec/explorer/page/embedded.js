// Where answers come from in an exported page: the data within it. Questions and answers are those of the server.

import { AnswerError } from "./server.js";
import { unpackedInts, unpackedShorts } from "./numbers.js";

const SUGGESTED = 8;

class EmbeddedModel {
  constructor(record) {
    this.map = record.map;
    this.words = record.map.words;
    this.nearest = record.nearest;
    this.rows = this.words.length > 65536 ? unpackedInts(record.rows) : unpackedShorts(record.rows);
    this.cosines = unpackedShorts(record.cosines);
    this.index = new Map(this.words.map((word, row) => [word, row]));
  }

  described(row) {
    return { word: this.words[row], rank: row + 1, count: this.map.counts ? this.map.counts[row] : null };
  }

  row(text) {
    const row = this.index.get(text.trim()) ?? this.index.get(text.trim().toLowerCase());
    if (row !== undefined) return row;
    const meant = this.beginning(text.trim().slice(0, 3)).slice(0, 3);
    throw new AnswerError({ error: `“${text}” is not among the exported words`, word: text, meant });
  }

  beginning(text) {
    const prefix = text.trim().toLowerCase();
    const found = [];
    for (const word of prefix ? this.words : []) {
      if (word.toLowerCase().startsWith(prefix)) found.push(word);
      if (found.length === SUGGESTED) break;
    }
    return found;
  }

  neighbours(text, count) {
    const row = this.row(text);
    const found = [];
    for (let place = row * this.nearest; place < row * this.nearest + Math.min(count, this.nearest); place += 1) {
      found.push({ ...this.described(this.rows[place]), cosine: this.cosines[place] / 32767.5 - 1 });
    }
    const terms = [{ ...this.described(row), sign: 1, composed: false }];
    return { text, terms, found, searched: this.words.length, generation: 0 };
  }
}

export class Embedded {
  constructor(record) {
    this.canCompute = false;
    this.record = record;
    this.models = record.models.map((model) => new EmbeddedModel(model));
  }

  async ask(name, parameters = {}) {
    const model = this.models[parameters.model ?? 0];
    const count = Number(parameters.count ?? 20);
    if (name === "about") return this.record.about;
    if (name === "scores") return this.record.scores;
    if (name === "map") return { state: "ready", ...model.map };
    if (name === "suggest") return { text: parameters.text, words: model.beginning(parameters.text), meant: [] };
    if (name === "neighbours") return model.neighbours(parameters.text, count);
    if (name === "sides") return this.sides([model, this.models[parameters.other]], parameters.text, count);
    if (name === "different" && this.record.different) return { state: "ready", ...this.record.different };
    throw new AnswerError({ error: "An exported page cannot answer this." });
  }

  sides(models, text, count) {
    const sides = models.map((model) => model.neighbours(text, count));
    const [one, other] = sides.map((side) => side.found.map((found) => found.word));
    const shared = one.filter((word) => other.includes(word));
    return { text, sides, shared, overlap: shared.length / Math.max(1, one.length, other.length) };
  }

  listen() {}
}
