// Neighbours of a word or formula, beside the map.

import { announce, field, make, replaceKeepingFocus } from "./dom.js";
import { csvButton } from "./download.js";
import { failure } from "./failure.js";
import { MapPanel } from "./map_panel.js";
import { whole } from "./numbers.js";
import { foundTable } from "./tables.js";
import { shown } from "./words.js";

const COUNTS = [10, 20, 50, 100];

export class WordsView {
  constructor(context) {
    this.context = context;
    this.panel = new MapPanel(context);
    this.answer = make("div", { class: "answer" });
    this.element = make("div", { class: "columns" }, make("section", { class: "panel", "aria-label": "Neighbours" }, this.answer), this.panel.element);
  }

  async update(route) {
    this.route = route;
    const model = this.context.model();
    const map = this.panel.show(model);
    const text = route.text ?? "";
    if (!text) {
      this.put("Neighbours", [this.welcome()]);
      this.panel.highlight([], 0);
      return map;
    }
    try {
      const answer = await this.context.source.ask("neighbours", { model, text, count: route.count ?? 20 });
      if (this.route === route) this.show(answer);
    } catch (error) {
      if (this.route !== route) return map;
      this.put(shown(text), [failure(error, (word) => this.address(corrected(text, error.word, word)))]);
      this.panel.highlight([], 0);
    }
    return map;
  }

  put(title, children) {
    const heading = make("h2", { tabindex: "-1" }, make("bdi", {}, title));
    replaceKeepingFocus(this.answer, [heading, ...children], heading);
  }

  address(text) {
    return this.context.address({ view: "words", text, count: this.route.count });
  }

  welcome() {
    const model = this.context.about.models[this.context.model()];
    if (!model.words) return make("p", {}, `${shown(model.name)} has no checkpoint yet. Its words appear here with the first one.`);
    return make("p", {}, `Type a word above, or click one on the map. ${shown(model.name)} has ${whole(model.words)} words of ${model.dim} dimensions.`);
  }

  show(answer) {
    const rows = () => answer.found.map((each) => [each.word, each.cosine, each.rank, each.count]);
    const among = this.context.about.exported ? "exported words" : "words";
    this.put(answer.terms.length === 1 ? shown(answer.terms[0].word) : shown(answer.text), [
      ...facts(answer).map((text) => make("p", { class: "note" }, text)),
      ...composed(answer),
      make("div", { class: "tools" }, ...this.counts(answer.most ?? Infinity), csvButton("neighbours", ["word", "cosine", "rank", "count"], rows)),
      foundTable(`Nearest of ${whole(answer.searched)} ${among}`, answer.found, { address: (word) => this.address(word) }),
      ...(answer.note ? [make("p", { class: "note" }, answer.note)] : []),
    ]);
    const own = answer.terms.map((each) => each.word);
    this.panel.highlight([...own, ...answer.found.map((each) => each.word)], own.length);
    announce(`${answer.found.length} neighbours of ${answer.text}`);
  }

  // How many neighbours to show; an exported page may have few of a word.
  counts(most) {
    const numbers = COUNTS.filter((number) => number <= most);
    if (numbers.length < 2) return [];
    const options = numbers.map((number) => make("option", { value: number, selected: String(number) === (this.route.count ?? "20") }, String(number)));
    return [field("Show", make("select", { onchange: (event) => this.context.go({ count: event.target.value }) }, options))];
  }

  news(record) {
    if (record.kind === "map") this.panel.loadNamed(record.name);
    if (record.kind === "hello") this.panel.loadAgain();
    if (record.kind === "theme") this.panel.recolour();
  }
}

function facts({ terms: [term, ...others] }) {
  if (others.length || term.composed) return [];
  return [`rank ${whole(term.rank)}${term.count === null ? "" : `, ${whole(term.count)} times in the text`}`];
}

function composed({ terms }) {
  const words = terms.filter((term) => term.composed).map((term) => shown(term.word));
  if (!words.length) return [];
  const because = `from subwords, because ${words.length === 1 ? "it is" : "they are"} not in the vocabulary: `;
  return [make("p", { class: "composed" }, make("strong", {}, "composed"), ` ${because}`, make("bdi", {}, words.join(", ")))];
}

// The same formula with another spelling of one word.
function corrected(text, wrong, right) {
  return text.split(/(\s+)/).map((part) => (part === wrong ? right : part.slice(1) === wrong && "+-−".includes(part[0]) ? part[0] + right : part)).join("");
}
