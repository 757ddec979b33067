// Neighbours of a word or formula, beside the map.

import { announce, field, make } from "./dom.js";
import { csvButton } from "./download.js";
import { failure } from "./failure.js";
import { MapPanel } from "./map_panel.js";
import { whole } from "./numbers.js";
import { foundTable } from "./tables.js";

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
      this.answer.replaceChildren(make("h2", {}, "Neighbours"), this.welcome());
      this.panel.highlight([]);
      return map;
    }
    try {
      const answer = await this.context.source.ask("neighbours", { model, text, count: route.count ?? 20 });
      if (this.route === route) this.show(answer);
    } catch (error) {
      if (this.route !== route) return map;
      this.answer.replaceChildren(make("h2", {}, text), failure(error, (word) => this.address(word)));
      this.panel.highlight([]);
    }
    return map;
  }

  address(word) {
    return this.context.address({ view: "words", text: word });
  }

  welcome() {
    const [first] = [this.context.about.models[this.context.model()]];
    return make(
      "p",
      {},
      `Type a word above, or click one on the map. ${first.name} has ${whole(first.words)} words of ${first.dim} dimensions.`,
    );
  }

  show(answer) {
    const count = make(
      "select",
      { onchange: (event) => this.context.go({ count: event.target.value }) },
      COUNTS.map((number) => make("option", { value: number, selected: String(number) === (this.route.count ?? "20") }, String(number))),
    );
    const composed = answer.terms.filter((term) => term.composed).map((term) => term.word);
    const [term] = answer.terms;
    const facts = answer.terms.length === 1 && !term.composed ? `rank ${whole(term.rank)}${term.count === null ? "" : `, ${whole(term.count)} times in the text`}` : "";
    const rows = () => answer.found.map((each) => [each.word, each.cosine, each.rank, each.count]);
    this.answer.replaceChildren(
      make("h2", {}, answer.terms.length === 1 ? term.word : answer.text),
      facts ? make("p", { class: "note" }, facts) : "",
      composed.length ? make("p", { class: "composed" }, make("strong", {}, "composed"), ` from subwords, because it is not in the vocabulary: ${composed.join(", ")}`) : "",
      make("div", { class: "tools" }, field("Show", count), csvButton("neighbours", ["word", "cosine", "rank", "count"], rows)),
      foundTable(`Nearest of ${whole(answer.searched)} words`, answer.found, { address: (word) => this.address(word) }),
    );
    const own = answer.terms.map((each) => each.word);
    this.panel.highlight([...own, ...answer.found.map((each) => each.word)]);
    announce(`${answer.found.length} neighbours of ${answer.text}`);
  }

  news(record) {
    if (record.kind === "map" && record.name.startsWith(`map:${this.panel.model}:`)) this.panel.load("umap");
    if (record.kind === "theme") this.panel.recolour();
  }
}
