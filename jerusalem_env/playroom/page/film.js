// The beginning of an HTML file that holds one game and needs nothing else.
import { element } from "./dom.js";
import { Stepper, playersLine } from "./stepper.js";

/** What a film holds itself: all pictures and, perhaps, one agent's judgements. */
function held(film) {
  const judged = new Map(
    Object.entries(film.judgements ?? {}).map(([number, found]) => [Number(number), found]));
  return {
    agents: film.agent === null ? [] : [film.agent],
    agent: film.agent,
    frames: async () => film.frames,
    judgements: async (agent, number) => [[number, judged.get(number)]],
    sweep: async (agent, take) => take([...judged]),
  };
}

/** Shows the film of this document. */
function begin() {
  const film = JSON.parse(document.getElementById("film").textContent);
  const view = film.seat === null ? null : element("p", { class: "quiet" },
    `As P${film.seat} saw it`);
  const asked = Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 1) - 1;
  const stepper = new Stepper(film, held(film), { number: asked });
  document.getElementById("app").replaceChildren(
    element("header", { class: "top" }, element("h1", {}, film.title), playersLine(film), view),
    element("main", {}, stepper.root));
}

begin();
