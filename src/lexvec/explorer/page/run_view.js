// A training run under way: how far it is, its loss and its rate; the rest of the page shows its latest checkpoint.

import { lineChart } from "./chart.js";
import { make, replaceKeepingFocus } from "./dom.js";
import { csvButton, drawingButtons } from "./download.js";
import { percent, whole } from "./numbers.js";

const STATES = {
  waiting: "The run has not reported anything yet.",
  running: "Training is under way.",
  finished: "The run is finished; the page shows its result.",
  gone: "The folder of the run is gone, and there is no result.",
};
const STALE = "There has been no news for a minute: the run was probably stopped. Resume it with lexvec train --resume.";

function named(checkpoint) {
  const [, epoch, unit] = /-0*(\d+)-0*(\d+)$/.exec(checkpoint ?? "") ?? [];
  if (epoch === undefined) return "none yet";
  return unit === "0" ? `after epoch ${epoch}` : `in epoch ${Number(epoch) + 1}, unit ${unit}`;
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text; // a screen reader reads a status aloud when it changes
}

export class RunView {
  constructor(context) {
    this.context = context;
    this.state = make("p", { role: "status" });
    this.bar = make("progress", { max: "1", value: "0", "aria-label": "Progress of the run" });
    this.figures = make("dl", { class: "figures" });
    this.curve = make("div");
    this.note = make("p", { class: "note" });
    this.title = make("h2");
    this.element = make("section", { class: "panel", "aria-label": "Run" }, this.title, this.state, this.bar, this.figures, this.note, this.curve);
  }

  number() {
    const { models } = this.context.about;
    return models[this.context.model()].live ? this.context.model() : models.findIndex((model) => model.live);
  }

  async update() {
    try {
      this.show(await this.context.source.ask("run", { model: this.number() }));
    } catch (error) {
      put(this.state, error.message);
    }
  }

  show(record) {
    put(this.title, `Run ${this.context.about.models[record.number].name}`);
    put(this.state, record.stale && record.state === "running" ? STALE : STATES[record.state]);
    this.element.dataset.state = record.state;
    this.bar.value = record.done ?? 0;
    const figures = {
      model: record.parameters ? `${record.parameters.model}, dim ${record.parameters.dim}` : null,
      progress: record.done === undefined ? null : percent(record.done),
      epoch: record.epoch ? `${record.epoch} of ${record.epochs}` : null,
      loss: record.loss?.toFixed(4),
      "learning rate": record.rate?.toFixed(4),
      speed: record.speed ? `${whole(Math.round(record.speed))} ${record.unit}/s` : null,
      checkpoint: record.state === "finished" ? null : named(record.checkpoint),
    };
    this.figures.replaceChildren(
      ...Object.entries(figures)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", { "data-figure": name }, value))),
    );
    const over = record.state === "finished" || record.state === "gone";
    put(this.note, over ? "" : record.note ?? (record.checkpoint ? "Neighbours and the map show the latest checkpoint, and follow it." : "Neighbours appear with the first checkpoint (--checkpoint-every)."));
    this.showCurve(record);
  }

  showCurve(record) {
    const watched = (record.points ?? []).map((point) => [point.done * (record.epochs ?? 1), point.loss]);
    const epochs = (record.epochs_done ?? []).map((epoch, place) => [place + 1, epoch.loss]);
    const series = [{ name: "while watching", points: watched }, { name: "epochs", points: epochs }].filter(({ points }) => points.length > 1);
    if (!series.length) return this.curve.replaceChildren();
    const chart = lineChart({ title: "Mean loss per pair", xName: "epoch", yName: "loss", series });
    const rows = () => series.flatMap(({ name, points }) => points.map(([epoch, loss]) => [name, epoch, loss]));
    const tools = [...drawingButtons("run", () => chart.querySelector("svg")), csvButton("run", ["series", "epoch", "loss"], rows)];
    return replaceKeepingFocus(this.curve, [chart, make("div", { class: "tools" }, ...tools)]);
  }

  news(record) {
    if (["run", "model", "hello"].includes(record.kind)) this.update();
  }
}
