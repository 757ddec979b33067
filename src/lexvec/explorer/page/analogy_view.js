// Analogies by both methods, and the word that does not match the others.

import { field, make } from "./dom.js";
import { csvButton } from "./download.js";
import { failure } from "./failure.js";
import { foundTable } from "./tables.js";
import { WordField } from "./word_field.js";
import { shown } from "./words.js";

const EXAMPLES = {
  analogy: { a: "man", b: "king", c: "woman" },
  odd: { words: "breakfast cereal dinner lunch" },
};

export class AnalogyView {
  constructor(context) {
    this.context = context;
    this.answers = make("div", { "aria-live": "polite" });
    this.odd = make("div", { "aria-live": "polite" });
    this.a = this.entry("a", () => this.ask());
    this.b = this.entry("b", () => this.ask());
    this.c = this.entry("c", () => this.ask());
    this.words = this.entry("Words", () => this.askOdd());
    const submit = (act) => (event) => {
      event.preventDefault();
      act();
    };
    const form = make(
      "form",
      { class: "tools", onsubmit: submit(() => this.ask()) },
      ...[["a", this.a, "is to"], ["b", this.b, "as"], ["c", this.c, "is to …"]].flatMap(([name, entry, after]) => [this.labelled(name, entry), after]),
      make("button", {}, "Answer"),
    );
    const oddForm = make("form", { class: "tools", onsubmit: submit(() => this.askOdd()) }, this.labelled("Words", this.words, "wide"), make("button", {}, "Find"));
    this.element = make(
      "div",
      {},
      make("section", { class: "panel", "aria-labelledby": "analogy-title" }, make("h2", { id: "analogy-title" }, "Analogy"), form, this.answers),
      make("section", { class: "panel", "aria-labelledby": "odd-title" }, make("h2", { id: "odd-title" }, "Which word does not match?"), oddForm, this.odd),
    );
  }

  entry(name, entered) {
    return new WordField(this.context.source, { label: name, model: () => this.context.model(), entered });
  }

  labelled(name, entry, size = "") {
    const shownAs = field(name, entry.field);
    entry.field.removeAttribute("aria-label"); // it has a label that everybody sees
    shownAs.append(entry.list);
    shownAs.classList.add("search", ...(size ? [size] : []));
    return shownAs;
  }

  address(word) {
    return this.context.address({ view: "words", text: word });
  }

  example(name, text) {
    return make("p", { class: "note" }, "For example: ", make("a", { href: this.context.address({ view: "analogies", ...EXAMPLES[name] }) }, text));
  }

  // The same route comes again with a newer checkpoint: then what is being typed stays.
  async update(route) {
    if (this.route !== route) {
      for (const name of ["a", "b", "c", "words"]) this[name].show(route[name] ?? "");
    }
    this.route = route;
    await Promise.all([this.answer(route), this.answerOdd(route)]);
  }

  ask() {
    this.context.go({ view: "analogies", a: this.a.text, b: this.b.text, c: this.c.text });
  }

  askOdd() {
    this.context.go({ view: "analogies", words: this.words.text });
  }

  async answer(route) {
    const { a, b, c } = route;
    if (!(a && b && c)) return this.answers.replaceChildren(a || b || c ? make("p", { class: "failure" }, "Fill in all three words.") : this.example("analogy", "man is to king as woman is to …"));
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
      return this.answers.replaceChildren(make("div", { class: "columns even" }, tables), make("p", { class: "note" }, record.note ?? ""));
    } catch (error) {
      return this.route === route && this.answers.replaceChildren(failure(error, (word) => this.corrected(error.word, word)));
    }
  }

  async answerOdd(route) {
    const words = (route.words ?? "").split(/[\s,]+/).filter(Boolean);
    if (!words.length) return this.odd.replaceChildren(this.example("odd", EXAMPLES.odd.words));
    try {
      const record = await this.context.source.ask("odd", { model: this.context.model(), word: words });
      if (this.route !== route) return undefined;
      return this.odd.replaceChildren(
        make("p", { class: "odd" }, make("strong", {}, make("bdi", {}, shown(record.odd))), " matches the others least."),
        foundTable("Cosine with the mean of all", record.words, { address: (word) => this.address(word) }),
        make("div", { class: "tools" }, csvButton("odd word", ["word", "cosine"], () => record.words.map((each) => [each.word, each.cosine]))),
      );
    } catch (error) {
      return this.route === route && this.odd.replaceChildren(failure(error, (word) => this.corrected(error.word, word)));
    }
  }

  // The same question with another spelling of one word.
  corrected(wrong, right) {
    const { a, b, c, words } = this.route;
    const [first, second, third] = [a, b, c].map((word) => (word === wrong ? right : word));
    const list = words?.split(/[\s,]+/).map((word) => (word === wrong ? right : word)).join(" ");
    return this.context.address({ view: "analogies", a: first, b: second, c: third, words: list });
  }

  news() {}
}
