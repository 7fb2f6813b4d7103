/* The file put together: the app of the page over the file's own answers, and its few controls. */
(() => {
  const KEYS = new Set(["ArrowRight", "ArrowLeft", "Home", "End", " ", "+", "-", "h", "j", "k", "l", "0", "?"]);
  /** @type {Record<string, string>} */
  const COLOURS = {mean_value: "mean value", visits: "visits", uct: "selection score", exploration: "exploration term"};

  const {the, count} = mcts.dom;
  const select = (/** @type {string} */ id) => /** @type {HTMLSelectElement} */ (the(id));

  /** @param {FileAbout} about */
  function say(about) {
    the("name").textContent = about.name;
    const part = about.last - about.first < about.n_iterations
      ? `iterations ${count(about.first)} to ${count(about.last)} of ${count(about.n_iterations)} (a file holds at most ${count(about.most)})`
      : `${count(about.n_iterations)} iterations`;
    the("about").textContent = [about.game, part, about.status, "made by mcts_viz"].filter(Boolean).join(" · ");
  }

  /** A select box with its choices, each a value and its text. @param {string} id @param {[unknown, string][]} choices @param {unknown} chosen
      @param {(value: string) => void} onChange */
  function offer(id, choices, chosen, onChange) {
    const box = select(id);
    box.replaceChildren(...choices.map(([value, text]) => new Option(text, String(value), false, String(value) === String(chosen))));
    box.addEventListener("change", () => onChange(box.value));
  }

  /** @param {Message} view @param {string} colour of the picture */
  function wire(view, colour) {
    const {app} = mcts;
    for (const button of document.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => {
        const {step} = button.dataset;
        if (step === "first") app.seek(0);
        else if (step === "last") app.seek(Infinity);
        else app.step(Number(step));
      });
    }
    the("play-button").addEventListener("click", () => app.togglePlay());
    the("fit").addEventListener("click", () => app.resetZoom());
    offer("speed", mcts.player.SPEEDS.map((speed) => [speed, `${count(speed)} a second`]), 10, (speed) => app.setSpeed(Number(speed)));
    const modes = /** @type {string[]} */ (view.meta.colour_modes);
    offer("colour", modes.map((mode) => [mode, COLOURS[mode] || mode.replaceAll("_", " ")]), colour,
      (chosen) => { app.setView({colour: chosen}); });
    the("theme-button").addEventListener("click", () =>
      app.setTheme(document.documentElement.dataset.mctsTheme === "dark" ? "light" : "dark"));
    the("help-button").addEventListener("click", () => app.onHelp());
    app.onHelp = () => {
      mcts.keys.fill(the("key-list"), (key) => KEYS.has(key));
      /** @type {HTMLDialogElement} */ (the("help")).showModal();
    };
    const titles = new Map(Array.from(document.querySelectorAll("[data-needs]"), (button) => [button, button.title]));
    app.onReach = (reach) => {
      mcts.reach.show(reach);
      for (const [button, title] of titles) button.title = mcts.reach.tooltip(title, reach.steps);
      select("speed").disabled = Boolean(reach.steps);
    };
    app.onPlayChange = (playing, speed) => {
      the("play-button").textContent = playing ? "pause" : "play";
      select("speed").value = String(speed);
    };
  }

  async function start() {
    const about = await mcts.answers.open(), view = mcts.answers.view();
    const asked = mcts.app.fromAddress(), colour = mcts.opening.offered(view.meta, asked.view.colour ?? about.view.colour);
    say(about);
    wire(view, colour);
    const show = mcts.side.create(the("side"), view);
    mcts.app.onRest = show;
    mcts.pane.create(the("tree-graph"));
    mcts.app.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    mcts.app.mount();
    await mcts.app.openTrace("file", {
      node: asked.node, iteration: Math.max(about.first, asked.iteration ?? about.shown),
      view: {...about.view, colour},
    });
  }

  start().catch((error) => { the("status-line").textContent = error.message; });
})();
