// Selection curves: score against the number of features, one line per method.

const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "5 2 1 2", "12 4", "1 2", "4 4"];
// Markers within a circle of radius 1; colour is never the only difference.
const MARKERS = [
  "M-1 0A1 1 0 1 0 1 0A1 1 0 1 0-1 0Z",
  "M-.9-.9H.9V.9H-.9Z",
  "M0-1.2L1.1.8H-1.1Z",
  "M0-1.3L1.2 0L0 1.3L-1.2 0Z",
  "M0 1.2L1.1-.8H-1.1Z",
  "M-.35-1.1H.35V-.35H1.1V.35H.35V1.1H-.35V.35H-1.1V-.35H-.35Z",
  "M-1.2-.6H1.2V.6H-1.2Z",
  "M-.6-1.2H.6V1.2H-.6Z",
];
const MARGIN = { top: 40, right: 18, bottom: 46, left: 58 };
const INSET = 10; // room for the markers of the first and the last point

function startCurve() {
  const { curve } = page;
  const host = document.getElementById("curve-chart");
  const lines = curve.lines.map((line, i) => ({ ...line, style: i % 8, hidden: false }));
  const sizes = [...new Set(lines.flatMap((line) => line.n_features))].sort((a, b) => a - b);
  const whole = [sizes[0], sizes.at(-1)];
  const logarithmic = whole[1] / whole[0] > 100;
  const place = logarithmic ? Math.log10 : Number;
  const { share } = curve;
  const format = share ? percent : decimal;
  const better = curve.lower_is_better ? -1 : 1;
  const axisTitle = `${curve.name} of ${curve.estimator}${curve.lower_is_better ? " (lower is better)" : ""}`;
  const view = { domain: whole, at: null, width: 0 };
  const canvas = element("div", { class: "canvas" });
  const readout = element("p", { class: "unseen", role: "status" });
  host.replaceChildren(legend(), canvas, zoomButtons(), readout);
  redrawn(host, (width) => {
    view.width = width;
    draw();
  });

  function legend() {
    return element(
      "div",
      { class: "legend", role: "group", "aria-label": "Methods" },
      ...lines.map((line) => {
        const button = element(
          "button",
          {
            type: "button",
            "aria-pressed": "true",
            onclick: () => {
              line.hidden = !line.hidden;
              button.setAttribute("aria-pressed", String(!line.hidden));
              draw();
            },
          },
          drawn(
            "svg",
            { width: 30, height: 12, "aria-hidden": "true", class: `series s${line.style}` },
            drawn("path", { d: "M0 6H30", class: "line", "stroke-dasharray": DASHES[line.style] }),
            marker(line.style, 15, 6, 4),
          ),
          line.label,
        );
        return button;
      }),
    );
  }

  function zoomButtons() {
    const button = (label, onclick) => element("button", { type: "button", onclick }, label);
    return element(
      "div",
      { class: "buttons", role: "group", "aria-label": "Zoom" },
      button("Closer", () => zoom(0.5)),
      button("Farther", () => zoom(2)),
      button("Whole curve", () => look(whole)),
    );
  }

  // Zooms about the reading, or about what the recommended method keeps.
  function zoom(factor) {
    const [low, high] = view.domain.map(place);
    const centre = place(view.at ?? clamp(page.methods[page.best].n_selected, view.domain));
    const back = (v) => (logarithmic ? 10 ** v : v);
    look([back(centre - (centre - low) * factor), back(centre + (high - centre) * factor)]);
  }

  function look([low, high]) {
    const from = sizes.findLast((n) => n <= low + 1e-9) ?? whole[0];
    const to = sizes.find((n) => n >= high - 1e-9) ?? whole[1];
    if (from < to) view.domain = [from, to];
    draw();
  }

  function draw() {
    const visible = lines.filter((line) => !line.hidden);
    const scale = scales(visible);
    const svg = drawn("svg", {
      viewBox: `0 0 ${scale.width} ${scale.height}`,
      role: "img",
      tabindex: "0",
      "aria-label": description(visible),
    });
    svg.append(axes(scale));
    const clip = drawn("svg", {
      x: MARGIN.left - 6,
      y: 0,
      width: scale.innerWidth + 12,
      height: scale.height - MARGIN.bottom + 4,
      viewBox: `${MARGIN.left - 6} 0 ${scale.innerWidth + 12} ${scale.height - MARGIN.bottom + 4}`,
    });
    const [rules, notes] = marks(scale);
    clip.append(...rules, ...visible.map((line, i) => series(line, scale, i, visible.length)), ...notes);
    const guide = drawn("line", { class: "guide", y1: MARGIN.top, y2: scale.bottom, hidden: "" });
    const brush = drawn("rect", { class: "brush", y: MARGIN.top, height: scale.bottom - MARGIN.top, hidden: "" });
    svg.append(clip, guide, brush);
    listen(svg, scale, guide, brush, visible);
    canvas.replaceChildren(svg);
  }

  function scales(visible) {
    const width = view.width;
    const height = Math.round(clamp(width * 0.5, [260, 420]));
    const [from, to] = view.domain;
    const points = visible.flatMap((line) =>
      line.n_features.flatMap((n, i) =>
        n < from || n > to || line.mean[i] === null
          ? []
          : [line.mean[i] - (line.stderr[i] ?? 0), line.mean[i] + (line.stderr[i] ?? 0)],
      ),
    );
    if (curve.baseline) points.push(curve.baseline.score);
    // Guessing is always in sight: a curve is good or bad only against it.
    if (curve.chance !== null) points.push(curve.chance);
    let [low, high] = points.length ? [Math.min(...points), Math.max(...points)] : [0, 1];
    const room = (high - low || 0.1) * 0.06;
    [low, high] = [low - room, high + room];
    const bottom = height - MARGIN.bottom;
    const innerWidth = width - MARGIN.left - MARGIN.right;
    const span = place(to) - place(from) || 1;
    const [left, reach] = [MARGIN.left + INSET, innerWidth - 2 * INSET];
    return {
      width, height, bottom, innerWidth, low, high, from, to,
      x: (n) => left + ((place(n) - place(from)) / span) * reach,
      y: (v) => bottom - ((v - low) / (high - low)) * (bottom - MARGIN.top),
      back: (px) => {
        const v = place(from) + ((px - left) / reach) * span;
        return logarithmic ? 10 ** v : v;
      },
    };
  }

  function axes(scale) {
    const group = drawn("g", { class: "axis" });
    for (const v of ticks(scale.low, scale.high, 7)) {
      const y = scale.y(v);
      group.append(
        drawn("line", { x1: MARGIN.left, x2: scale.width - MARGIN.right, y1: y, y2: y }),
        drawn("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, tick(v, scale)),
      );
    }
    for (const n of sizeTicks(scale)) {
      group.append(
        drawn("text", { x: scale.x(n), y: scale.bottom + 20, "text-anchor": "middle" }, count(n)),
      );
    }
    group.append(
      drawn("text", { x: 0, y: 12, class: "title" }, axisTitle),
      drawn(
        "text",
        { x: MARGIN.left + scale.innerWidth / 2, y: scale.height - 4, "text-anchor": "middle", class: "title" },
        logarithmic ? "number of features (logarithmic)" : "number of features",
      ),
    );
    return group;
  }

  function tick(v, scale) {
    if (!share) return decimal(v, 3);
    return percent(v, scale.high - scale.low < 0.04 ? 1 : 0);
  }

  function sizeTicks({ from, to, innerWidth, x }) {
    const wanted = Math.max(2, Math.floor(innerWidth / 90));
    if (!logarithmic || to / from < 8) {
      const round = ticks(from, to, wanted).filter((n) => Number.isInteger(n));
      return round.length && x(round[0]) - x(from) < 30 ? round : [from, ...round];
    }
    const all = [];
    for (let power = 1; power <= to; power *= 10) all.push(power, 2 * power, 5 * power);
    const inside = all.filter((n) => n >= from && n <= to);
    return inside.length > wanted + 2 ? inside.filter((n) => /^10*$/.test(n)) : inside;
  }

  // What the curve is read against: chance, all features, the size that is kept.
  function marks(scale) {
    const [rules, notes] = [[], []];
    const right = { x: scale.width - MARGIN.right, "text-anchor": "end" };
    for (const [name, score, where] of [
      [curve.guess === "predicting the mean" ? curve.guess : "chance", curve.chance, right],
      ["all features", curve.score_all, { x: MARGIN.left + 6 }],
      ["baseline", curve.baseline?.score ?? null, { x: MARGIN.left + 6 }],
    ]) {
      if (score === null || score < scale.low || score > scale.high) continue;
      const y = scale.y(score);
      rules.push(
        drawn("line", { class: "level", x1: MARGIN.left, x2: scale.width - MARGIN.right, y1: y, y2: y }),
      );
      notes.push(drawn("text", { class: "note", y: y - 5, ...where }, name));
    }
    const own = curve.baseline;
    if (own && own.n_features >= scale.from && own.n_features <= scale.to) {
      const dot = marker(3, scale.x(own.n_features), scale.y(own.score), 5);
      rules.push(drawn("g", { class: "series baseline" }, dot));
    }
    const n = page.methods[page.best].n_selected;
    if (n >= scale.from && n <= scale.to) {
      const x = scale.x(n);
      const room = x < scale.width - 110;
      rules.push(drawn("line", { class: "chosen", x1: x, x2: x, y1: MARGIN.top - 4, y2: scale.bottom }));
      notes.push(
        drawn(
          "text",
          { class: "note chosen", x: x + (room ? 6 : -6), y: MARGIN.top - 6, "text-anchor": room ? "start" : "end" },
          `${count(n)} kept`,
        ),
      );
    }
    return [rules, notes];
  }

  function series(line, scale, i, of) {
    const best = line.label === page.methods[page.best].label;
    const group = drawn("g", { class: `series s${line.style}${best ? " best" : ""}` });
    // A little apart, or the bars of several methods would hide each other.
    const shift = Math.min(2, 12 / of) * (i - (of - 1) / 2);
    const at = line.n_features
      .map((n, k) => ({ n, mean: line.mean[k], error: line.stderr[k], x: scale.x(n) + shift }))
      .filter((p) => p.mean !== null);
    const step = scale.innerWidth / Math.max(1, at.filter((p) => p.n >= scale.from && p.n <= scale.to).length - 1);
    const every = Math.max(1, Math.ceil(11 / step));
    // The recommended method has all its bars, the others take turns.
    const turn = best ? 1 : Math.max(1, of - 1);
    for (const [k, p] of at.entries()) {
      if (p.error && (k + i * every) % (every * turn) === 0) {
        group.append(drawn("path", { class: "error", d: whisker(p.x, scale.y(p.mean - p.error), scale.y(p.mean + p.error)) }));
      }
    }
    group.append(
      drawn("path", {
        class: "line",
        "stroke-dasharray": DASHES[line.style],
        d: "M" + at.map((p) => `${p.x.toFixed(1)} ${scale.y(p.mean).toFixed(1)}`).join("L"),
      }),
    );
    for (const [k, p] of at.entries()) {
      if (k % every === 0) group.append(marker(line.style, p.x, scale.y(p.mean), 3.6));
    }
    return group;
  }

  function whisker(x, low, high) {
    return `M${x} ${low}V${high}M${x - 2} ${low}h4M${x - 2} ${high}h4`;
  }

  function listen(svg, scale, guide, brush, visible) {
    let start = null;
    const inside = (event) => {
      const box = svg.getBoundingClientRect();
      return clamp(event.clientX - box.left, [MARGIN.left, scale.width - MARGIN.right]);
    };
    const read = (n, x, y) => {
      view.at = n;
      furnish(guide, { x1: scale.x(n), x2: scale.x(n) }, []);
      guide.removeAttribute("hidden");
      showTooltip(reading(n, visible), x, y);
    };
    const leave = () => {
      start = null;
      brush.setAttribute("hidden", "");
      guide.setAttribute("hidden", "");
      hideTooltip();
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = inside(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const x = inside(event);
      read(nearest(scale.back(x)), event.clientX, event.clientY);
      if (start === null) return;
      furnish(brush, { x: Math.min(start, x), width: Math.abs(x - start) }, []);
      brush.removeAttribute("hidden");
    });
    svg.addEventListener("pointerup", (event) => {
      const ends = [start ?? 0, inside(event)].sort((a, b) => a - b);
      const dragged = start !== null && ends[1] - ends[0] > 8;
      leave();
      if (dragged) look(ends.map(scale.back));
    });
    svg.addEventListener("pointercancel", leave);
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    svg.addEventListener("dblclick", () => look(whole));
    svg.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way) return;
      event.preventDefault();
      const inView = sizes.filter((n) => n >= scale.from && n <= scale.to);
      const here = inView.indexOf(view.at);
      const n = inView[clamp(here < 0 ? 0 : here + way, [0, inView.length - 1])];
      const box = svg.getBoundingClientRect();
      read(n, box.left + scale.x(n), box.top + MARGIN.top + 60);
      readout.textContent = reading(n, visible).join(". ");
    });
  }

  function nearest(n) {
    const inView = sizes.filter((size) => size >= view.domain[0] && size <= view.domain[1]);
    return inView.reduce((best, size) =>
      Math.abs(place(size) - place(n)) < Math.abs(place(best) - place(n)) ? size : best,
    );
  }

  function reading(n, visible) {
    const found = visible
      .map((line) => ({ line, i: line.n_features.indexOf(n) }))
      .filter(({ line, i }) => i >= 0 && line.mean[i] !== null)
      .sort((a, b) => better * (b.line.mean[b.i] - a.line.mean[a.i]))
      .map(({ line, i }) => {
        const error = line.stderr[i] ? ` ± ${format(line.stderr[i])}` : "";
        return `${line.label}  ${format(line.mean[i])}${error}`;
      });
    return [`${count(n)} feature${n === 1 ? "" : "s"}`, ...found];
  }

  function description(visible) {
    const bests = visible.map((line) => {
      const known = line.mean.filter((v) => v !== null);
      const top = better > 0 ? Math.max(...known) : Math.min(...known);
      const most = better > 0 ? "at most" : "at least";
      return `${line.label} ${most} ${format(top)} with ${count(line.n_features[line.mean.indexOf(top)])}`;
    });
    return `${axisTitle} against the number of features. ${bests.join("; ")}. Arrow keys read it point by point.`;
  }
}

function marker(style, x, y, size) {
  return drawn("path", {
    class: "marker",
    d: MARKERS[style],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size})`,
  });
}

function clamp(value, [low, high]) {
  return Math.min(high, Math.max(low, value));
}
