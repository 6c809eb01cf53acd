// What an agent thinks: bars of its choices, a line of its values.
import { element, shape, words } from "./dom.js";

const WIDTH = 340;
const HEIGHT = 120;
const LEAST = 0.001; // a choice with less chance is shown only if it was taken
const EDGE = { left: 44, right: 8, top: 10, bottom: 18 };

/** A chance as people read it. */
function percent(chance) {
  if (chance > 0 && chance < 0.001) return "< 0.1 %";
  return `${(100 * chance).toFixed(chance < 0.1 ? 1 : 0)} %`;
}

/** A number with its sign. */
function signed(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

/** Choices as bars, best first, the one taken marked; below them the value. */
export function bars(judgement, { agent, taken = null, seat = null, players = 0 }) {
  const shown = judgement.choices.filter(([name, chance]) => chance >= LEAST || name === taken);
  const rows = shown.map(([name, chance], index) => {
    const fill = element("span", { class: "fill" });
    fill.style.width = `${100 * chance}%`;
    const mark = name === taken ? element("span", { class: "mark" }, "taken") : null;
    const strong = name === taken || (taken === null && index === 0);
    return element("li", { class: strong ? "taken" : null, title: name },
      element("span", { class: "choice" }, words(name, seat, players), mark),
      element("span", { class: "chance" }, percent(chance)),
      element("span", { class: "track", "aria-hidden": "true" }, fill));
  });
  const value = judgement.value === null ? null : element("p", { class: "value" },
    element("strong", {}, signed(judgement.value)), ` ${judgement.meaning}`);
  const certain = judgement.choices[0][1] === 1;
  return element("figure", { class: "bars" },
    element("figcaption", {}, certain ? `${agent} chooses` : `${agent} would choose`),
    element("ol", {}, rows), value);
}

/** Values of a game's decisions, a line for each seat; a click on it jumps to a decision. */
export class ValueChart {
  /** `steps` tell whose decisions they are; `jump(number)` goes to one. */
  constructor(steps, jump) {
    this.steps = steps;
    this.values = new Map();
    this.number = 0;
    this.lines = shape("g", {});
    this.cursor = shape("line", { class: "cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom });
    this.node = shape("svg", {
      class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
      "aria-label": "The agent's value of each decision, a line for each seat",
      onclick: (event) => jump(this._numberAt(event)),
    }, this.lines, this.cursor);
  }

  _numberAt(event) {
    const box = this.node.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH - EDGE.left;
    const part = x / (WIDTH - EDGE.left - EDGE.right);
    return Math.round(Math.min(Math.max(part, 0), 1) * this.steps.length);
  }

  _x(number) {
    return EDGE.left + (number / this.steps.length) * (WIDTH - EDGE.left - EDGE.right);
  }

  /** Marks the decision that is shown. */
  mark(number) {
    this.number = number;
    for (const name of ["x1", "x2"]) this.cursor.setAttribute(name, this._x(number));
  }

  /** Takes in judgements by decision; draws anew. */
  add(judgements) {
    for (const [number, judgement] of judgements) {
      if (judgement.value !== null) this.values.set(number, judgement.value);
    }
    this.node.classList.toggle("empty", this.values.size < 2);
    if (this.values.size < 2) return;
    const all = [...this.values.values()];
    let [low, high] = [Math.min(...all), Math.max(...all)];
    if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
    const y = (value) =>
      EDGE.top + ((high - value) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
    const nodes = [low, high].map((value) => shape("text",
      { x: EDGE.left - 6, y: y(value) + 4, class: "axis", "text-anchor": "end" }, signed(value)));
    if (low < 0 && high > 0) {
      nodes.push(shape("line", { class: "zero", x1: EDGE.left, x2: WIDTH - EDGE.right,
        y1: y(0), y2: y(0) }));
    }
    nodes.push(shape("text", { x: WIDTH - EDGE.right, y: HEIGHT - 4, class: "axis",
      "text-anchor": "end" }, `decision ${this.steps.length}`));
    for (const [seat, points] of this._bySeat()) {
      const path = points.map(([n, value]) => `${this._x(n).toFixed(1)},${y(value).toFixed(1)}`);
      const attributes = { points: path.join(" "), fill: "none" };
      nodes.push(shape("polyline", { ...attributes, class: "outline" }));
      nodes.push(shape("polyline", { ...attributes, class: `line line-${seat % 4}` }));
    }
    this.lines.replaceChildren(...nodes);
    this.mark(this.number);
  }

  _bySeat() {
    const found = new Map();
    for (const number of [...this.values.keys()].sort((a, b) => a - b)) {
      const { seat } = this.steps[number];
      if (!found.has(seat)) found.set(seat, []);
      found.get(seat).push([number, this.values.get(number)]);
    }
    return [...found].sort(([a], [b]) => a - b);
  }
}
