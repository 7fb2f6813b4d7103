/* Playing: moves the iteration along with the clock, a picture for every frame of the screen, until the end. */
mcts.player = (() => {
  const SPEEDS = [1, 2, 5, 10, 30, 60, 300, 1000, 10000]; // iterations a second; as panels/stepping.py offers them

  /** options: position() -> t, ahead(t, steps) -> that many steps further, t at the end, seek(t) -> whether t is shown already, onChange().
      @param {PlayerOptions} options */
  function create(options) {
    let generation = 0;      // a frame of an older generation does nothing
    let playing = false;
    let speed = 10;

    /** @param {number} token @param {number} before @param {number} owed */
    function loop(token, before, owed) {
      requestAnimationFrame((now) => {
        if (token !== generation) return;
        const due = owed + Math.min(now - before, 250) * speed / 1000;
        const steps = Math.floor(due);
        const t = options.position();
        if (options.ahead(t, 1) <= t) return stop();
        if (steps > 0 && !options.seek(options.ahead(t, steps))) {
          return loop(token, now, 0);   // its window is on the way: time stands still until then
        }
        loop(token, now, due - steps);
      });
    }

    function play() {
      if (playing) return;
      if (options.ahead(options.position(), 1) <= options.position()) options.seek(0);
      playing = true;
      generation += 1;
      loop(generation, performance.now(), 0);
      options.onChange();
    }

    function stop() {
      generation += 1;
      if (!playing) return;
      playing = false;
      options.onChange();
    }

    /** @param {number} iterationsPerSecond */
    function setSpeed(iterationsPerSecond) {
      speed = Math.max(0.1, Number(iterationsPerSecond) || 1);
      options.onChange();
    }

    /** One notch faster (+1) or slower (-1). @param {number} direction */
    function shift(direction) {
      const faster = SPEEDS.filter((s) => direction > 0 ? s > speed : s < speed);
      if (faster.length) setSpeed(direction > 0 ? faster[0] : faster[faster.length - 1]);
    }

    return {
      play, stop, setSpeed, shift,
      toggle: () => playing ? stop() : play(),
      isPlaying: () => playing,
      speed: () => speed,
    };
  }

  return {create, SPEEDS};
})();
