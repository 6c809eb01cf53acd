// The page: which address shows what.
import { get, tell } from "./api.js";
import { chooser, element, labelled } from "./dom.js";
import { tablePage } from "./play.js";
import { startPage } from "./start.js";
import { Stepper, playersLine } from "./stepper.js";

const FIRST_JUDGED = 4; // decisions in a request; more as long as an agent is quick
const MOST_JUDGED = 64;
const TOO_SLOW = 400; // milliseconds for a decision
const PATIENCE = 3; // so many slow answers in a row: then only the decision at hand is judged
const EVERYTHING = "";

/** Pictures and judgements of a record, from the server. */
function served(id, seat, start, length, agent) {
  const judge = async (name, first, count) => {
    const asked = { agent: name, first, count, seat };
    const found = await get(`records/${id}/judgements`, asked);
    return Object.entries(found).map(([number, judgement]) => [Number(number), judgement]);
  };
  return {
    agents: start.agents,
    agent: agent ?? start.hint,
    frames: (number) => get(`records/${id}/frames`, { first: number, seat }),
    judgements: (name, number) => judge(name, number, 1),
    sweep: async (name, take) => {
      if (!take(await judge(name, 0, 1))) return; // takes as long as the agent takes to load
      let [first, count, slow] = [1, FIRST_JUDGED, 0];
      while (first < length) {
        const began = performance.now();
        if (!take(await judge(name, first, count))) return;
        first += count;
        const spent = (performance.now() - began) / count;
        slow = spent > TOO_SLOW ? slow + 1 : 0;
        if (slow === PATIENCE) return;
        count = Math.max(1, Math.min(MOST_JUDGED, Math.round(TOO_SLOW / (spent + 1))));
      }
    },
  };
}

/** Builds the page of a record; returns what ends it. */
async function recordPage(root, id) {
  const start = await get("start");
  let stepper = null;
  const main = element("main", {});
  const show = async (seat, number) => {
    const film = await get(`records/${id}`, { seat });
    stepper?.close();
    const source = served(id, seat, start, film.steps.length, stepper?.agent);
    stepper = new Stepper(film, source, { number, like: stepper });
    main.replaceChildren(stepper.root);
    return film;
  };
  const film = await show(null, 0);
  const views = [[EVERYTHING, "everything"]];
  for (let seat = 0; seat < film.players; seat += 1) {
    views.push([String(seat), `what P${seat} saw`]);
  }
  const chosen = async (value) => {
    try {
      await show(value === EVERYTHING ? null : Number(value), stepper.number);
    } catch (error) {
      tell(error.message);
    }
  };
  const home = element("a", { href: "#/" }, "Jerusalem");
  const title = element("span", { class: "title" }, film.title);
  const players = playersLine(film) ?? element("span", { class: "players" });
  root.replaceChildren(
    element("header", { class: "top" }, element("h1", {}, home, title), players,
      labelled("Show", chooser(views, EVERYTHING, chosen))), main);
  return () => stepper.close();
}

let close = () => {};
let turn = 0;

/** Shows what the address names. */
async function route() {
  const mine = (turn += 1);
  close();
  close = () => {};
  tell("");
  document.title = "Jerusalem";
  document.getElementById("app").replaceChildren(element("p", { class: "waiting" }, "Loading …"));
  const root = element("div", {});
  const [, kind, id] = /^#\/(table|record)\/([\w-]+)$/.exec(location.hash) ?? [];
  const pages = { table: tablePage, record: recordPage };
  try {
    const ended = await (kind ? pages[kind](root, id) : startPage(root));
    if (mine !== turn) {
      ended();
      return;
    }
    close = ended;
    document.getElementById("app").replaceChildren(root);
  } catch (error) {
    if (mine !== turn) return;
    tell(error.message);
    document.getElementById("app").replaceChildren(
      element("p", { class: "waiting" }, element("a", { href: "#/" }, "To the first page")));
  }
}

window.addEventListener("hashchange", route);
route();
