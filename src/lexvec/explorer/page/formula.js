// Formulas such as "king - man + woman", read as the server reads them.

import { AnswerError } from "./server.js";

const MOST = 20;

// Return {word, sign} for each word; a text that is a word of the vocabulary is that word.
export function parsedFormula(text, isKnown) {
  const whole = text.trim();
  if (isKnown(whole)) return [{ word: whole, sign: 1 }];
  const terms = [];
  let sign = 0; // of the next word, if a sign stands before it
  for (const token of whole.replaceAll("−", "-").split(/\s+/).filter(Boolean)) {
    const signed = "+-".includes(token[0]) && !isKnown(token) ? (token[0] === "+" ? 1 : -1) : 0;
    if (signed && token.length === 1) {
      if (sign) throw new AnswerError({ error: `there are two signs in a row before “${token}”: leave one out` });
      sign = signed;
      continue;
    }
    terms.push({ word: signed ? token.slice(1) : token, sign: signed || sign || 1 });
    sign = 0;
  }
  if (sign || !terms.length) throw new AnswerError({ error: "a word is missing: type one, or a formula such as king - man + woman" });
  if (terms.length > MOST) throw new AnswerError({ error: `${terms.length} words are too many for a formula: give at most ${MOST}` });
  return terms;
}
