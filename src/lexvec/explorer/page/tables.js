// Tables of words with their cosines as bars, and tables of results.

import { make, newId } from "./dom.js";
import { figure, whole } from "./numbers.js";
import { LONGEST, shown } from "./words.js";

// The width of a bar is set by script: a style attribute in markup would need an exception in the security policy.
function bar(cosine) {
  const inner = make("span", { class: "bar-filled" });
  inner.style.width = `${Math.max(0, Math.min(1, cosine)) * 100}%`;
  return make("span", { class: "bar", "aria-hidden": "true" }, inner);
}

// A word may be written from right to left, and must not turn what stands around it; one that is too long to ask for is no link.
export function wordLink(word, address) {
  const text = make("bdi", {}, shown(word));
  return word.length > LONGEST ? text : make("a", { href: address, class: "word" }, text);
}

export function foundTable(caption, found, { address, scoreName = "cosine", marked = new Set() }) {
  const counted = found.some((each) => each.count !== null && each.count !== undefined);
  const ranked = found.some((each) => each.rank);
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "word"),
    make("th", { scope: "col", class: "right" }, scoreName),
    ranked ? make("th", { scope: "col", class: "right" }, counted ? "count" : "rank") : null,
  );
  const rows = found.map((each) =>
    make(
      "tr",
      { class: marked.has(each.word) ? "shared" : false },
      make("th", { scope: "row" }, wordLink(each.word, address(each.word)), marked.has(each.word) ? make("span", { class: "mark" }, " in both") : null),
      make("td", { class: "right" }, bar(each.cosine), figure(each.cosine)),
      ranked ? make("td", { class: "right dim" }, whole((counted ? each.count : each.rank) ?? 0)) : null,
    ),
  );
  return make(
    "table",
    { class: "found" },
    make("caption", {}, caption),
    make("thead", {}, head),
    make("tbody", {}, rows),
  );
}

export function resultTable(record) {
  const heads = record.columns.map((column) => make("th", { scope: "col", class: column.align }, column.name));
  const rows = record.rows.map((row) =>
    make("tr", {}, row.map((cell, place) => {
      const tag = place === 0 ? "th" : "td";
      const side = record.columns[place].align;
      return make(tag, { class: side, scope: place === 0 ? "row" : null }, cell.bold ? make("strong", {}, cell.text) : cell.text);
    })),
  );
  const id = newId("table");
  const table = make("table", {}, make("caption", { id }, record.title), make("thead", {}, make("tr", {}, heads)), make("tbody", {}, rows));
  const scrolling = make("div", { class: "scrolling", tabindex: "0", role: "region", "aria-labelledby": id }, table);
  return make("div", { class: "result" }, scrolling, record.notes.map((note) => make("p", { class: "note" }, note)));
}
