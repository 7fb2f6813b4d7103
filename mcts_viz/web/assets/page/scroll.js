/* Scrolls something into view and nothing else. The browser's own scrollIntoView also makes Tab go on from there: the
   first Tab on a page that has just loaded would not lead to its first control. */
mcts.scroll = (() => {
  /** @param {any} element */
  function scrollerOf(element) {
    let box = element.parentElement;
    while (box && !["auto", "scroll"].includes(getComputedStyle(box).overflowY)) box = box.parentElement;
    return box;
  }

  /** Scroll the box around an element as little as shows it; nothing for no element. @param {any} element */
  function reveal(element) {
    const box = element && scrollerOf(element);
    if (!box) return;
    const inner = element.getBoundingClientRect(), outer = box.getBoundingClientRect();
    if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) box.scrollTop += Math.min(inner.bottom - outer.bottom, inner.top - outer.top);
  }

  return {reveal};
})();
