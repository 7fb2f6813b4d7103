/* The file put together: the app of the page over the file's own answers, and its few controls. */
(() => {
  "use strict";

  const KEYS = new Set(["ArrowRight", "ArrowLeft", "Home", "End", " ", "+", "-", "h", "j", "k", "l", "0", "?"]);
  const KEY_NAMES = {ArrowRight: "→", ArrowLeft: "←", " ": "Space"};
  const COLOURS = {mean_value: "mean value", visits: "visits", uct: "UCT score", exploration: "exploration term"};

  const byId = (id) => document.getElementById(id);
  const count = (n) => n.toLocaleString("en-US");

  function say(about) {
    byId("name").textContent = about.name;
    const part = about.last - about.first < about.n_iterations
      ? `iterations ${count(about.first)} to ${count(about.last)} of ${count(about.n_iterations)} (a file holds at most ${count(about.most)})`
      : `${count(about.n_iterations)} iterations`;
    byId("about").textContent = `${about.game} · ${part} · made by mcts_viz`;
  }

  function options(select, values, chosen) {
    select.replaceChildren(...values.map(([value, text]) => new Option(text, value, false, String(value) === String(chosen))));
  }

  function fillKeys() {
    byId("key-list").replaceChildren(...mcts.app.keys().filter(({key}) => KEYS.has(key)).flatMap(({key, needs, text}) => {
      const name = document.createElement("dt"), meaning = document.createElement("dd");
      for (const part of [needs, key].filter(Boolean)) {
        const cap = document.createElement("kbd");
        cap.textContent = KEY_NAMES[part] || part;
        name.append(cap);
      }
      meaning.textContent = text;
      return [name, meaning];
    }));
  }

  function wire(view) {
    const {app} = mcts;
    for (const button of document.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => {
        const {step} = button.dataset;
        if (step === "first") app.seek(0);
        else if (step === "last") app.seek(Infinity);
        else app.step(Number(step));
      });
    }
    byId("play-button").addEventListener("click", () => app.togglePlay());
    byId("fit").addEventListener("click", () => app.resetZoom());
    options(byId("speed"), mcts.player.SPEEDS.map((speed) => [speed, `${count(speed)} a second`]), 10);
    byId("speed").addEventListener("change", (event) => app.setSpeed(Number(event.target.value)));
    options(byId("colour"), view.meta.colour_modes.map((mode) => [mode, COLOURS[mode] || mode.replaceAll("_", " ")]), app.fromAddress().view.colour);
    byId("colour").addEventListener("change", (event) => app.setView({colour: event.target.value}));
    byId("theme-button").addEventListener("click", () =>
      app.setTheme(document.documentElement.dataset.mctsTheme === "dark" ? "light" : "dark"));
    byId("help-button").addEventListener("click", () => app.onHelp());
    app.onHelp = () => { fillKeys(); byId("help").showModal(); };
    const titles = new Map(Array.from(document.querySelectorAll("[data-needs]"), (button) => [button, button.title]));
    app.onReach = (reach) => {
      mcts.reach.show(reach);
      for (const [button, title] of titles) button.title = mcts.reach.tooltip(title, reach.steps);
      byId("speed").disabled = Boolean(reach.steps);
    };
    app.onPlayChange = (playing, speed) => {
      byId("play-button").textContent = playing ? "pause" : "play";
      byId("speed").value = String(speed);
    };
  }

  async function start() {
    const about = await mcts.answers.open(), view = mcts.answers.view();
    say(about);
    wire(view);
    const show = mcts.side.create(byId("side"), view);
    mcts.app.onRest = show;
    mcts.pane.create(byId("tree-graph"));
    mcts.app.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const asked = mcts.app.fromAddress();
    await mcts.app.openTrace("file", {
      node: asked.node, iteration: Math.max(about.first, asked.iteration ?? about.shown),
      view: {...about.view, ...(asked.view.colour ? {colour: asked.view.colour} : {})},
    });
  }

  start().catch((error) => { byId("status-line").textContent = error.message; });
})();
