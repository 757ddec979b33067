// The search field: a combobox that suggests words while one types a word or the last word of a formula.

import { announce, make } from "./dom.js";

export class Search {
  constructor(source, { model, chosen }) {
    this.source = source;
    this.model = model;
    this.chosen = chosen;
    this.words = [];
    this.active = -1;
    this.field = make("input", {
      id: "word",
      type: "text",
      role: "combobox",
      placeholder: "word, or king - man + woman",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      maxlength: "300",
      "aria-label": "Word or formula",
      "aria-expanded": "false",
      "aria-controls": "suggested",
      "aria-autocomplete": "list",
      oninput: () => this.suggest(),
      onkeydown: (event) => this.press(event),
      onblur: () => this.close(),
    });
    this.list = make("ul", { id: "suggested", role: "listbox", "aria-label": "Suggested words", hidden: true });
    this.element = make("div", { class: "search" }, this.field, this.list);
  }

  show(text) {
    if (document.activeElement !== this.field) this.field.value = text;
    this.close();
  }

  // Only the last word is completed: what stands before it is a formula.
  parts() {
    const [, before, last] = /^([\s\S]*?)(\S*)$/.exec(this.field.value);
    return { before, last };
  }

  async suggest() {
    this.asking?.abort();
    this.asking = new AbortController();
    const { before, last } = this.parts();
    if (!last) return this.close();
    try {
      const answer = await this.source.ask("suggest", { model: this.model(), text: last }, this.asking.signal);
      if (document.activeElement === this.field) this.open(before, answer);
    } catch (error) {
      if (error.name !== "AbortError") this.close();
    }
  }

  open(before, answer) {
    this.words = (answer.words.length ? answer.words : answer.meant).map((word) => ({ word, text: before + word }));
    this.active = -1;
    const prefix = answer.words.length ? "" : "did you mean ";
    this.list.replaceChildren(
      ...this.words.map(({ word }, place) =>
        make(
          "li",
          {
            id: `suggested-${place}`,
            role: "option",
            "aria-selected": "false",
            onpointerdown: (event) => {
              event.preventDefault();
              this.choose(place);
            },
          },
          prefix ? make("span", { class: "dim" }, prefix) : null,
          word,
        ),
      ),
    );
    this.list.hidden = !this.words.length;
    this.field.setAttribute("aria-expanded", String(this.words.length > 0));
    if (this.words.length) announce(`${prefix ? "No such word, but " : ""}${this.words.length} suggestions`);
  }

  close() {
    this.active = -1;
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }

  press(event) {
    const open = !this.list.hidden;
    if (event.key === "Enter") this.choose(this.active);
    else if (event.key === "Escape") this.close();
    else if (open && event.key === "ArrowDown") this.move(1);
    else if (open && event.key === "ArrowUp") this.move(-1);
    else return;
    event.preventDefault();
  }

  move(step) {
    this.active = (this.active + step + this.words.length + (this.active < 0 && step < 0 ? 1 : 0)) % this.words.length;
    for (const [place, option] of [...this.list.children].entries()) {
      option.setAttribute("aria-selected", String(place === this.active));
    }
    this.field.setAttribute("aria-activedescendant", `suggested-${this.active}`);
  }

  choose(place) {
    this.asking?.abort();
    const text = place < 0 ? this.field.value.trim() : this.words[place].text.trim();
    if (!text) return;
    this.field.value = text;
    this.close();
    this.chosen(text);
  }
}
