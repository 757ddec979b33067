// Analogies by both methods, and the word that does not match the others.

import { field, make } from "./dom.js";
import { csvButton } from "./download.js";
import { failure } from "./failure.js";
import { foundTable } from "./tables.js";

function entry(name, value) {
  return make("input", { name, type: "text", value: value ?? "", maxlength: "100", autocomplete: "off", autocapitalize: "off", spellcheck: "false", required: true });
}

export class AnalogyView {
  constructor(context) {
    this.context = context;
    this.answers = make("div");
    this.odd = make("div");
    this.form = make("form", { class: "tools", onsubmit: (event) => this.ask(event) });
    this.oddForm = make("form", { class: "tools", onsubmit: (event) => this.askOdd(event) });
    this.element = make(
      "div",
      {},
      make("section", { class: "panel", "aria-labelledby": "analogy-title" }, make("h2", { id: "analogy-title" }, "Analogy"), this.form, this.answers),
      make("section", { class: "panel", "aria-labelledby": "odd-title" }, make("h2", { id: "odd-title" }, "Which word does not match?"), this.oddForm, this.odd),
    );
  }

  address(word) {
    return this.context.address({ view: "words", text: word });
  }

  async update(route) {
    this.route = route;
    this.form.replaceChildren(field("a", entry("a", route.a)), "is to", field("b", entry("b", route.b)), "as", field("c", entry("c", route.c)), "is to …", make("button", {}, "Answer"));
    this.oddForm.replaceChildren(field("Words", entry("words", route.words)), make("button", {}, "Find"));
    await Promise.all([this.answer(route), this.answerOdd(route)]);
  }

  ask(event) {
    event.preventDefault();
    const given = Object.fromEntries(["a", "b", "c"].map((name) => [name, this.form.elements[name].value.trim()]));
    this.context.go({ view: "analogies", ...given });
  }

  askOdd(event) {
    event.preventDefault();
    this.context.go({ view: "analogies", words: this.oddForm.elements.words.value.trim() });
  }

  async answer(route) {
    const { a, b, c } = route;
    if (!(a && b && c)) return this.answers.replaceChildren(make("p", { class: "note" }, "For example: man is to king as woman is to …"));
    try {
      const record = await this.context.source.ask("analogy", { model: this.context.model(), a, b, c, count: 10 });
      if (this.route !== route) return undefined;
      const tables = [["3CosAdd", "add"], ["3CosMul", "mul"]].map(([name, method]) =>
        make(
          "div",
          {},
          foundTable(name, record[method], { address: (word) => this.address(word), scoreName: method === "add" ? "cosine" : "score" }),
          make("div", { class: "tools" }, csvButton(name, ["word", "score"], () => record[method].map((each) => [each.word, each.cosine]))),
        ),
      );
      return this.answers.replaceChildren(make("div", { class: "columns even" }, tables));
    } catch (error) {
      return this.answers.replaceChildren(failure(error, (word) => this.address(word)));
    }
  }

  async answerOdd(route) {
    const words = (route.words ?? "").split(/[\s,]+/).filter(Boolean);
    if (!words.length) return this.odd.replaceChildren(make("p", { class: "note" }, "For example: breakfast cereal dinner lunch"));
    try {
      const record = await this.context.source.ask("odd", { model: this.context.model(), word: words });
      if (this.route !== route) return undefined;
      return this.odd.replaceChildren(
        make("p", { class: "odd" }, make("strong", {}, record.odd), " matches the others least."),
        foundTable("Cosine with the mean of all", record.words, { address: (word) => this.address(word) }),
      );
    } catch (error) {
      return this.odd.replaceChildren(failure(error, (word) => this.address(word)));
    }
  }

  news() {}
}
