// Stepping through a game: board, words, what an agent thinks. Used by the page and by HTML files.
import { Board } from "./board.js";
import { ValueChart, bars } from "./charts.js";
import {
  button, chooser, element, icon, labelled, resultTable, seatMark, sentence, takesText, words,
} from "./dom.js";
import { Frames } from "./frames.js";
import { Log } from "./log.js";

const SPEEDS = [["1500", "slow"], ["700", "normal"], ["250", "fast"]];
const TEN = 10; // decisions that shift and an arrow go on where a game has no rounds
const SETTLED = 120; // milliseconds after which a decision is looked at, not passed through
const NOBODY = "";

/** Steps through a film.
 *
 * `source` has `frames(number)` and `judgements(agent, number)`, which give promises, `agents`
 * (names to choose from) and `agent` (the one chosen first); a source that can judge more than the
 * decision at hand has `sweep(agent, taken)`, which calls `taken(judgements)` piece by piece.
 * `like` is another stepper, whose settings are kept.
 */
export class Stepper {
  constructor(film, source, { number = 0, like = null } = {}) {
    this.film = film;
    this.source = source;
    this.last = film.steps.length;
    this.number = Math.min(Math.max(number, 0), this.last);
    this.stops = like?.stops ?? "every";
    this.delay = like?.delay ?? 700;
    this.timer = null;
    this.agent = source.agent ?? NOBODY;
    this.judged = new Map();
    this.frames = new Frames(film.picture ? film.picture.open : null, source.frames);
    this.board = new Board(film.picture);
    this.log = new Log((chosen) => this.go(chosen));
    this.chart = null;
    this.keys = (event) => this._key(event);
    this._build();
    document.addEventListener("keydown", this.keys);
    this.log.show(film.steps);
    this._agentChosen(this.agent);
    requestAnimationFrame(() => this.log.mark(this.number)); // scrolls once it is on the page
  }

  /** Stops playing and listening. */
  close() {
    this._pause();
    this.closed = true;
    document.removeEventListener("keydown", this.keys);
  }

  // --- the page ------------------------------------------------------------------------------
  _build() {
    this.slider = element("input", {
      type: "range", min: 0, max: this.last, value: this.number, class: "slider",
      "aria-label": "Decision", oninput: () => this.go(Number(this.slider.value)),
    });
    this.field = element("input", {
      type: "number", min: 1, max: this.last, class: "field", placeholder: "end",
      onchange: () => this.go(this.field.value === "" ? this.number : this.field.value - 1),
    });
    this.playing = button(icon("play"), () => this._toggle(), { "aria-label": "Play" });
    const step = (sign, name, keys, act) =>
      button(icon(sign), act, { "aria-label": name, title: `${name} (${keys})` });
    const controls = element("div", { class: "controls" }, this.slider,
      step("first", "First decision", "Home", () => this.go(0)),
      step("farBack", "Round before", "Shift and ←", () => this.far(-1)),
      step("back", "Decision before", "←", () => this.near(-1)),
      this.playing,
      step("next", "Next decision", "→", () => this.near(1)),
      step("farNext", "Next round", "Shift and →", () => this.far(1)),
      step("last", "End", "End", () => this.go(this.last)));
    const seats = Array.from({ length: this.film.players }, (_, seat) => seat);
    const own = seats.map((seat) => [String(seat), `P${seat}’s`]);
    const stops = [["every", "every decision"], ...own];
    const speeds = chooser(SPEEDS, String(this.delay), (value) => { this.delay = Number(value); });
    const more = element("div", { class: "controls" },
      labelled("Decision", this.field), element("span", {}, `of ${this.last}`),
      labelled("Stop at", chooser(stops, this.stops, (value) => { this.stops = value; })),
      labelled("Speed", speeds));
    this.now = element("div", { class: "now", "aria-live": "polite" });
    this.thoughts = element("div", { class: "thoughts" });
    this.judging = element("section", { class: "panel" });
    this.root = element("div", { class: "layout stepping" },
      element("div", { class: "left" }, this.board.root,
        element("div", { class: "panel" }, controls, more)),
      element("div", { class: "right" },
        element("section", { class: "panel" }, this.now), this._judgingPanel(),
        element("section", { class: "panel grow" }, element("h2", {}, "Log"), this.log.list)));
  }

  _judgingPanel() {
    const { agents } = this.source;
    if (!agents.length) return null;
    const options = agents.map((name) => [name, name]);
    const choice = agents.length === 1
      ? element("span", {}, agents[0])
      : labelled("Agent", chooser([[NOBODY, "nobody"], ...options], this.agent,
        (name) => this._agentChosen(name), { "aria-label": "Which agent" }));
    this.chartPlace = element("div", {});
    this.judging.append(element("div", { class: "row" },
      element("h2", {}, "What an agent thinks"), choice), this.thoughts, this.chartPlace);
    return this.judging;
  }

  // --- moving --------------------------------------------------------------------------------
  /** Shows a decision, or the end. */
  go(number) {
    if (!Number.isFinite(number)) return;
    this.number = Math.min(Math.max(Math.round(number), 0), this.last);
    this._show();
  }

  /** The next place to stop at in a direction. */
  near(step) {
    let number = this.number + step;
    while (this.stops !== "every" && number > 0 && number < this.last
      && this.film.steps[number].seat !== Number(this.stops)) number += step;
    this.go(number);
  }

  /** The beginning of a round: this one or the one before, or the next one. */
  far(step) {
    const { rounds } = this.film;
    if (!rounds) {
      this.go(this.number + step * TEN);
      return;
    }
    const begins = rounds.flatMap((round, n) => (n === 0 || round !== rounds[n - 1] ? [n] : []));
    const target = step > 0
      ? begins.find((n) => n > this.number) ?? this.last
      : begins.findLast((n) => n < this.number) ?? 0;
    this.go(target);
  }

  _toggle() {
    if (this.timer) {
      this._pause();
      return;
    }
    if (this.number === this.last) this.number = 0;
    this._showPlaying(true);
    this._tick();
  }

  async _tick() {
    this.timer = setTimeout(() => {}, 0);
    const mine = this.timer;
    await this._show();
    if (this.timer !== mine) return;
    if (this.number >= this.last) {
      this._pause();
      return;
    }
    this.timer = setTimeout(() => {
      this.near(1);
      this._tick();
    }, this.delay);
  }

  _pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this._showPlaying(false);
  }

  _showPlaying(on) {
    this.playing.replaceChildren(icon(on ? "pause" : "play"));
    this.playing.setAttribute("aria-label", on ? "Pause" : "Play");
  }

  _key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || takesText(event.target)) return;
    const far = event.shiftKey;
    const acts = {
      ArrowLeft: () => (far ? this.far(-1) : this.near(-1)),
      ArrowRight: () => (far ? this.far(1) : this.near(1)),
      Home: () => this.go(0),
      End: () => this.go(this.last),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // --- showing -------------------------------------------------------------------------------
  async _show() {
    const { number } = this;
    this.slider.value = number;
    const ended = number === this.last;
    this.slider.setAttribute("aria-valuetext", ended ? "the end" : `decision ${number + 1}`);
    this.field.value = ended ? "" : number + 1; // people count from 1
    this._showWords();
    this.log.mark(number);
    this.chart?.mark(number);
    this._showThoughts();
    try {
      const picture = await this.frames.at(number);
      if (number === this.number) this.board.show(picture);
    } catch (error) {
      this._pause();
      this.now.replaceChildren(element("p", { class: "error" }, error.message));
    }
  }

  _showWords() {
    const { film, number } = this;
    const round = film.rounds ? `, round ${film.rounds[number]}` : "";
    if (number === this.last) {
      const table = film.result ? resultTable(film.result, film.names) : null;
      this.now.replaceChildren(
        element("p", { class: "where" }, `After decision ${this.last}${round}`),
        element("p", { class: "decision" }, sentence(film.end)), table ?? "");
      return;
    }
    const { seat, decision, lines } = film.steps[number];
    const who = film.names ? ` (${film.names[seat] ?? "person"})` : "";
    this.now.replaceChildren(
      element("p", { class: "where" }, `Decision ${number + 1} of ${this.last}${round}`),
      element("p", { class: "decision" }, seatMark(seat), `${who} `, sentence(decision, seat)),
      element("ul", { class: "happened" }, lines.map((line, index) =>
        element("li", { class: index ? "follows" : null }, sentence(line, index ? null : seat)))));
  }

  _agentChosen(name) {
    this.agent = name;
    this.judged = new Map();
    this.chart = null;
    if (this.source.agents.length) {
      this.chartPlace.replaceChildren();
      if (name !== NOBODY) {
        this.chart = new ValueChart(this.film.steps, (number) => this.go(number));
        this.chart.add([]);
        this.chartPlace.append(this.chart.node, this._legend());
        this._sweep(name);
      }
    }
    this._show();
  }

  _legend() {
    const { seat, players } = this.film;
    const seats = Array.from({ length: players }, (_, number) => number);
    return element("p", { class: "legend" }, "value for ",
      seats.filter((number) => seat === null || number === seat).map(seatMark));
  }

  _take(agent, judgements) {
    if (agent !== this.agent || this.closed) return false;
    for (const [number, judgement] of judgements) this.judged.set(number, judgement);
    this.chart?.add(judgements);
    return true;
  }

  async _sweep(agent) {
    try {
      await this.source.sweep?.(agent, (judgements) => this._take(agent, judgements));
    } catch {
      // The decision at hand is asked for by itself and tells what is wrong.
    }
  }

  async _showThoughts() {
    const { agent, number, film } = this;
    if (agent === NOBODY || number === this.last) {
      this.thoughts.replaceChildren();
      return;
    }
    if (film.seat !== null && film.steps[number].seat !== film.seat) {
      this.thoughts.replaceChildren(element("p", { class: "quiet" },
        `Only decisions of P${film.seat} are judged in its own view.`));
      return;
    }
    if (!this.judged.has(number)) {
      // Who passes through quickly asks nothing.
      await new Promise((done) => { setTimeout(done, SETTLED); });
      if (agent !== this.agent || number !== this.number || this.closed) return;
      const waiting = setTimeout(() => {
        if (number === this.number) {
          this.thoughts.replaceChildren(element("p", { class: "quiet" }, `${agent} thinks …`));
        }
      }, SETTLED);
      try {
        this._take(agent, await this.source.judgements(agent, number));
      } catch (error) {
        if (agent === this.agent && number === this.number) {
          this.thoughts.replaceChildren(element("p", { class: "error" }, error.message));
        }
        return;
      } finally {
        clearTimeout(waiting);
      }
    }
    const judgement = this.judged.get(number);
    if (!judgement || agent !== this.agent || number !== this.number) return;
    const { seat, action } = film.steps[number];
    this.thoughts.replaceChildren(
      bars(judgement, { agent, taken: action, seat, players: film.players }));
    this.log.mark(number); // the bars may have taken room from the log
  }
}

/** The names of a film's players in a line, for its heading. */
export function playersLine(film) {
  if (!film.names) return null;
  return element("p", { class: "players" }, film.names.map((name, seat) =>
    element("span", { class: "player" }, seatMark(seat), ` ${words(name ?? "person")}`)));
}
