// Pictures of a game from chunks in which a piece that comes again is stored once.

/** The states of a chunk as lists of numbers of its parts; see `frames_of` in page_data.py. */
function unfolded({ frames }) {
  const found = [];
  let before = [];
  for (const [head, tail, ...parts] of frames) {
    const end = tail ? before.slice(-tail) : [];
    before = [...before.slice(0, head), ...parts, ...end];
    found.push(before);
  }
  return found;
}

/** Pictures by number; `load(number)` gives the chunk in which a number is. */
export class Frames {
  /** `open` is the tag that pieces of SVG stand in; null: parts are texts. */
  constructor(open, load) {
    this.open = open;
    this.load = load;
    this.chunks = [];
  }

  _known(number) {
    return this.chunks.find(({ first, lists }) =>
      number >= first && number < first + lists.length);
  }

  /** The picture of a state, loaded if need be. */
  async at(number) {
    let chunk = this._known(number);
    if (!chunk) {
      const loaded = await this.load(number);
      chunk = this._known(number) ?? { ...loaded, lists: unfolded(loaded) };
      if (!this.chunks.includes(chunk)) this.chunks.push(chunk);
    }
    const index = number - chunk.first;
    const content = chunk.lists[index].map((part) => chunk.parts[part]).join("");
    if (this.open === null) return { text: content };
    return { shapes: `${this.open}${content}</g>`, alt: chunk.alts[index] };
  }
}
