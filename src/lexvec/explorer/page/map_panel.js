// The map with all around it: what it shows and how far to trust it, colours, buttons, and the words in view as a list.

import { labelColour } from "./colours.js";
import { button, field, make } from "./dom.js";
import { csvButton, pngButton, svgButton } from "./download.js";
import { WordMap } from "./map.js";
import { mapCanvas, mapSvg } from "./map_picture.js";
import { percent, unpackedBytes, unpackedShorts, whole } from "./numbers.js";
import { wordLink } from "./tables.js";

const LISTED = 30;
const LAYOUTS = { pca: "Plane of the two strongest directions (PCA)", umap: "Layout that keeps neighbours together (UMAP)" };

export class MapPanel {
  constructor(context) {
    this.context = context;
    this.model = -1;
    this.generation = -1;
    this.highlighted = [];
    this.map = new WordMap({ picked: (word) => context.go({ view: "words", text: word }), moved: () => this.listSoon() });
    this.caption = make("p", { class: "note" });
    this.state = make("p", { class: "note", role: "status" });
    this.words = make("ul", { class: "plain in-view" });
    this.summary = make("summary", {}, "Words in view");
    this.legend = make("ul", { class: "plain legend" });
    this.colour = make(
      "select",
      { onchange: () => this.recolour() },
      make("option", { value: "frequency" }, "frequency"),
      context.about.label_kinds.length ? make("option", { value: "label" }, "label") : null,
    );
    const tools = [
      button("+", () => this.map.zoom(1.5), { "aria-label": "Zoom in" }),
      button("−", () => this.map.zoom(1 / 1.5), { "aria-label": "Zoom out" }),
      button("Show all", () => this.map.fit()),
      pngButton("map", () => mapCanvas(this.map)),
      svgButton("map", () => mapSvg(this.map)),
      csvButton("map", ["word", "x", "y"], () => this.map.inView.map((row) => [this.map.words[row], this.map.points[2 * row], this.map.points[2 * row + 1]])),
    ];
    this.element = make(
      "section",
      { class: "panel map", "aria-label": "Map" },
      make("div", { class: "tools" }, field("Colour by", this.colour), ...tools),
      this.map.element,
      this.legend,
      this.caption,
      this.state,
      make("details", {}, this.summary, this.words),
    );
  }

  // Show the map of a model: the plane at once, the other layout when it is there.
  async show(model) {
    const { generation } = this.context.about.models[model];
    if (model === this.model && generation === this.generation) return;
    this.model = model;
    this.generation = generation;
    this.state.textContent = "The map is being drawn.";
    for (const layout of this.context.about.models[model].layouts) await this.load(layout);
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
    if (model !== this.model || (layout === "pca" && this.layout === "umap" && record.generation === this.shown)) return;
    if (record.state === "running") this.state.textContent = "A layout that keeps neighbours together is being computed.";
    else if (record.state === "failed") this.state.textContent = record.error;
    else this.take(record);
  }

  take(record) {
    this.layout = record.layout;
    this.shown = record.generation;
    const labels = record.labels ? unpackedBytes(record.labels) : null;
    this.map.show({ words: record.words, points: unpackedShorts(record.points), labels });
    this.element.dataset.layout = record.layout;
    const left = record.left_out ? `${whole(record.left_out)} rarer words are left out.` : "All words are on the map.";
    this.caption.textContent =
      `${LAYOUTS[record.layout]} of the ${whole(record.words.length)} most frequent words. ${left} ` +
      `It preserves ${percent(record.preserved)} of the ten nearest neighbours: trust the list, not the map.`;
    this.state.textContent = "";
    this.highlight(this.highlighted);
    this.recolour();
  }

  highlight(words) {
    this.highlighted = words;
    this.map.highlight(words);
  }

  recolour() {
    this.map.colouring = this.colour.value;
    this.map.recolour();
    const kinds = this.colour.value === "label" ? this.context.about.label_kinds : [];
    this.legend.replaceChildren(
      ...kinds.map((kind, place) => {
        const spot = make("span", { class: "spot", "aria-hidden": "true" });
        spot.style.background = labelColour(place);
        return make("li", {}, spot, kind);
      }),
    );
  }

  // While the map moves, frames come first; the list follows when it rests.
  listSoon() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.list(), 120);
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
