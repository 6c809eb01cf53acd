// The log in words: decisions that are told alike one after the other are one entry.
import { button, element, seatMark, sentence } from "./dom.js";

/** Entries of consecutive steps of a seat with the same lines: { seat, lines, first, last }. */
export function entries(steps) {
  const found = [];
  let before = null;
  steps.forEach(({ seat, lines }, number) => {
    const told = lines.join("\n");
    if (before && before.seat === seat && before.told === told) before.last = number;
    else found.push((before = { seat, lines, told, first: number, last: number }));
  });
  return found;
}

/** One entry; a button if `jump` is given. */
function entryNode({ seat, lines, first, last }, jump) {
  const [action, ...rest] = lines;
  const times = last > first ? element("span", { class: "times" }, ` ×${last - first + 1}`) : null;
  const text = [seatMark(seat), " ", ...sentence(action, seat), times];
  const inside = [
    jump ? button(text, () => jump(first)) : element("span", {}, text),
    ...rest.map((line) => element("span", { class: "follows" }, sentence(line))),
  ];
  return element("li", { "data-first": first }, inside);
}

/** A log that grows, shrinks and shows where one is. */
export class Log {
  /** With `jump`, entries lead to their decision. */
  constructor(jump = null) {
    this.jump = jump;
    this.entries = [];
    this.told = [];
    this.list = element("ol", { class: "log", tabindex: "0", "aria-label": "Log" });
  }

  /** Shows these steps; entries that stay the same stay as they are. */
  show(steps) {
    const next = entries(steps);
    const told = next.map((entry) => `${entry.seat} ${entry.first} ${entry.last} ${entry.told}`);
    let same = 0;
    while (same < told.length && told[same] === this.told[same]) same += 1;
    while (this.list.children.length > same) this.list.lastChild.remove();
    this.list.append(...next.slice(same).map((entry) => entryNode(entry, this.jump)));
    this.entries = next;
    this.told = told;
  }

  /** Scrolls to the end. */
  toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** Marks the entry of a decision and scrolls to it, within the log only. */
  mark(number) {
    const index = this.entries.findLastIndex(({ first }) => first <= number);
    const node = this.list.children[index];
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    if (!node) return;
    node.setAttribute("aria-current", "step");
    const [top, bottom] = [node.offsetTop, node.offsetTop + node.offsetHeight];
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || bottom > scrollTop + clientHeight) {
      this.list.scrollTop = top - clientHeight / 2;
    }
  }
}
