/* Everything the picture shows, as numbers: for tests and benchmarks. */
mcts.debug = (() => {
  const {session} = mcts;

  function items() {
    const {geometry, stage: {state}} = session.view(), {tree} = session.parts(), found = [];
    for (let item = 0; item < geometry.nItems; item++) {
      if (state.count[item] === 0) continue;
      const stub = geometry.isStub(item), label = stub ? `+${state.count[item]} more` : geometry.label(item);
      found.push({
        item, node: geometry.node[item], stub, count: state.count[item], visits: state.visits[item], value_sum: state.valueSum[item],
        label, position: tree.position(item), ...(stub ? {colour: null, measure: null} : tree.shown(item)),
      });
    }
    return found;
  }

  function debug() {
    if (!session.shown) return null;
    const {geometry, replay, stage} = session.shown, {tree, icicle, player, cursor} = session.parts();
    const ids = (/** @type {ArrayLike<number>} */ list) => Array.from(list, (item) => geometry.node[item]);
    const marks = (/** @type {Iteration | null} */ of) => ({path: ids(of?.path ?? []), updated: ids(of?.updated ?? []), made: ids(of?.made ?? [])});
    const iteration = replay.iteration(), marked = stage.iteration();
    return {
      t: replay.state.t, n_iterations: session.length, n_items: geometry.nItems, items: items(), ...marks(iteration),
      marked: marked && marks(marked), leaf: iteration ? iteration.leaf : null, outcome: iteration ? iteration.outcome : null,
      phase: stage.phase(), marks: mcts.phaseMarks.report(), chosen: stage.chosen(), waiting: replay.isWaiting(),
      loading: session.loading > 0 || !tree.isStill() || !cursor.isAtRest(), playing: player.isPlaying(), speed: player.speed(),
      cursor: cursor.get(), options: tree.options(), paint: tree.report(), paints: session.paints,
      icicle: icicle ? icicle.debug() : null, end: tree.end(), end_room: tree.endRoom(),
    };
  }

  /** painted: the iteration that was painted last, null before the first picture; for benchmarks that ask in every frame. */
  return {forApp: {debug, painted: () => session.paints[session.paints.length - 1]?.t ?? null}};
})();
