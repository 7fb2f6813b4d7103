/* The keyboard: one table of keys, for the handler and for the printed list. */
mcts.keys = (() => {
  /* [key, needs: "shift" | "ctrl" | "", what it does in words, what it calls on the app] */
  /** @type {[key: string, needs: string, text: string, act: (app: typeof mcts.app) => void][]} */
  const KEYS = [
    ["ArrowRight", "", "next iteration", (app) => { app.step(1); }],
    ["ArrowLeft", "", "previous iteration", (app) => { app.step(-1); }],
    ["ArrowRight", "shift", "10 iterations on", (app) => { app.step(10); }],
    ["ArrowLeft", "shift", "10 iterations back", (app) => { app.step(-10); }],
    ["ArrowRight", "ctrl", "100 iterations on", (app) => { app.step(100); }],
    ["ArrowLeft", "ctrl", "100 iterations back", (app) => { app.step(-100); }],
    ["ArrowDown", "", "next phase: select, expand, simulate, backpropagate", (app) => { app.walkPhases(1); }],
    ["ArrowUp", "", "previous phase", (app) => { app.walkPhases(-1); }],
    ["Home", "", "before the first iteration", (app) => { app.seek(0); }],
    ["End", "", "after the last iteration", (app) => { app.seek(Infinity); }],
    ["PageDown", "", "next search of a file that holds many", (app) => { app.onSearch(1); }],
    ["PageUp", "", "previous search of that file", (app) => { app.onSearch(-1); }],
    ["g", "", "follow a search that is being recorded", (app) => { app.onFollow(); }],
    ["n", "", "next mark on the timeline", (app) => { app.onMark(1); }],
    ["p", "", "previous mark on the timeline", (app) => { app.onMark(-1); }],
    ["i", "", "step through the iterations of the selected node alone, or through all", (app) => { app.onPassing(); }],
    ["[", "", "begin a range of iterations here, for its totals", (app) => { app.onSpan(-1); }],
    ["]", "", "end the range here", (app) => { app.onSpan(1); }],
    ["w", "", "why this move", (app) => { app.onWhy(); }],
    ["b", "", "bookmark this place, with a note", (app) => { app.onBookmark(); }],
    [" ", "", "play or pause", (app) => { app.togglePlay(); }],
    ["+", "", "play faster", (app) => { app.shiftSpeed(1); }],
    ["-", "", "play slower", (app) => { app.shiftSpeed(-1); }],
    ["e", "", "expand or collapse the node", (app) => { app.toggle(); }],
    ["e", "shift", "expand or collapse the whole subtree", (app) => { app.toggleSubtree(); }],
    ["z", "ctrl", "take back the last expanding or collapsing", (app) => { app.undo(); }],
    ["f", "", "focus on the node", (app) => { app.focus(); }],
    ["c", "", "copy the moves that lead to the node", (app) => { app.copyPath(); }],
    ["Escape", "", "leave the phases; back to the whole tree", (app) => { app.back(); }],
    ["k", "", "select the parent", (app) => { app.walk("up"); }],
    ["j", "", "select the first child", (app) => { app.walk("down"); }],
    ["h", "", "select the sibling to the left", (app) => { app.walk("left"); }],
    ["l", "", "select the sibling to the right", (app) => { app.walk("right"); }],
    ["0", "", "fit the tree into the picture", (app) => { app.resetZoom(); }],
    ["/", "", "find a move sequence or a node", (app) => { app.onFind(); }],
    ["?", "", "list of keys", (app) => { app.onHelp(); }],
  ];

  const SHIFTED = new Set(["+", "?", "/", "-"]); // keys that some keyboards only have with Shift

  /** @param {any} target */
  function isTyping(target) {
    if (!target || !target.closest) return false;
    const field = target.closest("input, textarea, select, [contenteditable='true'], [role='textbox'], [role='grid']");
    return field !== null && !(field.matches("input[type=range].mcts-scrubber"));
  }

  /** @param {any} target */
  const ownsSpace = (target) =>
    target && target.closest && target.closest("button, a, [role=button], summary, [role=tab], [role=menuitem], [role=switch]") !== null;

  /** @param {any} target */
  const inDialog = (target) =>
    target && target.closest && target.closest("[role=dialog], [role=menu], [role=listbox], dialog") !== null;

  /** @param {KeyboardEvent} event */
  function needs(event) {
    if (event.ctrlKey || event.metaKey) return "ctrl";
    return event.shiftKey && !SHIFTED.has(event.key) ? "shift" : "";
  }

  /** The entry of KEYS for a keyboard event, or null when the key is not the page's. @param {KeyboardEvent} event */
  function meaning(event) {
    if (event.defaultPrevented || event.altKey || event.isComposing) return null;
    if (isTyping(event.target) || inDialog(event.target)) return null;
    if (event.key === " " && ownsSpace(event.target)) return null;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    return KEYS.find((entry) => entry[0] === key && entry[1] === needs(event)) || null;
  }

  /** @param {any} app */
  function listen(app) {
    /** @param {KeyboardEvent} event */
    const onKey = (event) => {
      const entry = meaning(event);
      if (!entry) return;
      event.preventDefault();
      entry[3](app);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }

  /** For a help page. @returns {{key: string, needs: string, text: string}[]} */
  const list = () => KEYS.map(([key, modifier, text]) => ({key, needs: modifier, text}));

  /** @type {Record<string, string>} */
  const NAMES = {ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc"};

  /** @param {string} part of a key's name */
  const shown = (part) => NAMES[part] || (part.length === 1 ? part : part[0].toUpperCase() + part.slice(1));

  /** A tooltip with the key that does the same: "ctrl ArrowLeft", say, as KEYS has it; of several, with commas. @param {string} text @param {string} [key] */
  function hinted(text, key) {
    if (!key) return text;
    const found = key.split(",").flatMap((each) => KEYS.filter(([name, needed]) => each === (needed ? `${needed} ${name}` : name)));
    return found.length ? `${text} ( ${found.map(([name, needed]) => [needed, name].filter(Boolean).map(shown).join(" ")).join(" ")} )` : text;
  }

  /** Write the keys that are wanted into a list of terms. @param {HTMLElement} target @param {(key: string) => boolean} isWanted */
  function fill(target, isWanted) {
    const {element} = mcts.dom;
    target.replaceChildren(...list().filter(({key}) => isWanted(key)).flatMap(({key, needs: modifier, text}) => {
      const name = element("dt");
      for (const part of [modifier, key].filter(Boolean)) {
        name.append(element("kbd", "", shown(part)));
      }
      return [name, element("dd", "", text)];
    }));
  }

  return {listen, meaning, list, fill, hinted, isTyping};
})();
