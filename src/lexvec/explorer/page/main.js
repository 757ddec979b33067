// The page: which view is shown, for which model, and where answers come from.

import { AnalogyView } from "./analogy_view.js";
import { CompareView } from "./compare_view.js";
import { announce, button, field, make } from "./dom.js";
import { Embedded } from "./embedded.js";
import { Router, writeRoute } from "./route.js";
import { RunView } from "./run_view.js";
import { ScoresView } from "./scores_view.js";
import { Search } from "./search.js";
import { Server } from "./server.js";
import { themeButton } from "./theme.js";
import { WordsView } from "./words_view.js";

const VIEWS = {
  words: { title: "Words", view: WordsView, there: () => true },
  analogies: { title: "Analogies", view: AnalogyView, there: ({ source }) => source.canCompute },
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
    this.search = new Search(source, { model: () => this.model(), chosen: (text) => this.go({ view: this.router.route.view === "compare" ? "compare" : "words", text }) });
    this.choice = make("select", { onchange: (event) => this.go({ model: event.target.value, other: undefined }) });
    this.navigation = document.getElementById("views");
    document.getElementById("search").replaceChildren(this.search.element);
    document.getElementById("choices").replaceChildren(field("Model", this.choice), themeButton(() => this.news({ kind: "theme" })));
    document.getElementById("footer").textContent = `lexvec ${about.lexvec}. ${about.exported ? "An exported page: nothing is loaded from elsewhere." : "Served from this machine; nothing is loaded from elsewhere."}`;
    document.getElementById("skip").addEventListener("click", () => this.main.focus());
    addEventListener("keydown", (event) => this.press(event));
    source.listen((record) => this.news(record));
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
    this.choice.replaceChildren(...this.about.models.map((model) => make("option", { value: model.number, selected: model.number === this.model() }, model.name)));
    this.navigation.replaceChildren(
      ...Object.entries(VIEWS)
        .filter(([, view]) => view.there(this))
        .map(([name, view]) => make("li", {}, make("a", { href: this.address({ view: name, text: route.text }), "aria-current": name === this.name ? "page" : null }, view.title))),
    );
    const title = VIEWS[this.name].title;
    document.title = `${route.text ? `${route.text} – ` : ""}${title} – lexvec explorer`;
    this.views[this.name] ??= new VIEWS[this.name].view(this);
    const view = this.views[this.name];
    if (this.main.firstChild !== view.element) this.main.replaceChildren(view.element);
    this.search.show(route.text ?? "");
    return view.update(route);
  }

  async news(record) {
    if (record.kind === "hello" || record.kind === "model") {
      const about = await this.source.ask("about").catch(() => null);
      const changed = about && JSON.stringify(about) !== JSON.stringify(this.about);
      if (about) this.about = about;
      if (changed) this.show();
    }
    if (record.kind === "model") announce(`There is a new checkpoint of ${this.about.models[record.model].name}.`);
    for (const [name, view] of Object.entries(this.views)) {
      if (name === this.name || record.kind === "theme" || record.kind === "map") view.news(record);
    }
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
  const source = data ? new Embedded(JSON.parse(data.textContent)) : new Server();
  try {
    await new Page(source, await source.ask("about")).show();
  } catch (error) {
    document.getElementById("main").replaceChildren(make("p", { class: "failure" }, error.message), button("Try again", () => location.reload()));
  }
}

start();
