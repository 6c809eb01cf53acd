// Requests to the server, and the line at the bottom that tells what went wrong.
import { button, element } from "./dom.js";

/** The answer to a request; an error's message is meant to be read. */
async function asked(path, options) {
  let response;
  try {
    response = await fetch(`/api/${path}`, options);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const values = await response.json();
  if (!response.ok) throw Object.assign(new Error(values.error), { status: response.status });
  return values;
}

/** A query such as `?seat=0&first=16`; null leaves one out. */
function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== null);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

/** Reads something. */
export function get(path, values = {}) {
  return asked(`${path}${query(values)}`);
}

/** Does something. */
export function post(path, values = {}) {
  const token = document.querySelector("meta[name=token]").content;
  return asked(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Token": token },
    body: JSON.stringify(values),
  });
}

/** Tells something at the bottom of the page; an empty text takes it away. */
export function tell(text, { good = false } = {}) {
  const place = document.getElementById("message");
  place.className = good ? "good" : "bad";
  place.replaceChildren();
  if (!text) return;
  place.append(element("span", {}, text),
    button("×", () => tell(""), { "aria-label": "Close this message" }));
}
