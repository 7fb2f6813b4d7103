/* Files to and from the page: opening and dropping traces, and downloads. */
mcts.files = (() => {
  const {say} = mcts.message, {messageOf} = mcts.dom;

  /** Streams a file to the server; the browser never holds it in memory. @param {File} file */
  async function upload(file) {
    say(`Opening ${file.name} …`);
    try {
      const answer = await fetch(`api/upload?name=${encodeURIComponent(file.name)}`, {method: "POST", body: file});
      const made = await answer.json();
      say(answer.ok ? "" : made.error);
      if (answer.ok) mcts.dash.set("trace-opened", {data: {key: made.key}});
    } catch (error) {
      say(`${file.name} could not be sent to the server: ${messageOf(error)}`);
    }
  }

  function open() {
    const input = mcts.dom.element("input");
    Object.assign(input, {type: "file", accept: ".mcts,.json,.ndjson,.jsonl,.log", id: "file-input", hidden: true});
    mcts.dom.byId("file-input")?.remove();
    document.body.append(input);
    input.addEventListener("change", () => {
      if (input.files?.length) upload(input.files[0]);
      input.remove();
    });
    input.click();
  }

  function takeDropped() {
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      const files = [...event.dataTransfer?.files ?? []];
      files.reduce((before, file) => before.then(() => upload(file)), Promise.resolve()); // the last one stays open
    });
  }

  /** Let the browser save what an address gives. @param {string} address */
  async function save(address) {
    try {
      const offered = await fetch(address, {method: "HEAD"}); // a refused download would be silent
      if (offered.ok) Object.assign(mcts.dom.element("a"), {href: address, download: ""}).click();
      else say((await (await fetch(address)).json()).error);
    } catch (error) {
      say(`The export could not be fetched from the server: ${messageOf(error)}`);
    }
  }

  /** What an entry of the Export menu stands for. */
  async function download() {
    if (!mcts.dash.wasClicked()) return;
    const {format} = mcts.dash.triggered(), cursor = mcts.app.cursor();
    if (cursor && cursor.trace) await mcts.exports.run(format, cursor); else say("There is no trace to export yet.");
  }

  return {open, upload, takeDropped, save, download};
})();
