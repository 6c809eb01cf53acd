// The first page: a new game, open tables, records.
import { get, post, tell } from "./api.js";
import { chooser, element, labelled, seatMark, words } from "./dom.js";

const PERSON = "person";
const OTHER = "other";

/** A choice of who plays a seat: a person, an agent, or one whose name is typed. */
function seatChoice(seat, who, agents) {
  const typed = element("input", {
    type: "text", placeholder: "such as mcts:2000", "aria-label": `Agent at P${seat}`,
    maxlength: 60, hidden: true, spellcheck: "false",
  });
  const options = [[PERSON, "a person"], ...agents.map((name) => [name, name]),
    [OTHER, "another agent …"]];
  const select = chooser(options, who ?? PERSON, (value) => {
    typed.hidden = value !== OTHER;
    if (!typed.hidden) typed.focus();
  }, { "aria-label": `Who plays P${seat}` });
  const value = () => {
    if (select.value === PERSON) return null;
    return select.value === OTHER ? typed.value.trim() : select.value;
  };
  const label = element("label", {}, seatMark(seat), select);
  return { value, node: element("div", { class: "row" }, label, typed) };
}

/** The form of a new game. */
function newGame(start, open) {
  let seats = [];
  const seatsPlace = element("div", { class: "seats" });
  const showSeats = (count) => {
    const filler = start.players.findLast((who) => who !== null) ?? start.agents[0];
    const who = Array.from({ length: count }, (_, seat) =>
      (seat < start.players.length ? start.players[seat] : filler));
    seats = who.map((one, seat) => seatChoice(seat, one, start.agents));
    seatsPlace.replaceChildren(...seats.map(({ node }) => node));
  };
  const texts = start.counts.map((count) => [String(count), String(count)]);
  const count = chooser(texts, String(start.players.length), (value) => showSeats(Number(value)));
  const presets = start.presets.map((name) => [name, words(name)]);
  const rules = chooser(presets, start.rules, () => {});
  const seed = element("input", {
    type: "text", inputmode: "numeric", pattern: "[0-9]*", maxlength: 20, placeholder: "by chance",
    value: start.seed,
  });
  const begin = element("button", { type: "submit", class: "primary" }, "Start the game");
  showSeats(start.players.length);
  const submit = async (event) => {
    event.preventDefault();
    begin.disabled = true;
    begin.textContent = "Setting the table …";
    try {
      const players = seats.map(({ value }) => value());
      const body = { players, rules: rules.value, seed: seed.value.trim() || null };
      open((await post("tables", body)).id);
      tell("");
    } catch (error) {
      tell(error.message);
    } finally {
      begin.disabled = false;
      begin.textContent = "Start the game";
    }
  };
  return element("form", { class: "panel", onsubmit: submit },
    element("h2", {}, "New game"), labelled("Players", count), seatsPlace,
    element("details", { open: start.seed !== null }, element("summary", {}, "Rules and seed"),
      element("div", { class: "row" }, labelled("Rules", rules), labelled("Seed", seed)),
      element("p", { class: "quiet" }, "The same seed deals the same game again.")),
    begin);
}

/** A list of links, or a line that says what would be here. */
function links(title, items, empty) {
  const list = items.length
    ? element("ul", { class: "links" }, items)
    : element("p", { class: "quiet" }, empty);
  return element("section", { class: "panel" }, element("h2", {}, title), list);
}

/** Who plays, in a line. */
function who(players) {
  return players.map((name, seat) => `P${seat} ${name ?? "person"}`).join(", ");
}

function tableLink({ id, players, number, over }) {
  const state = over ? "finished" : `decision ${number}`;
  return element("li", {}, element("a", { href: `#/table/${id}` }, who(players)),
    element("span", { class: "quiet" }, ` ${state}`));
}

function recordLink({ id, title, decisions, names, result, seed }) {
  const end = result ? `P${result.ranking[0]} won` : "not finished";
  const facts = [`${decisions} decisions`, end, seed === null ? null : `seed ${seed}`,
    names ? who(names) : null];
  return element("li", {}, element("a", { href: `#/record/${id}` }, title),
    element("span", { class: "quiet" }, ` ${facts.filter(Boolean).join(", ")}`));
}

/** Builds the page. */
export async function startPage(root) {
  const start = await get("start");
  const open = (id) => { location.hash = `#/table/${id}`; };
  root.replaceChildren(
    element("header", { class: "top" }, element("h1", {}, "Jerusalem")),
    element("main", { class: "start" }, newGame(start, open), element("div", {},
      links("Tables", start.tables.map(tableLink), "Games that you start are listed here."),
      links("Records", start.records.map(recordLink),
        "To step through recorded games: jerusalem serve RECORDS.jsonl"))));
  return () => {};
}

