/* The game with which a form begins: that of the open trace, where it is built in. What a person has chosen since then stays. */
mcts.firstGame = (() => {
  const {set} = mcts.dash;
  /** By form: the trace that was open when it was opened last. @type {Record<string, string | null>} */
  const besides = {};

  /** Before a form is opened. @param {string} form @param {Record<string, string>} empty fields that another game empties, and to what */
  function choose(form, empty) {
    const trace = mcts.app.cursor()?.trace ?? null, game = mcts.session.shown?.meta.game, box = `${form}-game`;
    if (besides[form] === trace || !game) return;
    besides[form] = trace;
    const {value, data} = window.dash_component_api.getLayout(box).props;
    if (value === game.name) return;
    const isListed = data.some((/** @type {{value: string}} */ each) => each.value === game.name);
    set(box, {data: isListed ? data : [...data, {value: game.name, label: game.title}], value: game.name});
    for (const [name, text] of Object.entries(empty)) set(`${form}-${name}`, {value: text});
  }

  return {choose};
})();
