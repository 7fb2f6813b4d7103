/* Tells mcts_viz what a search in JavaScript does, in Node or a browser. One file, no dependency: copy it into your project.

     const trace = new Writer((text) => process.stdout.write(text), {game: "tic_tac_toe"});
     const child = trace.node(parent, action);   // a node that the search has made; the root is 0 and there already
     trace.update(node, value);                  // what backpropagation added to it; root first
     trace.iteration(leaf, outcome);             // the iteration is over
     trace.close();

   then `mcts-viz import run.ndjson -o run.mcts`, or pipe it. The second argument is the trace's metadata
   (docs/trace-format.md); values are in the view of the player who moved into the node, outcomes in that of player 0. */

export class Writer {
  #write; #lines = []; #size = 0; #began = performance.now(); #written = performance.now();
  #nodes = []; #updates = []; #rollout = null; #count = 1;

  /** @param {(text: string) => void} write takes whole lines, some 64 kB at once @param {object} [metadata] */
  constructor(write, metadata = {}) {
    this.#write = write;
    write(JSON.stringify({format_version: 2, ...metadata}) + "\n");
  }

  /** A node that the search has made below another one; its number. action: a move's number or name. What may be known
      of it: to_move (0, 1; -2 for chance), prior, outcome (where the game is over, view of player 0), label, state.
      @param {number} parent @param {number | string} action
      @param {{to_move?: number, prior?: number, outcome?: number | null, label?: string, state?: string}} [known] */
  node(parent, action, known = {}) {
    this.#nodes.push({parent, action, ...known});
    return this.#count++;
  }

  /** What backpropagation added to a node: call it for each node of the path, the root first.
      @param {number} node @param {number} value @param {number} [visits] */
  update(node, value, visits = 1) {
    this.#updates.push(visits === 1 ? {node, value} : {node, visits, value});
  }

  /** A move of the simulation; -1 stands between two simulations of a leaf. @param {number} move */
  rollout(move) {
    (this.#rollout ??= []).push(move);
  }

  /** The iteration is over. leaf: the node that was evaluated; outcome: of it, view of player 0.
      @param {number} leaf @param {number} [outcome] */
  iteration(leaf, outcome) {
    const now = performance.now();
    const line = JSON.stringify({
      leaf, new_nodes: this.#nodes, updates: this.#updates.length ? this.#updates : undefined, outcome,
      rollout: this.#rollout ?? undefined, elapsed: Math.round(1e6 * (now - this.#began)),
    });
    this.#lines.push(line);
    this.#size += line.length;
    this.#nodes = [];
    this.#updates = [];
    if (this.#rollout) this.#rollout = []; // every line has one, or none
    // who follows the file sees an iteration after a quarter of a second
    if (this.#size >= 1 << 16 || now - this.#written > 250) this.flush();
  }

  /** Write what is left of whole iterations. */
  flush() {
    if (this.#lines.length) this.#write(this.#lines.join("\n") + "\n");
    this.#lines = [];
    this.#size = 0;
    this.#written = performance.now();
  }

  close() { this.flush(); }
}
