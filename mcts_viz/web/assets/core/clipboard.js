/* Copying text, also where the browser does not let pages reach the clipboard. */
mcts.clipboard = (() => {
  /** A promise of what to tell the person: that it was copied, or the text itself, to be copied by hand. @param {string} text */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text); // there is no clipboard on pages without https, except on localhost
      return `Copied: ${text}`;
    } catch {
      return `The browser does not let this page copy. The moves are: ${text}`;
    }
  }

  return {copy};
})();
