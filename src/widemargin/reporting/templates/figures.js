// The small figures: classes, or a target, against a feature; maps; the start.

const ROW = { few: 46, many: 36 }; // height of one class
const LEVEL = 20; // height of one level of a nominal feature

function startMultiples() {
  const { classes, features } = page.distributions;
  const figures = document.querySelectorAll("#classes-charts figure");
  figures.forEach((figure, i) => {
    const look = features[i];
    figure.querySelector("figcaption").prepend(element("span", { class: "place" }, count(look.rank)));
    const host = figure.appendChild(element("div"));
    redrawn(host, (width) => {
      const draw = { numeric: ridges, levels: bars, scatter, boxes }[look.kind];
      const svg = draw(look, classes, width);
      furnish(svg, { role: "img", "aria-label": figure.dataset.alternative }, []);
      host.replaceChildren(svg);
    });
  });
}

// The colour of a class: its own, or its step on a scale if classes are in order.
function tone(c) {
  const { ordered, classes } = page.distributions;
  if (!ordered) return { "--series": `var(--s${c % 8})` };
  const share = (100 * c) / Math.max(1, classes.length - 1);
  return { "--series": `color-mix(in oklab, var(--high) ${share.toFixed(0)}%, var(--low))` };
}

function shares(counts) {
  const sum = counts.reduce((a, b) => a + b, 0) || 1;
  return counts.map((c) => c / sum);
}

// One histogram per class, one above the other on the same axis.
function ridges(look, classes, width) {
  const rows = look.counts.map(shares);
  const step = classes.length > 4 ? ROW.many : ROW.few;
  const height = step * classes.length + 22;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "small" });
  const n = rows[0].length;
  const x = (v) => ((v - look.low) / (look.high - look.low)) * width;
  rows.forEach((row, c) => {
    const base = step * (c + 1);
    const top = Math.max(...row, 1e-9);
    const y = (v) => base - (v / top) * (step - 20);
    let path = `M0 ${base}`;
    row.forEach((v, b) => (path += `V${y(v).toFixed(1)}H${(((b + 1) * width) / n).toFixed(1)}`));
    svg.append(
      drawn("path", { class: "area", ...tone(c), d: `${path}V${base}Z` }),
      drawn("line", { class: "base", x1: 0, x2: width, y1: base, y2: base }),
      drawn("text", { x: 0, y: base - step + 16 }, shortened(classes[c], width / 7)),
    );
    const median = look.medians[c];
    if (median !== null && median >= look.low && median <= look.high) {
      svg.append(drawn("line", { class: "median", x1: x(median), x2: x(median), y1: base - 6, y2: base + 3 }));
    }
  });
  const [low, high] = look.whole ? [look.low + 0.5, look.high - 0.5] : [look.low, look.high];
  svg.append(
    drawn("text", { x: 0, y: height - 5 }, (look.cut ? "≤ " : "") + brief(low)),
    drawn("text", { x: width, y: height - 5, "text-anchor": "end" }, (look.cut ? "≥ " : "") + brief(high)),
  );
  hover(svg, (px, py) => {
    const c = Math.floor(py / step);
    if (c < 0 || c >= rows.length) return null;
    const b = Math.min(n - 1, Math.max(0, Math.floor((px / width) * n)));
    const wide = (look.high - look.low) / n;
    const from = look.low + b * wide;
    const bin = look.whole ? count(from + 0.5) : `${brief(from)} to ${brief(from + wide)}`;
    return [
      classes[c],
      `${bin}: ${count(look.counts[c][b])} (${percent(rows[c][b])})`,
      `median ${brief(look.medians[c])}`,
      ...absent(look, c),
    ];
  });
  return svg;
}

// One row per level, one column of bars per class.
function bars(look, classes, width) {
  const rows = look.counts.map(shares);
  const top = Math.max(...rows.flat(), 1e-9);
  const label = Math.min(96, width * 0.34);
  const room = (width - label) / classes.length;
  const height = 18 + LEVEL * look.levels.length + 4;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "small" });
  classes.forEach((name, c) =>
    svg.append(drawn("text", { x: label + c * room, y: 11 }, shortened(name, room / 7.5))),
  );
  look.levels.forEach((level, l) => {
    const y = 18 + l * LEVEL;
    svg.append(drawn("text", { x: 0, y: y + 14 }, shortened(level, label / 7.5)));
    rows.forEach((row, c) => {
      const x = label + c * room;
      svg.append(
        drawn("rect", { class: "track", x, y: y + 3, width: room - 8, height: LEVEL - 6 }),
        drawn("rect", { class: "area", ...tone(c), x, y: y + 3, width: ((room - 8) * row[l]) / top, height: LEVEL - 6 }),
      );
    });
  });
  hover(svg, (px, py) => {
    const l = Math.floor((py - 18) / LEVEL);
    const c = Math.floor((px - label) / room);
    if (l < 0 || l >= look.levels.length) return null;
    const named = c < 0 ? classes.map((_, i) => i) : [Math.min(c, classes.length - 1)];
    return [
      look.levels[l],
      ...named.map((i) => `${classes[i]}: ${count(look.counts[i][l])} (${percent(rows[i][l])})`),
    ];
  });
  return svg;
}

const PLOT = { height: 168, left: 40, bottom: 24, top: 6 };

// The target upwards, a feature to the right: one point per row, and the trend.
function scatter(look, _, width) {
  const { target } = page.distributions;
  const [right, base] = [width - 4, PLOT.height - PLOT.bottom];
  const within = (v, { low, high }) => Math.min(1, Math.max(0, (v - low) / (high - low || 1)));
  const x = (v) => PLOT.left + within(v, look) * (right - PLOT.left);
  const y = (v) => base - within(v, target) * (base - PLOT.top);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${PLOT.height}`, class: "small" });
  svg.append(drawn("line", { class: "base", x1: PLOT.left, x2: right, y1: base, y2: base }));
  for (const [a, b] of look.points) {
    svg.append(drawn("circle", { class: "point", cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: 2 }));
  }
  const path = look.trend.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L");
  const [under, over] = target.cut ? ["≤ ", "≥ "] : ["", ""];
  svg.append(
    drawn("path", { class: "trend", d: `M${path}` }),
    drawn("text", { x: 0, y: PLOT.top + 8 }, over + brief(target.high)),
    drawn("text", { x: 0, y: base }, under + brief(target.low)),
    drawn("text", { x: PLOT.left, y: PLOT.height - 5 }, (look.cut ? "≤ " : "") + brief(look.low)),
    drawn("text", { x: right, y: PLOT.height - 5, "text-anchor": "end" }, (look.cut ? "≥ " : "") + brief(look.high)),
  );
  hover(svg, (px, py) => {
    const near = look.points
      .map(([a, b]) => [Math.hypot(x(a) - px, y(b) - py), a, b])
      .reduce((best, each) => (each[0] < best[0] ? each : best), [12]);
    return near.length > 1 ? [`${look.name}: ${brief(near[1])}`, `target: ${brief(near[2])}`] : null;
  });
  return svg;
}

// One row per level: quartiles of the target, on its axis.
function boxes(look, _, width) {
  const { target } = page.distributions;
  const label = Math.min(96, width * 0.34);
  const x = (v) => label + (Math.min(1, Math.max(0, (v - target.low) / (target.high - target.low || 1))) * (width - label - 4));
  const height = LEVEL * look.levels.length + 24;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "small" });
  look.boxes.forEach((box, l) => {
    const y = l * LEVEL;
    svg.append(
      drawn("text", { x: 0, y: y + 14 }, shortened(look.levels[l], label / 7.5)),
      drawn("rect", { class: "track", x: label, y: y + 3, width: width - label - 4, height: LEVEL - 6 }),
    );
    if (!box.quartiles) return;
    const [low, middle, high] = box.quartiles.map(x);
    svg.append(
      drawn("rect", { class: "area", "--series": "var(--s0)", x: low, y: y + 3, width: Math.max(1, high - low), height: LEVEL - 6 }),
      drawn("line", { class: "median", x1: middle, x2: middle, y1: y + 1, y2: y + LEVEL - 1 }),
    );
  });
  svg.append(
    drawn("text", { x: label, y: height - 5 }, (target.cut ? "≤ " : "") + brief(target.low)),
    drawn("text", { x: width - 4, y: height - 5, "text-anchor": "end" }, (target.cut ? "≥ " : "") + brief(target.high)),
  );
  hover(svg, (px, py) => {
    const box = look.boxes[Math.floor(py / LEVEL)];
    if (!box) return null;
    const spread = box.quartiles ? [`median ${brief(box.quartiles[1])}`, `half from ${brief(box.quartiles[0])} to ${brief(box.quartiles[2])}`] : [];
    return [`${look.levels[Math.floor(py / LEVEL)]}: ${count(box.count)}`, ...spread];
  });
  return svg;
}

function absent(look, c) {
  return look.missing[c] ? [`${count(look.missing[c])} missing`] : [];
}

function shortened(text, characters) {
  const most = Math.max(3, Math.floor(characters));
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

// Calls `say` with the place in the drawing's own units; null hides the tooltip.
function hover(svg, say) {
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const { width, height } = svg.viewBox.baseVal;
    const lines = say(
      ((event.clientX - box.left) / box.width) * width,
      ((event.clientY - box.top) / box.height) * height,
    );
    if (lines) showTooltip(lines, event.clientX, event.clientY);
    else hideTooltip();
  });
  svg.addEventListener("pointerleave", hideTooltip);
}

function startMaps() {
  const { rows, columns, channels, maps, features, tops } = page.image;
  const positions = new Map(page.listed.map((f, i) => [f, i]));
  const host = document.getElementById("maps");
  host.replaceChildren();
  page.methods.forEach((method, m) =>
    maps[m].forEach((levels, channel) => {
      const name = channels > 1 ? `${method.label}, channel ${channel + 1}` : method.label;
      const svg = picture(levels, rows, columns);
      furnish(svg, { role: "img", "aria-label": `Scores of ${name} by pixel. ${centre(levels, rows, columns)}` }, []);
      hover(svg, (px, py) => {
        const [r, c] = [Math.floor(py), Math.floor(px)];
        if (r < 0 || c < 0 || r >= rows || c >= columns) return null;
        const at = r * columns + c;
        const i = positions.get(features ? features[channel][at] : at * channels + channel);
        const detail = i === undefined ? [] : [page.names[i], `rank ${count(method.rank[i])}, score ${decimal(method.score_of[i])}`];
        return [`row ${r + 1}, column ${c + 1}`, ...detail];
      });
      host.append(
        element("li", {}, element("figure", {}, element("figcaption", {}, name), svg, colourScale(tops[m]))),
      );
    }),
  );
}

// What the colours of a map stand for.
function colourScale(top) {
  return element(
    "div",
    { class: "scale" },
    element("span", {}, "0 or less"),
    element("span", { class: "ramp", "aria-hidden": "true" }),
    element("span", {}, `score ${decimal(top)}`),
  );
}

// One path per level: a few nodes, however many pixels there are.
function picture(levels, rows, columns) {
  const paths = Array(10).fill("");
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; ) {
      const level = levels[r * columns + c];
      let end = c + 1;
      while (end < columns && levels[r * columns + end] === level) end++;
      paths[level] += `M${c} ${r}H${end}v1H${c}Z`;
      c = end;
    }
  }
  return drawn(
    "svg",
    { viewBox: `0 0 ${columns} ${rows}`, class: "map", "shape-rendering": "crispEdges" },
    ...paths.map((d, level) => drawn("path", { d, class: "pixel", "--v": (level / 9).toFixed(2) })),
  );
}

// Where the best pixels are, in words.
function centre(levels, rows, columns) {
  let [sum, down, right] = [0, 0, 0];
  for (let p = 0; p < levels.length; p++) {
    const weight = levels[p] >= 6 ? Number(levels[p]) : 0;
    sum += weight;
    down += weight * Math.floor(p / columns);
    right += weight * (p % columns);
  }
  if (!sum) return "No pixel stands out.";
  return `The best lie around row ${Math.round(down / sum) + 1}, column ${Math.round(right / sum) + 1}.`;
}

function startCopy() {
  for (const button of document.querySelectorAll("[data-copies]")) {
    button.addEventListener("click", async () => {
      button.textContent = (await copied(document.getElementById(button.dataset.copies)))
        ? "Copied"
        : "Press Ctrl-C";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }
}

// Without leave to use the clipboard the text is marked, for the browser or Ctrl-C.
async function copied(node) {
  try {
    await navigator.clipboard.writeText(node.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(node);
    return document.execCommand("copy");
  }
}

startTable();
if (page.columns) startColumns();
if (page.groups.length) startGroups();
if (page.curve) startCurve();
if (page.distributions) startMultiples();
if (page.image) startMaps();
startCopy();
