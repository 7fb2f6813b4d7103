/* Small things that are drawn on a canvas: text on plates and with halos, stars, rings, and the fonts of all of them. */
mcts.pen = (() => {
  const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const FONTS = {label: `600 12px ${FAMILY}`, small: `11px ${FAMILY}`, strong: `600 11px ${FAMILY}`, tiny: `600 9.5px ${FAMILY}`, slight: `9.5px ${FAMILY}`};

  const FEWEST = 4; // letters of a name that is cut

  /** @type {Map<string, number>} */
  const widths = new Map(); // by font and text

  /** Pixels. @param {Pen} pen @param {string} text @param {string} font */
  function textWidth(pen, text, font) {
    const key = font + text;
    let width = widths.get(key);
    if (width === undefined) {
      pen.font = font;
      if (widths.size > 5000) widths.clear();
      widths.set(key, width = pen.measureText(text).width);
    }
    return width;
  }

  /** As much of a text as fits into that many pixels, with "…" for the rest; "" where not even FEWEST letters have room:
      "so…" says less than nothing.
      @param {Pen} pen @param {string} text @param {string} font @param {number} room */
  function cutTo(pen, text, font, room) {
    const width = textWidth(pen, text, font);
    if (width <= room) return text;
    const letters = Array.from(text);
    for (let n = Math.floor(letters.length * room / width); n >= FEWEST; n--) {
      const cut = `${letters.slice(0, n).join("").trimEnd()}…`;
      if (textWidth(pen, cut, font) <= room) return cut;
    }
    return "";
  }

  /** Text from x on, on a seam of paper. @param {Pen} pen @param {string} text @param {number} x @param {number} y
      @param {string} colour @param {string} paper */
  function halo(pen, text, x, y, colour, paper) {
    Object.assign(pen, {textAlign: "left", lineWidth: 3, lineJoin: "round", strokeStyle: paper, fillStyle: colour});
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  }

  /** An empty pill of paper around a point. @param {Pen} pen @param {number} x @param {number} y @param {number} width @param {number} height
      @param {string} colour @param {string} paper */
  function plate(pen, x, y, width, height, colour, paper) {
    Object.assign(pen, {fillStyle: paper, strokeStyle: colour, lineWidth: 1});
    pen.beginPath();
    pen.roundRect(x - width / 2, y - height / 2, width, height, height / 2);
    pen.fill();
    pen.stroke();
  }

  /** @param {Pen} pen @param {number} x @param {number} y @param {number} size @param {string} colour @param {number} [inner] of the size */
  function star(pen, x, y, size, colour, inner = 0.45) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (let i = 0; i < 10; i++) {
      const angle = Math.PI * (i / 5 - 0.5), r = i % 2 ? size * inner : size;
      pen.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
    }
    pen.fill();
  }

  /** @param {Pen} pen @param {number} x @param {number} y @param {number} r @param {number} width @param {string} colour @param {number[]} dash */
  function ring(pen, x, y, r, width, colour, dash) {
    Object.assign(pen, {strokeStyle: colour, lineWidth: width});
    pen.setLineDash(dash);
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** A straight line. @param {Pen} pen @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} width
      @param {string} colour @param {number[]} dash */
  function line(pen, x0, y0, x1, y1, width, colour, dash) {
    Object.assign(pen, {strokeStyle: colour, lineWidth: width});
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** A triangle that points up: what was backed up. @param {Pen} pen @param {number} x @param {number} y @param {number} half of its width
      @param {number} top over y @param {number} bottom under y @param {string} colour */
  function arrowUp(pen, x, y, half, top, bottom, colour) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(x, y - top);
    pen.lineTo(x + half, y + bottom);
    pen.lineTo(x - half, y + bottom);
    pen.fill();
  }

  /** Make a canvas as many pixels as the screen has for its CSS pixels. @param {HTMLCanvasElement} canvas @param {number} width
      @param {number} height @param {number} [sharpness] pixels a CSS pixel; 0: the screen's @returns {Pen} */
  function fit(canvas, width, height, sharpness = 0) {
    const ratio = sharpness || window.devicePixelRatio || 1, w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) {
      Object.assign(canvas, {width: w, height: h});
      Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
    }
    const pen = of(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    return pen;
  }

  /** @param {HTMLCanvasElement} canvas */
  const of = (canvas) => /** @type {Pen} */ (canvas.getContext("2d"));

  return {FAMILY, FONTS, textWidth, cutTo, halo, plate, star, ring, line, arrowUp, fit, of};
})();
