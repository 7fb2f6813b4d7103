/* Pictures of searches in rows: boards of those in view, trees of those that are picked. */
mcts.fleetGallery = (() => {
  const {element, byId} = mcts.dom;

  /** @param {any} row @param {string} picture its route @param {string} theme @param {string[]} words */
  function card(row, picture, theme, words) {
    const link = element("a", "fleet-card"), image = element("img");
    link.href = mcts.fleetRows.addressOf(row.search_id);
    Object.assign(image, {alt: "", loading: "lazy", src: `../api/fleet/${picture}.svg?search=${encodeURIComponent(row.search_id)}&theme=${theme}`});
    image.addEventListener("error", () => image.replaceWith(element("span", "fleet-no-picture", "no picture")));
    const name = element("b");
    name.append(...row.search_id.split(/(?<=[/#_])/).flatMap((/** @type {string} */ part) => [part, element("wbr")])); // where it may break
    link.append(image, name, ...words.filter(Boolean).map((text) => element("span", "", text)));
    return link;
  }

  /** @param {any} row */
  function wordsOf(row) {
    const move = row.best_action_name ? `plays ${row.best_action_name}` : "", value = row.root_value === null ? "" : `value ${mcts.dom.fixed(row.root_value, 3)} for the mover`;
    const bad = [["error", row.errors], ["warning", row.warnings]].filter(([, n]) => n).map(([name, n]) => mcts.dom.counted(n, name));
    return [[move, value].filter(Boolean).join(" · "), bad.join(", ")];
  }

  /** @param {any[]} rows @param {string} theme */
  function showBoards(rows, theme) {
    byId("fleet-boards")?.replaceChildren(...rows.map((row) => card(row, "board", theme, wordsOf(row))));
  }

  /** @param {any[]} rows @param {string} theme */
  function showTrees(rows, theme) {
    const digests = new Map();
    for (const {digest} of rows) digests.set(digest, (digests.get(digest) ?? 0) + 1);
    byId("fleet-trees")?.replaceChildren(...rows.map((row) => {
      const alike = row.digest && digests.get(row.digest) > 1 ? "the same tree as another one here" : "";
      return card(row, "tree", theme, [...wordsOf(row), alike]);
    }));
  }

  return {showBoards, showTrees};
})();
