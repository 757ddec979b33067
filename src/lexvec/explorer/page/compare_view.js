// Two models side by side: the neighbours of one word in both, and the words whose neighbours differ most.

import { field, make, replaceKeepingFocus } from "./dom.js";
import { csvButton } from "./download.js";
import { failure } from "./failure.js";
import { percent, whole } from "./numbers.js";
import { foundTable, wordLink } from "./tables.js";
import { shown } from "./words.js";

export class CompareView {
  constructor(context) {
    this.context = context;
    this.choice = make("select", { onchange: (event) => context.go({ other: event.target.value }) });
    this.sides = make("div");
    this.different = make("div");
    this.element = make(
      "div",
      {},
      make("section", { class: "panel", "aria-label": "Side by side" }, make("h2", {}, "Two models"), make("div", { class: "tools" }, field("Compare with", this.choice)), this.sides),
      make("section", { class: "panel", "aria-label": "Differences" }, make("h2", {}, "Words whose neighbours differ most"), this.different),
    );
  }

  get other() {
    const { models } = this.context.about;
    const chosen = Number(this.route.other ?? -1);
    return chosen in models && chosen !== this.context.model() ? chosen : models.findIndex((model) => model.number !== this.context.model());
  }

  address(word) {
    return this.context.address({ view: "compare", text: word });
  }

  async update(route) {
    this.route = route;
    const own = this.context.model();
    const others = this.context.about.models.filter((model) => model.number !== own);
    this.choice.replaceChildren(...others.map((model) => make("option", { value: model.number, selected: model.number === this.other }, shown(model.name))));
    await Promise.all([this.showSides(route), this.showDifferent(route)]);
  }

  async showSides(route) {
    if (!route.text) return this.sides.replaceChildren(make("p", {}, "Type a word above to see its neighbours in both models."));
    const numbers = [this.context.model(), this.other];
    try {
      const record = await this.context.source.ask("sides", { model: numbers[0], other: numbers[1], text: route.text, count: 20 });
      if (this.route !== route) return undefined;
      const marked = new Set(record.shared);
      const names = numbers.map((number) => this.context.about.models[number].name);
      const known = record.sides.every((side) => !side.error);
      const tables = names.map((name, place) => this.side(shown(name), record.sides[place], marked));
      const rows = () => names.flatMap((name, place) => record.sides[place].found.map((each) => [name, each.word, each.cosine, marked.has(each.word) ? "yes" : "no"]));
      return replaceKeepingFocus(this.sides, [
        !known ? "" : make("p", { class: "overlap" }, make("strong", {}, percent(record.overlap)), " of the neighbours of ", make("bdi", {}, shown(route.text)), ` are the same (${record.shared.length} of ${Math.max(...record.sides.map((side) => side.found.length))}).`),
        make("div", { class: "columns even" }, tables),
        make("div", { class: "tools" }, csvButton("two models", ["model", "word", "cosine", "in both"], rows)),
      ]);
    } catch (error) {
      return this.route === route && this.sides.replaceChildren(failure(error, (word) => this.address(word)));
    }
  }

  side(name, { found, error }, marked) {
    if (error) return make("div", {}, make("p", { class: "dim" }, name), make("p", { class: "failure" }, error));
    return foundTable(name, found, { address: (word) => this.address(word), marked });
  }

  async showDifferent(route) {
    try {
      const record = await this.context.source.ask("different", { model: this.context.model(), other: this.other });
      if (this.route !== route) return undefined;
      if (record.state === "running") return this.different.replaceChildren(make("p", { role: "status" }, "The neighbours of the frequent words are being compared."));
      if (record.state === "failed") return this.different.replaceChildren(make("p", {}, record.error));
      return this.different.replaceChildren(...this.differentTable(record));
    } catch (error) {
      return this.different.replaceChildren(failure(error, (word) => this.address(word)));
    }
  }

  differentTable(record) {
    const names = [this.context.model(), this.other].map((number) => this.context.about.models[number].name);
    const heads = ["word", "overlap", ...names.map(shown)];
    const rows = record.words.map((each) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, wordLink(each.word, this.address(each.word))),
        make("td", { class: "right" }, percent(each.overlap)),
        each.sides.map((words) => make("td", {}, words.flatMap((word, place) => [place ? ", " : "", make("bdi", {}, shown(word))]))),
      ),
    );
    const about = `The ${whole(record.compared)} most frequent shared words, each with its ${record.nearest} nearest among ${whole(record.among)} words that both models have. On average ${percent(record.mean)} are the same.`;
    return [
      make("p", { class: "note" }, about),
      make("div", { class: "tools" }, csvButton("differences", ["word", "overlap", ...names], () => record.words.map((each) => [each.word, each.overlap, ...each.sides.map((words) => words.join(" "))]))),
      make("div", { class: "scrolling tall", tabindex: "0", role: "region", "aria-label": "Words whose neighbours differ most" },
        make("table", {}, make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, rows))),
    ];
  }

  news(record) {
    if (record.kind === "different" || record.kind === "hello") this.showDifferent(this.route);
  }
}
