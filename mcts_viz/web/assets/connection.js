/* The server gone, and back: says so on the page as long as it does not answer, then brings the page up to date.

   Every request goes through here, Dash's callbacks as well: a callback that fails for want of a server is otherwise
   silent. */
window.mcts = window.mcts || {};

mcts.connection = (() => {
  "use strict";

  const AGAIN = 1500; // milliseconds between two questions whether it is back
  const GONE = "The server does not answer. What is loaded stays usable; the page goes on by itself when the server is back.";
  const plain = window.fetch.bind(window);
  let gone = false;

  function banner() {
    let box = document.getElementById("connection");
    if (!box) {
      box = Object.assign(document.createElement("div"), {id: "connection", className: "connection", hidden: true});
      box.setAttribute("role", "alert");
      document.body.append(box);
    }
    return box;
  }

  function show(text) {
    const box = banner();
    box.textContent = text;
    box.hidden = text === "";
  }

  async function answers() {
    try {
      await plain("api/start", {cache: "no-store"});
      return true;
    } catch (error) {
      return false;
    }
  }

  async function waitUntilBack() {
    while (!(await answers())) await new Promise((later) => setTimeout(later, AGAIN));
    gone = false;
    show("");
    mcts.app.refresh?.();
  }

  function lost() {
    if (gone) return;
    gone = true;
    show(GONE);
    waitUntilBack();
  }

  window.fetch = async (address, options) => {
    try {
      return await plain(address, options);
    } catch (error) {
      if (error.name !== "AbortError" && !document.hidden) await answers().then((back) => back || lost());
      throw error;
    }
  };

  return {isGone: () => gone};
})();
