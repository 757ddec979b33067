// What the page shows instead of an answer: the reason, and words that were probably meant.

import { announce, make } from "./dom.js";
import { wordLink } from "./tables.js";

export function failure(error, address) {
  announce(error.message);
  const meant = (error.meant ?? []).map((word) => make("li", {}, wordLink(word, address(word))));
  return make(
    "div",
    { class: "failure" },
    make("p", {}, error.message),
    meant.length ? make("div", {}, make("p", {}, "Did you mean"), make("ul", { class: "plain" }, meant)) : null,
  );
}
