// Light or dark: the system's choice, or the reader's.

import { button } from "./dom.js";

const NAMES = ["auto", "light", "dark"];
const KEY = "lexvec-theme";

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is not allowed in a frame
  }
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

export function themeButton(changed) {
  const control = button("", () => choose(NAMES[(NAMES.indexOf(now) + 1) % NAMES.length]));
  let now = NAMES.includes(stored()) ? stored() : "auto";

  function choose(name) {
    now = name;
    document.documentElement.dataset.theme = name;
    control.textContent = `Theme: ${name}`;
    try {
      localStorage.setItem(KEY, name);
    } catch {
      // it lasts as long as the page
    }
    changed();
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  choose(now);
  return control;
}
