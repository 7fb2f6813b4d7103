/* What the card beside the mouse says of an item: its numbers at the iteration shown. */
mcts.card = (() => {
  const {count, decimal, rounded} = mcts.dom;

  /** A result in words. @param {Pick<Meta, "players">} meta @param {number} outcome view of player 0 */
  function outcomeText({players}, outcome) {
    if (players.length === 1) return `reward ${rounded(outcome, 4)}`;
    if (players.length > 2) return `${rounded(outcome, 4)} for ${players[0]}`;
    return outcome === 0 ? "draw" : `${players[outcome > 0 ? 0 : 1]} wins`;
  }

  /** @param {ItemSource} c @param {Meta} meta @param {Numbers} state @param {number} item @returns {[string, string][]} */
  function rowsOf(c, meta, state, item) {
    const visits = state.visits[item], terms = mcts.formulas.ofItems(c, meta);
    /** @type {[string, string][]} */
    const rows = [["visits", count(visits)], ["mean value", decimal(mcts.viewpoint.mean(c, meta, state, item))]];
    if (c.parent[item] >= 0 && terms) {
      const found = terms(item, state);
      rows.push(["selection score", decimal(mcts.formulas.score(found))], ["exploration", decimal(found[1])]);
    }
    if (!Number.isNaN(c.prior[item])) rows.push(["prior", decimal(c.prior[item])]);
    if (!Number.isNaN(c.outcome[item])) rows.push(["game over", outcomeText(meta, c.outcome[item])]);
    else if (c.proven_at && c.proven && state.t >= c.proven_at[item]) rows.push(["proven", outcomeText(meta, c.proven[item])]);
    return rows;
  }

  /** @param {ItemSource} c @param {Meta} meta @param {Numbers} state @param {number} item @param {string} stubSubtitle @returns {Card} */
  function of(c, meta, state, item, stubSubtitle) {
    const node = c.node[item];
    if (c.isStub(item)) {
      const title = `+${count(state.count[item])} more`;
      return {node, isStub: true, title, subtitle: stubSubtitle, rows: [["visits hidden", count(state.visits[item])]]};
    }
    const player = mcts.viewpoint.words(c, meta, item);
    const nobody = c.chance && c.chance[item] ? "chance decides" : c.together && c.together[item] ? "all choose at once" : "";
    const sameAs = c.same_as && c.same_as[item] >= 0 ? `a way to node ${c.same_as[item]}` : "";
    const subtitle = [`node ${node}`, sameAs, player, nobody].filter(Boolean).join(" · ");
    return {node, isStub: false, title: c.label(item), subtitle, rows: rowsOf(c, meta, state, item)};
  }

  return {of, outcomeText};
})();
