/* The view of a number's origin: the curve, the children, the iterations in a list; totals of a range. */
mcts.originView = (() => {
  const {element, count, decimal, counted} = mcts.dom;
  const WIDTH = 320, HEIGHT = 64; // of the curve, in its own units
  /** What the iterations do to a number. @type {Record<string, string>} */
  const HOW = {
    visits: "Each of these iterations went through the node.",
    value_sum: "Each added its result.",
    mean_value: "The result of each moved the mean.",
    value_term: "Visits of the node move its mean, those of its siblings do not.",
    exploration_term: "A visit of the node lowers it, a visit of a sibling raises it.",
    score: "A visit of the node moves both terms, a visit of a sibling raises the exploration.",
  };

  /** @param {string} className @param {string} text @param {() => void} act @param {string} [title] */
  function button(className, text, act, title = "") {
    const made = element("button", className, text);
    made.type = "button";
    if (title) made.title = title;
    made.addEventListener("click", act);
    return made;
  }

  /** A number as this quantity is written. @param {string} number @param {number | null} value */
  const written = (number, value) => number === "visits" && value !== null ? count(value) : decimal(value);
  /** @param {string} number @param {number | null} value */
  const signed = (number, value) => (value !== null && value > 0 ? "+" : "") + written(number, value);

  /** @param {OriginAnswer} a */
  function sentence(a) {
    const parts = [`after iteration ${count(a.t)}`];
    if (!a.single) parts.push("this file holds a whole tree, not the iterations that made it");
    else if (!a.n) parts.push("no iteration of this trace made it");
    else parts.push(`${counted(a.n, "iteration")} made it, ${count(a.rows.length ? a.curve.iteration[0] : 0)} to ${count(a.curve.iteration[a.curve.iteration.length - 1])}`);
    if (a.kept_visits) parts.push(`${counted(a.kept_visits, "visit")} of the node ${a.kept_visits === 1 ? "is" : "are"} from before this trace`);
    return `${parts.join(" · ")}.`;
  }

  /** @param {OriginAnswer} a @param {OriginActions} actions */
  function curve(a, actions) {
    const {iteration, after} = a.curve, known = after.filter((value) => value !== null), n = iteration.length;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const low = Math.min(...known), high = Math.max(...known), from = iteration[0], width = Math.max(1, iteration[n - 1] - from);
    /** @param {number} value */
    const y = (value) => HEIGHT - 3 - (value - low) / (high - low || 1) * (HEIGHT - 6);
    let path = "";
    after.forEach((value, i) => {
      if (value !== null) path += `${path ? "L" : "M"}${((iteration[i] - from) / width * WIDTH).toFixed(1)} ${y(value).toFixed(1)}`;
    });
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("class", "origin-curve");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${a.name} from iteration ${count(from)} to ${count(iteration[n - 1])}: ${written(a.number, low)} to ${written(a.number, high)}`);
    line.setAttribute("d", path);
    svg.append(line);
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect(), wanted = from + (event.clientX - box.left) / box.width * width;
      actions.go(iteration.reduce((a, b) => Math.abs(b - wanted) < Math.abs(a - wanted) ? b : a));
    });
    const scale = element("div", "origin-scale dim");
    scale.append(element("span", "", written(a.number, low)), element("span", "", `to ${written(a.number, high)}`), element("span", "", `iterations ${count(from)} to ${count(iteration[n - 1])}`));
    return [svg, scale];
  }

  /** @param {string} text */
  const heading = (text) => element("h4", "", text);

  /** @typedef {{text: string, n: number, node?: number}} Bar */

  /** Bars of counts, each a link where it has a node. @param {Bar[]} items @param {OriginActions} actions */
  function bars(items, actions) {
    const list = element("ul", "origin-bars"), most = items.reduce((a, {n}) => Math.max(a, n), 1);
    for (const {text, n, node} of items) {
      const row = element("li"), bar = element("i");
      bar.style.width = `${100 * n / most}%`;
      const name = node === undefined ? element("span", "", text) : button("why-link", text, () => actions.select(node), `select ${text}`);
      const room = element("span", "origin-bar");
      room.append(bar);
      row.append(name, room, element("b", "", count(n)));
      list.append(row);
    }
    return list;
  }

  /** @param {OriginAnswer} a */
  function heads(a) {
    if (a.number === "visits") return ["iteration", "went on through", "added", "visits after"];
    if (a.number === "value_sum") return ["iteration", "went on through", "added", "sum after"];
    if (a.number === "mean_value") return ["iteration", "went on through", "result", "change", "mean after"];
    return ["iteration", "went through", "change", "after"];
  }

  /** @param {OriginAnswer} a @param {Cursor} cursor @param {OriginActions} actions */
  function table(a, cursor, actions) {
    const made = element("table", "origin-table"), head = element("tr"), body = element("tbody");
    for (const text of heads(a)) {
      const cell = element("th", "", text);
      cell.scope = "col";
      head.append(cell);
    }
    for (const row of a.rows) {
      const line = element("tr"), place = element("td");
      if (row.iteration === cursor.iteration) line.setAttribute("aria-current", "true");
      place.append(button("why-link", count(row.iteration), () => actions.go(row.iteration), `go to iteration ${count(row.iteration)}`));
      const added = a.number === "visits" ? row.visits : a.number === "value_sum" ? row.value : row.added;
      const cells = [signed(a.number, added), row.infinite ? "∞" : written(a.number, row.after)];
      if (a.number === "mean_value") cells.unshift(row.visits ? decimal(row.value / row.visits) : "–");
      line.append(place, element("td", "", row.through), ...cells.map((text) => element("td", "", text)));
      body.append(line);
    }
    const top = element("thead");
    top.append(head);
    made.append(top, body);
    return made;
  }

  /** @param {OriginAnswer} a @param {OriginActions} actions */
  function pager(a, actions) {
    const box = element("div", "origin-pager dim"), end = a.first + a.rows.length;
    const back = button("why-link", "‹ earlier", () => actions.page(Math.max(0, a.first - 100))), on = button("why-link", "later ›", () => actions.page(end));
    if (a.first > 0) box.append(back);
    box.append(element("span", "", `${count(a.first + 1)} to ${count(end)} of ${count(a.n)}`));
    if (end < a.n) box.append(on);
    return box;
  }

  /** @param {OriginAnswer} a */
  const viewed = (a) => HOW[a.number] + (a.view && ["value_sum", "mean_value"].includes(a.number) ? ` In the view of ${a.view}.` : "");

  /** @param {OriginAnswer} a @param {Cursor} cursor @param {OriginShown} shown @param {OriginActions} actions */
  function origin(a, cursor, {passing, isOfB}, actions) {
    const how = element("p", "dim", viewed(a)), parts = [element("p", "", sentence(a)), how];
    if (!a.single || !a.n) return parts;
    const alone = button("origin-alone", mcts.keys.hinted("step through the iterations of this node alone", "i"), actions.passing);
    alone.setAttribute("aria-pressed", String(passing?.node === a.node));
    /** @type {Bar[]} */
    const children = a.children.map(({move, n, node}) => ({text: move, n, node: isOfB || ["ended there", "elsewhere"].includes(move) ? undefined : node}));
    if (a.more_children) children.push({text: "other moves", n: a.more_children});
    return [
      ...parts, ...curve(a, actions), ...(isOfB ? [] : [alone]),
      heading(a.of_score ? "Through which of the siblings" : "Through which child"), bars(children, actions),
      heading("The iterations"), table(a, cursor, actions), pager(a, actions),
    ];
  }

  /** The ends of a span, which can be typed as well as drawn. @param {Span} span @param {OriginActions} actions */
  function ends(span, actions) {
    const box = element("div", "origin-ends"), fields = span.map((t, i) => {
      const field = element("input");
      Object.assign(field, {type: "number", min: "1", max: String(mcts.session.length), value: String(t)});
      field.setAttribute("aria-label", i ? "last iteration" : "first iteration");
      return field;
    });
    for (const field of fields) {
      field.addEventListener("change", () => {
        const [from, to] = fields.map(({value}) => Math.max(1, Math.min(mcts.session.length, Math.round(Number(value)) || 1)));
        actions.span(mcts.timelineChart.spanOf(from, to));
      });
      field.addEventListener("keydown", (event) => { if (event.key === "Escape") actions.close(); }); // the page's keys are not a field's
    }
    box.append(heading("Iterations"), fields[0], element("span", "", "to"), fields[1], button("why-link", "clear", () => actions.span(null)));
    return box;
  }

  /** @param {TotalsAnswer} s @param {OriginActions} actions */
  function totals(s, actions) {
    const where = s.node ? " through the node" : "", parts = [`${counted(s.iterations, "iteration")}${where}`, `${counted(s.new_nodes, "new node")}`];
    if (s.mean_outcome !== null) parts.push(`mean outcome ${decimal(s.mean_outcome)}${s.view}`);
    /** @type {Bar[]} */
    const moves = s.moves.map(({move, iterations, node}) => ({text: move, n: iterations, node}));
    if (s.ended) moves.push({text: "ended there", n: s.ended});
    const found = [element("p", "", `${parts.join(" · ")}.`), heading("Selections by move"), bars(moves, actions)];
    const looked = s.step > 1 ? ` (one in ${count(s.step)} looked at)` : "";
    for (const [title, counts] of [[`Selections by the term that decided${looked}`, s.reasons], ["Outcomes", s.outcomes]]) {
      const items = Object.entries(counts).map(([text, n]) => ({text, n}));
      if (items.length) found.push(heading(String(title)), bars(items, actions));
    }
    return found;
  }

  /** @param {HTMLElement} box @param {OriginShown} shown @param {OriginActions} actions */
  function draw(box, shown, actions) {
    const {answer, totals: sums, span, cursor, isOfB} = shown;
    const head = element("div", "origin-head"), shut = button("origin-close", "×", actions.close, mcts.keys.hinted("close", "Escape"));
    const title = answer ? `${answer.infinite ? "∞" : written(answer.number, answer.total)} ${answer.name} of ${answer.move}${isOfB ? " in B" : ""}` : "Totals of a range";
    shut.setAttribute("aria-label", "close");
    head.append(element("h3", "", title), shut);
    const scroll = box.scrollTop;
    box.setAttribute("aria-busy", "false");
    const parts = span ? [ends(span, actions), ...(sums ? totals(sums, actions) : [])] : [];
    box.replaceChildren(head, ...parts, ...(answer ? origin(answer, cursor, shown, actions) : []));
    box.scrollTop = scroll;
  }

  /** The answer is on its way. @param {HTMLElement | null} box */
  const busy = (box) => box?.setAttribute("aria-busy", "true");

  /** What is left out while steps go through a node alone, and the way back. @param {HTMLElement | null} timeline
      @param {Passing | null} passing @param {() => void} clear */
  function chip(timeline, passing, clear) {
    document.querySelector(".mcts-passing")?.remove();
    if (!timeline || !passing) return;
    const text = `only the ${counted(passing.iterations.length, "iteration")} through ${passing.move} ×`;
    timeline.querySelector(".mcts-timeline-head")?.prepend(button("mcts-passing", text, clear, mcts.keys.hinted("step through all iterations again", "i")));
  }

  return {draw, busy, chip};
})();
