// Words as they are shown: they come from files, and may hold anything.

export const LONGEST = 300; // characters that the server takes
const SHOWN = 80;

// Control and format characters, lone surrogates and line ends, as in the terminal; joiners are part of the spelling.
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

export function shown(word) {
  const visible = word.replace(UNSEEN, (character) => `\\u${character.codePointAt(0).toString(16).padStart(4, "0")}`);
  return visible.length > SHOWN ? `${visible.slice(0, SHOWN)}…` : visible;
}
