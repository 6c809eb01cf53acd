// Playing at a table: people's moves, agents' moves one after the other, hints, taking back.
import { get, post, tell } from "./api.js";
import { Board } from "./board.js";
import { bars } from "./charts.js";
import { button, chooser, element, labelled, resultTable, seatMark, sentence, takesText }
  from "./dom.js";
import { Log } from "./log.js";
import { Moves } from "./moves.js";

const SPEEDS = [["1500", "slow"], ["700", "normal"], ["250", "fast"], ["0", "at once"]];
const AT_ONCE = 1000; // moves of agents in one request; the server stops after a second

/** A pause. */
function pause(milliseconds) {
  return new Promise((done) => { setTimeout(done, milliseconds); });
}

/** A table and what a person can do there. */
class TablePage {
  constructor(root, view, start) {
    this.root = root;
    this.start = start;
    this.id = view.id;
    this.delay = 700;
    this.skipping = false;
    this.running = false;
    this.closed = false;
    this.curtain = null;
    this.keys = (event) => this._key(event);
    document.addEventListener("keydown", this.keys);
    this._build(view);
    this._take(view);
    const { people, players, to_act: turn } = view;
    if (people.length > 1) this._showCurtain(players[turn] === null ? turn : people[0]);
    else this._run();
  }

  /** Stops listening; agents stop after the move they think about. */
  close() {
    this.closed = true;
    document.removeEventListener("keydown", this.keys);
  }

  // --- the page ------------------------------------------------------------------------------
  _build(view) {
    this.board = new Board(view.picture.canvas);
    this.log = new Log();
    this.log.list.setAttribute("aria-live", "polite");
    this.moves = new Moves((name) => this._act("act", { action: name }));
    this.now = element("div", { class: "now", "aria-live": "polite" });
    this.players = element("p", { class: "players" });
    this.text = element("pre", { class: "board-text" });
    this.hintPlace = element("div", {});
    this.skip = button("Skip", () => { this.skipping = true; }, { hidden: true }, "s");
    this.undo = button("Undo", () => this._act("take_back"), {}, "u");
    this.hint = button("Hint", () => this._hint(), {}, "h");
    const save = button("Save", () => this._save());
    this.hinter = chooser(this.start.agents.map((name) => [name, name]), this.start.hint, () => {},
      { "aria-label": "Who gives hints" });
    this.shortcuts = element("input", { type: "checkbox", checked: true });
    const speed = chooser(SPEEDS, String(this.delay), (value) => { this.delay = Number(value); });
    this.tools = element("div", { class: "row tools" }, this.undo, this.hint, this.hinter, save);
    const home = element("a", { href: "#/" }, "Jerusalem");
    this.root.replaceChildren(
      element("header", { class: "top" }, element("h1", {}, home), this.players),
      element("main", {}, element("div", { class: "layout" },
        element("div", { class: "left" }, this.board.root),
        element("div", { class: "right" },
          element("section", { class: "panel" }, this.now, this.skip, this.tools, this.hintPlace,
            this.moves.root),
          element("section", { class: "panel grow" }, element("h2", {}, "Log"), this.log.list),
          element("div", { class: "row settings" }, labelled("Agents play", speed),
            labelled("Keyboard shortcuts", this.shortcuts, { class: "check" }))),
        element("details", { class: "panel as-text" },
          element("summary", {}, "The table as text"), this.text))));
  }

  // --- showing -------------------------------------------------------------------------------
  _take(view) {
    this.view = view;
    const { players, picture, seat, steps, over, to_act: turn } = view;
    this.players.replaceChildren(...players.map((name, number) =>
      element("span", { class: number === turn ? "player turn" : "player" }, seatMark(number),
        ` ${name ?? (number === seat ? "you" : "person")}`)));
    this.board.show(picture);
    this.text.textContent = picture.text;
    this.log.show(steps);
    this.hintPlace.replaceChildren();
    this.moves.show(view.moves, seat, players.length);
    this.moves.disable(false);
    this.undo.disabled = !view.may_take_back;
    this.hint.disabled = !view.moves.length;
    this.tools.hidden = over || !view.people.length;
    this._showNow();
    this.log.toEnd(); // last, when it has the height that is left for it
  }

  _showNow() {
    const { view } = this;
    document.title = view.moves.length ? "Your turn – Jerusalem" : "Jerusalem";
    if (view.over) {
      this.now.replaceChildren(
        element("p", { class: "decision" }, sentence(view.decision)),
        view.result ? resultTable(view.result, view.players) : "",
        element("p", { class: "quiet" }, `Seed ${view.seed ?? "none"}`),
        element("div", { class: "row" },
          element("a", { class: "button primary", href: `#/record/table-${this.id}` },
            "Step through this game"),
          button("Download the record", () => this._download()),
          element("a", { class: "button", href: "#/" }, "New game")));
      return;
    }
    const who = view.players[view.to_act];
    const mine = view.moves.length > 0;
    const thinking = who === null ? null : element("p", { class: "quiet" }, `${who} thinks …`);
    this.now.replaceChildren(element("p", { class: mine ? "decision mine" : "decision" },
      seatMark(view.to_act), " ", sentence(view.decision, view.to_act)), thinking ?? "");
  }

  /** With several people at one screen: nobody sees another's view. */
  _showCurtain(seat) {
    const show = button(`I am P${seat}: show my view`, async () => {
      try {
        const view = await get(`tables/${this.id}`, { seat });
        this.curtain.remove();
        this.curtain = null;
        this._take(view);
        this._run();
      } catch (error) {
        tell(error.message);
      }
    }, { class: "primary" });
    this.curtain?.remove();
    this.curtain = element("div", { class: "curtain", role: "dialog", "aria-modal": "true",
      "aria-label": "Change of seats" },
    element("div", { class: "panel" },
      element("p", { class: "decision" }, seatMark(seat), " is next"),
      element("p", {}, "The others look away now."), show));
    this.root.append(this.curtain);
    show.focus();
  }

  // --- playing -------------------------------------------------------------------------------
  /** Lets agents play until a person decides. */
  async _run() {
    if (this.running) return;
    this.running = true;
    try {
      while (!this.closed && !this.view.over && this.view.players[this.view.to_act] !== null) {
        const quick = this.skipping || this.delay === 0;
        this.skip.hidden = quick;
        const began = performance.now();
        const most = quick ? AT_ONCE : 1;
        const { number, seat } = this.view;
        const view = await post(`tables/${this.id}/advance`, { number, seat, most });
        const left = this.skipping ? 0 : this.delay - (performance.now() - began);
        if (left > 0) await pause(left);
        if (this.closed) return;
        this._take(view);
      }
    } catch (error) {
      this._failed(error);
    } finally {
      this.running = false;
      this.skipping = false;
      this.skip.hidden = true;
    }
    const { people, to_act: turn, seat, over } = this.view;
    if (!this.closed && !over && people.length > 1 && people.includes(turn) && turn !== seat) {
      this._showCurtain(turn);
    }
  }

  /** Something only the person to act can do; the server answers with the table after it. */
  async _act(what, values = {}) {
    if (this.acting || this.running) return;
    this.acting = true;
    this.moves.disable(true);
    try {
      const { number, seat } = this.view;
      this._take(await post(`tables/${this.id}/${what}`, { number, seat, ...values }));
      tell("");
    } catch (error) {
      await this._failed(error);
    } finally {
      this.acting = false;
      this.moves.disable(false);
    }
    this._run();
  }

  async _hint() {
    const { number, seat, players } = this.view;
    const agent = this.hinter.value;
    this.hint.disabled = true;
    this.hintPlace.replaceChildren(element("p", { class: "quiet" }, `${agent} thinks …`));
    try {
      const judgement = await post(`tables/${this.id}/hint`, { number, seat, agent });
      if (this.view.number !== number) return;
      this.hintPlace.replaceChildren(bars(judgement, { agent, seat, players: players.length }));
      this.moves.mark(judgement.choices.slice(0, 1));
    } catch (error) {
      this.hintPlace.replaceChildren();
      tell(error.message);
    } finally {
      this.hint.disabled = !this.view.moves.length;
    }
  }

  async _save() {
    try {
      const { file } = await post(`tables/${this.id}/save`);
      tell(`Saved. To go on later: jerusalem serve ${file}`, { good: true });
    } catch (error) {
      tell(error.message);
    }
  }

  async _download() {
    try {
      const { line } = await get(`tables/${this.id}/record`);
      const address = URL.createObjectURL(new Blob([line], { type: "application/json" }));
      element("a", { href: address, download: `record_${this.id}.jsonl` }).click();
      URL.revokeObjectURL(address);
    } catch (error) {
      tell(error.message);
    }
  }

  /** Tells what went wrong; shows the table anew if it has gone on elsewhere. */
  async _failed(error) {
    if (this.closed) return;
    tell(error.message);
    if (error.status !== 409) return;
    try {
      this._take(await get(`tables/${this.id}`, { seat: this.view.seat }));
    } catch {
      // What went wrong first is already told.
    }
  }

  _key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
    if (!this.shortcuts.checked || this.curtain || takesText(event.target)) return;
    const tools = { u: this.undo, h: this.hint, s: this.skip };
    const tool = tools[event.key];
    if (tool && !tool.hidden && !tool.disabled) tool.click();
    else if (!this.moves.press(event.key)) return;
    event.preventDefault();
  }
}

/** The first view of a table: with several people, that of the one who decides or was first. */
async function firstView(id, tables) {
  const table = tables.find((one) => one.id === id);
  const people = table ? table.players.flatMap((name, seat) => (name === null ? [seat] : [])) : [];
  return get(`tables/${id}`, { seat: people.length ? people[0] : null });
}

/** Builds the page of a table; returns what ends it. */
export async function tablePage(root, id) {
  const start = await get("start");
  const view = await firstView(id, start.tables);
  const page = new TablePage(root, view, start);
  return () => page.close();
}

