/* The list of traces: what each is in a few words, with its picture, and the search in it. Each trace is asked about once, when
   the list is opened, and its findings one trace after the other, as a check takes its time. */
mcts.traceList = (() => {
  /** @type {Map<string, TraceSummary>} */
  const known = new Map();
  /** @type {Map<string, Promise<void>>} */
  const asked = new Map();
  let /** @type {Promise<void>} */ checks = Promise.resolve();
  const /** @type {Promise<void>} */ isWanted = new Promise((resolve) => {
    const look = (/** @type {Event} */ event) => { if (mcts.dom.targetOf(event).id === "trace-select") resolve(); };
    for (const name of ["focusin", "pointerover"]) globalThis.addEventListener?.(name, look);
  });

  /** @param {string} key @param {string} path */
  const api = (key, path) => `${mcts.requests.traceUrl(key)}/${path}`;

  /** Ask about a trace once; `told` is called when more is known of it. @param {string} key @param {() => void} told */
  function ask(key, told) {
    const first = asked.get(key) ?? mcts.binary.fetchJson(api(key, "summary")).then((summary) => { known.set(key, summary); });
    if (!asked.has(key)) {
      asked.set(key, first.catch(() => { asked.delete(key); }));
      checks = checks.then(() => first).then(() => mcts.binary.fetchJson(api(key, "finding-count"))).then(({words: findings}) => {
        const summary = known.get(key);
        if (summary) known.set(key, {...summary, findings});
      }).catch(() => {}); // its health tells why
    }
    first.then(told, () => {});
    checks.then(told);
  }

  /** What is said of a trace beside its name, the move apart. @param {TraceSummary | undefined} summary */
  function words(summary) {
    return summary ? [summary.game, summary.preset, summary.iterations, summary.findings].filter(Boolean).join(" · ") : "";
  }

  /** One option; React's, as the list is. @param {{value: string, label: string}} option */
  function Option({value, label}) {
    const {createElement, useEffect, useState} = window.React;
    const [, setKnown] = useState(0);
    useEffect(() => {
      let isShown = true;
      isWanted.then(() => { if (isShown) ask(value, () => { if (isShown) setKnown((/** @type {number} */ n) => n + 1); }); });
      return () => { isShown = false; };
    }, [value]);
    const summary = known.get(value), theme = document.documentElement.dataset.mctsTheme;
    const picture = summary?.pictures.length ? {src: api(value, `thumbnail.svg?theme=${theme}`), alt: ""} : null;
    return createElement("div", {className: "trace-option"},
      picture ? createElement("img", picture) : createElement("span", {className: "trace-picture"}),
      createElement("div", {className: "trace-words"},
        createElement("span", {className: "trace-name"}, label),
        createElement("small", {"aria-hidden": true}, words(summary) || "…"),
        summary?.move ? createElement("small", {"aria-hidden": true, className: "trace-move"}, `★ ${summary.move}`) : null));
  }

  /** The traces whose name, folder, game, preset or move has all words that are typed, in their groups.
      @param {{options: {group: string, items: {value: string, label: string}[]}[], search: string}} of */
  function found({options, search}) {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
    return options.map(({group, items}) => ({group, items: items.filter(({value, label}) => {
      const summary = known.get(value), text = `${group} ${label} ${words(summary)} ${summary?.move ?? ""}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    })})).filter(({items}) => items.length);
  }

  window.dashMantineFunctions = {
    ...window.dashMantineFunctions,
    traceOption: (/** @type {any} */ {option}) => window.React.createElement(Option, {key: option.value, value: option.value, label: option.label}),
    tracesFound: found,
  };

  return {found, words};
})();
