// Building blocks of the page: elements, and names as people read them.

const SVG = "http://www.w3.org/2000/svg";

/** Sets attributes, listeners (`onclick`) and children of a node; null and false leave one out. */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** A new HTML element. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** A new SVG element. */
export function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** A button with a text; `key` is shown as its shortcut. */
export function button(text, onclick, attributes = {}, key = null) {
  const hint = key ? element("kbd", { "aria-hidden": "true" }, key) : null;
  const all = { type: "button", onclick, "aria-keyshortcuts": key, ...attributes };
  return element("button", all, text, hint);
}

const ICONS = {
  play: "M4 2.5 13 8 4 13.5Z",
  pause: "M3.5 2.5h3.2v11H3.5ZM9.3 2.5h3.2v11H9.3Z",
  next: "M5.5 3 11 8 5.5 13 4 11.6 8 8 4 4.4Z",
  back: "M10.5 3 5 8l5.5 5L12 11.6 8 8l4-3.6Z",
  farNext: "M3 3 8 8l-5 5ZM8.5 3l5 5-5 5Z",
  farBack: "M13 3 8 8l5 5ZM7.5 3l-5 5 5 5Z",
  last: "M3 3 10 8 3 13ZM11 3h2.2v10H11Z",
  first: "M13 3 6 8l7 5ZM2.8 3H5v10H2.8Z",
};

/** A sign on a button; its meaning must be told in words beside it. */
export function icon(name) {
  return shape("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
    shape("path", { d: ICONS[name] }));
}

/** A label with its field. */
export function labelled(text, field, attributes = {}) {
  return element("label", attributes, element("span", {}, text), field);
}

/** A list to choose from; `options` are [value, text]. */
export function chooser(options, chosen, onchange, attributes = {}) {
  const select = element("select", { onchange: () => onchange(select.value), ...attributes });
  for (const [value, text] of options) {
    select.append(element("option", { value, selected: value === chosen }, text));
  }
  return select;
}

/** A name such as `some_place.left` in words; `+k` as the seat that is meant. */
export function words(name, seat = null, players = 0) {
  const told = name.replace(/([a-z0-9])[._](?=[a-z0-9])/gi, (all, letter, place) =>
    /\d\.\d/.test(name.slice(place, place + 3)) ? all : `${letter} `);
  if (seat === null || !players) return told;
  return told.replace(/\+(\d)\b/g, (all, step) => `P${(seat + Number(step)) % players}`);
}

/** The sign of a seat. */
export function seatMark(seat) {
  return element("span", { class: `seat seat-${seat % 4}` }, `P${seat}`);
}

/** A sentence in which seats are signs; a seat at its beginning is left out if `without` it. */
export function sentence(text, without = null) {
  const told = without === null
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text.replace(new RegExp(`^P${without}\\b:? *`), "");
  return words(told).split(/\b(P\d)\b/).map((part) =>
    /^P\d$/.test(part) ? seatMark(Number(part[1])) : document.createTextNode(part));
}

/** Whether keys typed at a node are text for it, not commands to the page. */
export function takesText(node) {
  if (node.tagName === "INPUT") return node.type !== "range" && node.type !== "checkbox";
  return node.tagName === "SELECT" || node.tagName === "TEXTAREA";
}

/** How a game ended: a table with a row for each seat. */
export function resultTable(result, names) {
  const seats = result.ranking;
  const amounts = Object.entries(result).filter(([name, values]) =>
    name !== "ranking" && Array.isArray(values) && values.length === seats.length);
  const heads = ["", "seat", names ? "" : null].map((text) =>
    (text === null ? null : element("th", {}, text)));
  const amountHeads = amounts.map(([name]) => element("th", { class: "number" }, words(name)));
  const rows = seats.map((seat, place) => element("tr", {},
    element("td", {}, `${place + 1}.`), element("td", {}, seatMark(seat)),
    names ? element("td", {}, names[seat] ?? "person") : null,
    amounts.map(([, values]) => element("td", { class: "number" }, String(values[seat])))));
  return element("table", { class: "result" },
    element("thead", {}, element("tr", {}, heads, amountHeads)),
    element("tbody", {}, rows));
}
