// A field for words: a combobox that suggests words while one types a word or the last word of several.

import { announce, make, newId } from "./dom.js";
import { shown } from "./words.js";

export class WordField {
  // "entered" is called with the text on Enter, and when a suggestion is chosen if "leaps".
  constructor(source, { model, entered, label, leaps = false, ...properties }) {
    Object.assign(this, { source, model, entered, leaps, words: [], active: -1 });
    this.id = newId("suggested");
    this.field = make("input", {
      type: "text",
      role: "combobox",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      maxlength: "300",
      "aria-label": label,
      "aria-expanded": "false",
      "aria-controls": this.id,
      "aria-autocomplete": "list",
      ...properties,
      oninput: () => this.suggest(),
      onkeydown: (event) => this.press(event),
      onblur: () => this.close(),
    });
    this.list = make("ul", { id: this.id, role: "listbox", "aria-label": "Suggested words", hidden: true });
    this.element = make("div", { class: "search" }, this.field, this.list);
  }

  get text() {
    return this.field.value.trim();
  }

  show(text) {
    this.asking?.abort();
    if (this.text !== text) this.field.value = text;
    this.close();
  }

  // Only the last word is completed: what stands before it are other words, or a formula.
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
      const current = this.parts();
      if (document.activeElement === this.field && current.before === before && current.last === last) this.open(before, answer);
    } catch (error) {
      if (error.name !== "AbortError") this.close();
    }
    return undefined;
  }

  open(before, answer) {
    this.words = (answer.words.length ? answer.words : answer.meant).map((word) => ({ word, text: before + word }));
    this.active = -1;
    this.field.removeAttribute("aria-activedescendant");
    const prefix = answer.words.length ? "" : "did you mean ";
    this.list.replaceChildren(
      ...this.words.map(({ word }, place) =>
        make(
          "li",
          {
            id: `${this.id}-${place}`,
            role: "option",
            "aria-selected": "false",
            onpointerdown: (event) => event.preventDefault(), // the field keeps the focus
            onclick: () => this.choose(place),
          },
          prefix ? make("span", { class: "dim" }, prefix) : null,
          make("bdi", {}, shown(word)),
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
    if (event.key === "Enter" && this.active >= 0) this.choose(this.active);
    else if (event.key === "Enter") this.enter();
    else if (event.key === "Escape" && open) this.close();
    else if (open && event.key === "ArrowDown") this.move(1);
    else if (open && event.key === "ArrowUp") this.move(-1);
    else if (event.key === "ArrowDown") this.suggest();
    else return;
    event.preventDefault();
  }

  move(step) {
    const count = this.words.length;
    this.active = this.active < 0 && step < 0 ? count - 1 : (this.active + step + count) % count;
    for (const [place, option] of [...this.list.children].entries()) {
      option.setAttribute("aria-selected", String(place === this.active));
    }
    this.list.children[this.active].scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
  }

  choose(place) {
    this.field.value = this.words[place].text.trim();
    this.close();
    if (this.leaps) this.enter();
  }

  enter() {
    this.asking?.abort();
    this.close();
    if (this.text) this.entered(this.text);
  }
}
