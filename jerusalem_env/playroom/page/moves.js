// The legal moves: buttons by kind, a number to choose where moves of a kind differ by a number.
import { button, element, words } from "./dom.js";

const KEYS = "123456789abcdefgijklmnopqrtvwxyz".split(""); // h, s and u do something else
const LAST_KEY = "0";
const DECLINING = "pass"; // a move that does nothing is offered last
const FEW = 4; // so many moves that differ by a number are buttons all the same

/** What tells a move from others of its kind. */
function rest({ kind }, name) {
  return name.startsWith(`${kind} `) ? name.slice(kind.length + 1) : name;
}

/** The numbers of a group whose moves differ by a whole number alone; else null. */
function numbers(group) {
  const found = group.names.map((name) => rest(group, name));
  return found.length > FEW && found.every((text) => /^\d+$/.test(text)) ? found.map(Number) : null;
}

/** A number to set and a button to take it. */
function numberChoice(group, values, choose) {
  const [low, high] = [values[0], values[values.length - 1]];
  const allowed = new Set(values);
  const field = element("input", { type: "number", min: low, max: high, value: low, class: "field",
    "aria-label": `${words(group.kind)}, from ${low} to ${high}` });
  const take = button("", () => choose(`${group.kind} ${Number(field.value)}`),
    { class: "primary wide" });
  const show = () => {
    const value = Number(field.value);
    take.textContent = `${words(group.kind)} ${field.value}`;
    take.disabled = field.value === "" || !allowed.has(value);
    slider.value = value;
  };
  const set = (value) => {
    field.value = Math.min(Math.max(value, low), high);
    show();
  };
  const slider = element("input", { type: "range", min: low, max: high, value: low, class: "slider",
    "aria-label": words(group.kind), oninput: () => set(Number(slider.value)) });
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !take.disabled) take.click();
  });
  show();
  const change = (text, name, by) =>
    button(text, () => set(Number(field.value) + by), { "aria-label": name });
  const [less, more] = [change("−", "one less", -1), change("+", "one more", 1)];
  return element("div", { class: "number" },
    element("div", { class: "row" }, less, field, more, take), slider,
    element("p", { class: "quiet" }, `from ${low} to ${high}`));
}

/** The moves a person may make; `choose(name)` makes one. */
export class Moves {
  constructor(choose) {
    this.choose = choose;
    this.root = element("div", { class: "moves", tabindex: "-1", "aria-label": "Your moves",
      role: "group" });
    this.byKey = new Map();
    this.byName = new Map();
  }

  /** Shows groups of legal moves for a seat. */
  show(groups, seat, players) {
    const had = this.root.contains(document.activeElement)
      ? document.activeElement.dataset.move ?? "" : null;
    this.byKey.clear();
    this.byName.clear();
    const keys = [...KEYS];
    const ordered = [...groups].sort((a, b) => (a.kind === DECLINING) - (b.kind === DECLINING));
    this.root.replaceChildren(...ordered.map((group) => this._group(group, keys, seat, players)));
    if (had !== null) (this.byName.get(had) ?? this.root).focus();
  }

  _group(group, keys, seat, players) {
    const values = numbers(group);
    const meaning = element("span", { class: "meaning" }, group.meaning);
    if (group.names.length === 1) {
      const node = this._button(group, group.names[0], keys, seat, players, true);
      return element("div", { class: "group single" }, node, meaning);
    }
    const heading = element("h3", {}, words(group.kind), meaning);
    if (values) {
      return element("div", { class: "group" }, heading, numberChoice(group, values, this.choose));
    }
    const buttons = element("div", { class: "buttons" },
      group.names.map((name) => this._button(group, name, keys, seat, players)));
    return element("div", { class: "group" }, heading, buttons);
  }

  _button(group, name, keys, seat, players, whole = false) {
    const key = group.kind === DECLINING ? LAST_KEY : keys.shift() ?? null;
    const label = words(whole ? name : rest(group, name), seat, players);
    const node = button(label, () => this.choose(name),
      { title: name, "data-move": name, "aria-label": words(name, seat, players) }, key);
    if (key) this.byKey.set(key, node);
    this.byName.set(name, node);
    return node;
  }

  /** Marks the moves that an agent would choose. */
  mark(choices) {
    for (const node of this.byName.values()) node.classList.remove("hinted");
    for (const [name] of choices) this.byName.get(name)?.classList.add("hinted");
  }

  /** Presses the button of a key; says whether there is one. */
  press(key) {
    const node = this.byKey.get(key);
    node?.click();
    return Boolean(node);
  }

  /** While something is on its way no move can be made. */
  disable(disabled) {
    this.root.inert = disabled;
    this.root.classList.toggle("busy", disabled);
  }
}
