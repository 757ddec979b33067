// Words that were probably meant: those with the fewest mistakes, where two letters that changed places are one.

const ALIKE = 0.6; // least likeness of a suggestion, from 0 to 1

export function mistakes(one, other) {
  let [before, last] = [[], Array.from({ length: other.length + 1 }, (_, place) => place)];
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      now[column] = Math.min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped) now[column] = Math.min(now[column], before[column - 2] + 1);
    }
    [before, last] = [last, now];
  }
  return last[other.length];
}

export function meantWords(text, words, count) {
  const typed = text.trim().toLowerCase().slice(0, 50);
  const near = words.filter((word) => typed && Math.abs(word.length - typed.length) <= 2);
  const likeness = near.map((word) => [1 - mistakes(typed, word) / Math.max(typed.length, word.length), word]);
  return likeness.filter(([alike]) => alike >= ALIKE).sort(([one], [other]) => other - one).slice(0, count).map(([, word]) => word);
}
