// Scores with intervals and coverage, paired tests between models, reports of experiments, and loss curves.

import { lineChart } from "./chart.js";
import { make } from "./dom.js";
import { csvButton, drawingButtons } from "./download.js";
import { resultTable } from "./tables.js";

export class ScoresView {
  constructor(context) {
    this.context = context;
    this.element = make("div");
    this.asked = 0;
  }

  // News can come while an answer is on its way: the answer to an older question must not replace that to a newer one.
  async update() {
    const number = ++this.asked;
    let record;
    try {
      record = await this.context.source.ask("scores");
    } catch (error) {
      return number === this.asked && this.element.replaceChildren(make("p", { class: "failure" }, error.message));
    }
    if (number !== this.asked) return undefined;
    return this.element.replaceChildren(
      make("section", { class: "panel", "aria-label": "Scores" }, make("h2", {}, "Scores"), this.scores(record)),
      ...record.reports.map((table) => make("section", { class: "panel", "aria-label": table.title }, this.table(table))),
      record.losses.length ? make("section", { class: "panel", "aria-label": "Loss" }, make("h2", {}, "Loss"), this.losses(record.losses)) : "",
    );
  }

  scores(record) {
    if (record.state === "running") return make("p", { role: "status" }, "The models are being scored on the test sets that were found.");
    if (record.state === "failed") return make("p", {}, record.error);
    return make("div", { class: "results" }, record.tables.map((table) => this.table(table)));
  }

  table(record) {
    const heads = record.columns.map((column) => column.name);
    const rows = () => record.rows.map((row) => row.map((cell) => cell.text));
    return make("div", {}, resultTable(record), make("div", { class: "tools" }, csvButton(record.title, heads, rows)));
  }

  losses(models) {
    const series = models.map((model) => ({ name: model.name, points: model.losses.map((epoch, place) => [place + 1, epoch.loss]) }));
    const chart = lineChart({ title: "Mean loss per pair", xName: "epoch", yName: "loss", series });
    const rows = () => models.flatMap((model) => model.losses.map((epoch, place) => [model.name, place + 1, epoch.loss, epoch.pairs]));
    const table = {
      title: "Loss by epoch",
      columns: [{ name: "model", align: "left" }, ...["epoch", "loss", "pairs"].map((name) => ({ name, align: "right" }))],
      rows: rows().map((row) => row.map((value) => ({ text: typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 5 }) : value, bold: false }))),
      notes: [],
    };
    return make(
      "div",
      {},
      chart,
      make("div", { class: "tools" }, ...drawingButtons("loss", () => chart.querySelector("svg")), csvButton("loss", ["model", "epoch", "loss", "pairs"], rows)),
      make("details", {}, make("summary", {}, "The same as a table"), resultTable(table)),
    );
  }

  news(record) {
    if (["scores", "model", "hello"].includes(record.kind)) this.update();
  }
}
