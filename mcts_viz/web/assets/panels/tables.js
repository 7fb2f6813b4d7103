/* Tables are made by AG Grid, 0.6 MB, and none is seen before the tree: it is loaded when the first one comes into sight. Until
   then a component of the same name stands in for it. */
(() => {
  const address = document.querySelector?.("meta[name=mcts-tables]")?.getAttribute("content");
  let /** @type {any} */ real = null, /** @type {Promise<void> | null} */ loading = null;

  function take() {
    const {dash_ag_grid: library} = window;
    real = library?.AgGrid;
    Object.assign(Table, {dashPersistence: real.dashPersistence, defaultProps: real.defaultProps, propTypes: real.propTypes});
    window.dash_ag_grid = {...library, AgGrid: Table}; // the same component as before, or every table would be made anew
  }

  /** @returns {Promise<void>} */
  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.onload = () => { take(); resolve(); };
      script.onerror = () => { loading = null; reject(new Error("The tables could not be loaded: is the server still there? Load the page again.")); };
      script.src = String(address);
      document.head.append(script);
    });
    return loading;
  }

  const AWAITED = 0, EMPTY = 1, FILLED = 2; // stages of a table: it notices only rows that come after it has been made

  /** @param {any} props */
  function Table(props) {
    const {createElement, useEffect, useRef, useState} = window.React, [stage, setStage] = useState(real ? EMPTY : AWAITED), place = useRef(null);
    useEffect(() => {
      if (stage === EMPTY) window.dash_ag_grid?.getApiAsync?.(props.id).then(() => setStage(FILLED), () => setStage(FILLED));
      if (stage !== AWAITED) return undefined;
      const sight = new IntersectionObserver((entries) => {
        if (!entries.some(({isIntersecting}) => isIntersecting)) return;
        sight.disconnect();
        load().then(() => setStage(EMPTY), (error) => mcts.message.say(error.message));
      });
      sight.observe(place.current);
      return () => sight.disconnect();
    }, [stage]);
    if (stage === AWAITED) return createElement("div", {id: props.id, style: props.style, ref: place});
    return createElement(real, stage === EMPTY ? {...props, rowData: []} : props);
  }

  Table.dashRenderType = true;
  if (address) window.dash_ag_grid = {AgGrid: Table};
})();
