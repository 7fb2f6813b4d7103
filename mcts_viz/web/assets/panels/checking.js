/* The tab Health says how far the check of a long trace is, beside the words that a screen reader speaks: not each percent. */
mcts.checking = (() => {
  const EVERY = 1000; // milliseconds

  /** Where it is said; nowhere once the findings are there. */
  const sign = () => document.querySelector(".health-step");

  let asked = 0;

  /** Ask again and again, until the findings come or another trace is opened.
      @param {{trace: string | null} | null} cursor */
  async function tell(cursor) {
    const mine = ++asked;
    while (cursor && sign()) {
      await new Promise((later) => setTimeout(later, EVERY));
      if (mine !== asked || !sign()) return;
      const {words, share} = await mcts.requests.checking(String(cursor.trace)).catch(() => ({words: null, share: null}));
      const place = sign();
      if (mine !== asked || !place) return;
      if (words !== null && share !== null) place.textContent = `: ${words}, ${Math.floor(100 * share)} % …`;
    }
  }

  return {tell};
})();
