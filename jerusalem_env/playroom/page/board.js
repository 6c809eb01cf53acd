// The picture of the game: what never changes is drawn once.
import { button, element, shape } from "./dom.js";

/** Shows states of one game; `canvas` is what all its pictures share, null where it has none. */
export class Board {
  constructor(canvas) {
    this.text = element("pre", { class: "board-text", tabindex: "0" });
    this.node = element("div", { class: "board", tabindex: "-1" });
    this.root = element("div", { class: "board-frame" }, this.node);
    if (!canvas) {
      this.node.append(this.text);
      return;
    }
    this.image = shape("svg", { viewBox: `0 0 ${canvas.width} ${canvas.height}`, role: "img" });
    this.backdrop = shape("g", {});
    this.backdrop.innerHTML = canvas.backdrop;
    this.shapes = shape("g", {});
    this.image.append(this.backdrop, this.shapes);
    this.node.append(this.image);
    this.zoom = button("Enlarge", () => this.enlarge(), { class: "zoom", "aria-pressed": "false" });
    this.root.append(this.zoom);
  }

  /** Shows a picture: SVG of the shapes and the same in words; or a text. */
  show({ shapes, alt, text }) {
    if (!this.image) {
      this.text.textContent = text;
      return;
    }
    this.shapes.innerHTML = shapes;
    this.image.setAttribute("aria-label", alt);
  }

  /** Full size, to be moved about in, on screens that are small; and back. */
  enlarge() {
    const large = this.node.classList.toggle("large");
    this.zoom.setAttribute("aria-pressed", String(large));
    this.zoom.textContent = large ? "Fit" : "Enlarge";
  }
}
