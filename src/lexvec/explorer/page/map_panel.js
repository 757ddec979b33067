// The map with all around it: what it shows and how far to trust it, colours, buttons, and the words in view as a list.

import { frequencyStops, labelColour } from "./colours.js";
import { button, field, make } from "./dom.js";
import { csvButton, pngButton, svgButton } from "./download.js";
import { WordMap } from "./map.js";
import { mapCanvas, mapSvg } from "./map_picture.js";
import { percent, unpackedBytes, unpackedShorts, whole } from "./numbers.js";
import { wordLink } from "./tables.js";
import { isDark } from "./theme.js";
import { shown } from "./words.js";

const LISTED = 30;
const LAYOUTS = { pca: "Plane of the two strongest directions (PCA)", umap: "Layout that keeps neighbours together (UMAP)" };
const WAITING = { pca: "The map is being computed.", umap: "A layout that keeps neighbours together is being computed." };

export class MapPanel {
  constructor(context) {
    this.context = context;
    this.model = -1;
    this.generation = -1;
    this.highlighted = { words: [], chosen: 0 };
    this.map = new WordMap({ picked: (word) => context.go({ view: "words", text: word }), rested: () => this.list() });
    this.caption = make("p", { class: "note" });
    this.state = make("p", { class: "note", role: "status" });
    this.missing = make("p", { class: "note" });
    this.words = make("ul", { class: "plain in-view" });
    this.summary = make("summary", {}, "Words in view");
    this.legend = make("ul", { class: "plain legend", "aria-label": "Colours" });
    const options = ["frequency", ...(context.about.label_kinds.length ? ["label"] : [])];
    this.colour = make("select", { onchange: () => this.recolour() }, options.map((name) => make("option", { value: name }, name)));
    this.framing = button("Show neighbours", () => this.map.frame(), { hidden: true });
    this.element = make(
      "section",
      { class: "panel map", "aria-label": "Map" },
      make("div", { class: "tools" }, field("Colour by", this.colour), ...this.tools()),
      this.map.element,
      this.legend,
      this.state,
      this.missing,
      this.caption,
      make("details", {}, this.summary, this.words),
    );
  }

  tools() {
    const { map } = this;
    const rows = () => map.inView.map((row) => [map.words[row], map.points[2 * row], map.points[2 * row + 1]]);
    return [
      button("+", () => map.zoom(1.5), { "aria-label": "Zoom in" }),
      button("−", () => map.zoom(1 / 1.5), { "aria-label": "Zoom out" }),
      button("Show all", () => map.fit()),
      this.framing,
      make("span", { class: "apart" }),
      pngButton("map", () => mapCanvas(map)),
      svgButton("map", () => mapSvg(map)),
      csvButton("map", ["word", "x", "y"], rows),
    ];
  }

  // Show the map of a model: the plane at once, the other layout when it is there.
  async show(model) {
    const { generation, layouts } = this.context.about.models[model];
    if (model === this.model && generation === this.generation) return;
    const other = model !== this.model;
    this.model = model;
    this.generation = generation;
    if (other) this.clear();
    if (generation >= 0) await Promise.all(layouts.map((layout) => this.load(layout)));
  }

  // A map of another model must not stand beside the neighbours of this one.
  clear() {
    this.layout = undefined;
    this.element.dataset.layout = "";
    this.map.show({ words: [], points: [], kinds: null, fresh: true });
    this.caption.textContent = "";
    this.state.textContent = this.generation < 0 ? "The map appears with the first checkpoint." : WAITING.pca;
  }

  // "map:LAYOUT:MODEL:GENERATION" is ready.
  async loadNamed(name) {
    const [, layout, model] = name.split(":");
    if (Number(model) === this.model) await this.load(layout);
  }

  // News may have been missed before the connection was there.
  async loadAgain() {
    const wanted = this.context.about.models[this.model]?.layouts ?? [];
    if (this.shown === this.generation && this.layout === wanted.at(-1)) return;
    await Promise.all(wanted.map((layout) => this.load(layout)));
  }

  async load(layout) {
    const model = this.model;
    let record;
    try {
      record = await this.context.source.ask("map", { model, layout });
    } catch (error) {
      this.state.textContent = error.message;
      return;
    }
    const passed = layout === "pca" && this.layout === "umap" && record.generation === this.shown;
    if (model !== this.model || passed) return;
    if (record.state === "running") this.state.textContent = WAITING[layout];
    else if (record.state === "failed") this.state.textContent = record.error;
    else this.take(record);
  }

  take(record) {
    const kinds = record.labels ? unpackedBytes(record.labels) : null;
    this.map.show({ words: record.words, points: unpackedShorts(record.points), kinds, fresh: this.layout !== record.layout });
    this.layout = record.layout;
    this.shown = record.generation;
    this.element.dataset.layout = record.layout;
    const left = record.left_out ? `${whole(record.left_out)} rarer words are left out.` : "All words are on the map.";
    this.caption.textContent =
      `${LAYOUTS[record.layout]} of the ${whole(record.words.length)} most frequent words. ${left} ` +
      `It preserves ${percent(record.preserved)} of the ten nearest neighbours: trust the list, not the map.`;
    const more = record.layout === "pca" && this.context.about.models[this.model].layouts.includes("umap");
    this.state.textContent = more ? WAITING.umap : "";
    this.recolour();
    this.highlight(this.highlighted.words, this.highlighted.chosen);
  }

  // The first "chosen" words are what was asked for, the others are neighbours.
  highlight(words, chosen) {
    this.highlighted = { words, chosen };
    const rows = this.map.highlight(words, chosen);
    this.framing.hidden = !this.map.highlighted.length;
    const missing = this.map.words.length ? words.slice(0, chosen).filter((_, place) => rows[place] === undefined) : [];
    this.missing.textContent = missing.length ? `Not on the map: ${missing.map(shown).join(", ")}.` : "";
  }

  recolour() {
    this.map.colouring = this.colour.value;
    this.map.recolour();
    const spot = (colour) => {
      const made = make("span", { class: "spot", "aria-hidden": "true" });
      made.style.background = colour;
      return made;
    };
    const kinds = this.context.about.label_kinds.map((kind, place) => make("li", {}, spot(labelColour(place)), shown(kind)));
    const scale = make("li", {}, "frequent ", ...frequencyStops(isDark()).map(spot), "rare");
    this.legend.replaceChildren(...(this.colour.value === "label" ? kinds : [scale]));
  }

  list() {
    const rows = this.map.inView;
    this.summary.textContent = `Words in view: ${whole(rows.length)}${rows.length > LISTED ? `, the ${LISTED} most frequent` : ""}`;
    const words = rows.slice(0, LISTED).map((row) => this.map.words[row]);
    const key = words.join("\n");
    if (key === this.listed) return;
    this.listed = key;
    this.words.replaceChildren(
      ...words.map((word) => make("li", {}, wordLink(word, this.context.address({ view: "words", text: word })))),
    );
  }
}
