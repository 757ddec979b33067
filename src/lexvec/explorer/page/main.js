// The page: which view is shown, for which model, and where answers come from.

import { AnalogyView } from "./analogy_view.js";
import { CompareView } from "./compare_view.js";
import { announce, button, field, make } from "./dom.js";
import { embeddedSource } from "./embedded.js";
import { Router, writeRoute } from "./route.js";
import { RunView } from "./run_view.js";
import { ScoresView } from "./scores_view.js";
import { Server } from "./server.js";
import { themeButton } from "./theme.js";
import { WordField } from "./word_field.js";
import { shown } from "./words.js";
import { WordsView } from "./words_view.js";

const VIEWS = {
  words: { title: "Words", view: WordsView, there: () => true },
  analogies: { title: "Analogies", view: AnalogyView, there: () => true },
  compare: { title: "Compare", view: CompareView, there: ({ about }) => about.models.length > 1 },
  scores: { title: "Scores", view: ScoresView, there: () => true },
  run: { title: "Run", view: RunView, there: ({ about }) => about.models.some((model) => model.live) },
};

class Page {
  constructor(source, about) {
    this.source = source;
    this.about = about;
    this.views = {};
    this.main = document.getElementById("main");
    this.router = new Router(() => this.show());
    this.search = new WordField(source, {
      id: "word",
      label: "Word or formula",
      placeholder: "word, or king - man + woman",
      leaps: true,
      model: () => this.model(),
      entered: (text) => this.go({ view: this.name === "compare" ? "compare" : "words", text }),
    });
    this.choice = make("select", { onchange: (event) => this.go({ model: event.target.value, other: undefined }) });
    this.links = Object.fromEntries(Object.entries(VIEWS).map(([name, view]) => [name, make("a", {}, view.title)]));
    this.place();
    addEventListener("keydown", (event) => this.press(event));
    source.listen((record) => this.news(record));
  }

  place() {
    document.getElementById("search").replaceChildren(this.search.element);
    document.getElementById("choices").replaceChildren(field("Model", this.choice), themeButton(() => this.news({ kind: "theme" })));
    document.getElementById("views").replaceChildren(...Object.values(this.links).map((link) => make("li", {}, link)));
    document.getElementById("skip").addEventListener("click", () => this.main.focus());
    const origin = this.about.exported ? "An exported page" : "Served from this machine";
    document.getElementById("footer").textContent = `lexvec ${this.about.lexvec}. ${origin}; nothing is loaded from elsewhere.`;
  }

  model() {
    const chosen = Number(this.router.route.model ?? 0);
    return chosen in this.about.models ? chosen : 0;
  }

  go(changes) {
    this.router.go(changes);
  }

  address(changes) {
    const { model, other } = this.router.route;
    return writeRoute({ model, other, ...changes });
  }

  get name() {
    const { view } = this.router.route;
    return view in VIEWS && VIEWS[view].there(this) ? view : "words";
  }

  show() {
    const { route } = this.router;
    const title = VIEWS[this.name].title;
    document.title = `${route.text ? `${shown(route.text)} – ` : ""}${title} – lexvec explorer`;
    this.showChoices(route);
    this.search.show(route.text ?? "");
    this.views[this.name] ??= new VIEWS[this.name].view(this);
    const view = this.views[this.name];
    if (this.main.firstChild !== view.element) this.main.replaceChildren(view.element);
    return view.update(route);
  }

  // Links and choices stay the same elements, so that a reader keeps the focus on one of them.
  showChoices(route) {
    const names = this.about.models.map((model) => model.name);
    if (names.length !== this.choice.options.length) {
      this.choice.replaceChildren(...names.map((name, number) => make("option", { value: number }, shown(name))));
    }
    this.choice.value = String(this.model());
    for (const [name, link] of Object.entries(this.links)) {
      link.parentElement.hidden = !VIEWS[name].there(this);
      link.href = this.address({ view: name, text: route.text });
      if (name === this.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  async news(record) {
    if (record.kind === "hello" || record.kind === "model") {
      const about = await this.source.ask("about").catch(() => null);
      const changed = about && JSON.stringify(about) !== JSON.stringify(this.about);
      if (about) this.about = about;
      if (changed) this.refresh();
    }
    if (record.kind === "model") announce(`There is a new checkpoint of ${this.about.models[record.model].name}.`);
    for (const [name, view] of Object.entries(this.views)) {
      if (name === this.name || record.kind === "theme" || record.kind === "map") view.news(record);
    }
  }

  // Show the same view of newer vectors; what somebody is typing stays.
  refresh() {
    this.showChoices(this.router.route);
    return this.views[this.name]?.update(this.router.route);
  }

  // "/" goes to the search field, as on many sites, unless something is being typed.
  press(event) {
    if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    this.search.field.focus();
  }
}

async function start() {
  const address = new URL(location.href);
  if (address.searchParams.has("token")) {
    address.searchParams.delete("token"); // the cookie has taken its place
    history.replaceState(null, "", address);
  }
  const data = document.getElementById("embedded");
  try {
    const source = data ? await embeddedSource(data) : new Server();
    await new Page(source, await source.ask("about")).show();
  } catch (error) {
    document.getElementById("main").replaceChildren(make("p", { class: "failure" }, error.message), button("Try again", () => location.reload()));
  }
}

start();
