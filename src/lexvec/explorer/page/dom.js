// Building elements. Words come from files and may hold markup, so children are only ever inserted as text or nodes.

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export function make(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function makeSvg(tag, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

export function button(text, onclick, properties = {}) {
  return make("button", { type: "button", onclick, ...properties }, text);
}

let numbered = 0;

export function newId(prefix) {
  numbered += 1;
  return `${prefix}-${numbered}`;
}

// A control with its label beside it: a label around it would take the options of a choice for its own text.
export function field(label, control) {
  control.id ||= newId("field");
  return make("span", { class: "field" }, make("label", { for: control.id }, label), control);
}

export function announce(text) {
  document.getElementById("announcement").textContent = text;
}

// Put other children into an element. A reader who was on one of the old ones goes on at the same place in the new ones, or at
// "otherwise".
export function replaceKeepingFocus(parent, children, otherwise = null) {
  const held = parent.contains(document.activeElement) ? document.activeElement : null;
  const key = (each) => each.getAttribute("aria-label") ?? each.getAttribute("name") ?? (each.tagName === "SELECT" ? "" : each.textContent);
  parent.replaceChildren(...children);
  if (!held) return;
  const same = [...parent.querySelectorAll(held.tagName)].find((each) => key(each) === key(held));
  (same ?? otherwise)?.focus();
}
