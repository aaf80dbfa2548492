// The table of all features: sorted, filtered, a page of rows at a time.

const ROWS = 25;
const ALL = -1; // the view with the ranks of all methods side by side

function startTable() {
  const { methods, names } = page;
  const lower = names.map((name) => name.toLowerCase());
  const view = {
    method: page.best,
    sort: "rank",
    descending: false,
    first: 0,
  };
  const filter = document.getElementById("filter");
  const kept = document.getElementById("selected");
  const significant = document.getElementById("significant");
  const body = element("tbody");
  const head = element("tr");
  const caption = element("caption", { class: "unseen" });
  const pager = makePager(turn, "features", ROWS, names.length, page.n_features);
  let columns = [];
  let order = [];
  let shown = [];

  document
    .getElementById("table")
    .append(element("table", { class: page.signal === false ? "ranking muted" : "ranking" }, caption, element("thead", {}, head), body));
  document.getElementById("pager").append(...pager.parts);
  for (const input of [filter, kept, significant]) {
    input?.addEventListener("input", () => refilter());
  }
  makeSwitch((method) => {
    view.method = method;
    Object.assign(view, { sort: "rank", descending: false });
    restart();
  });
  restart();

  function restart() {
    columns = view.method === ALL ? sideBySide() : ofMethod(view.method);
    const label = view.method === ALL ? "all methods" : methods[view.method].label;
    caption.textContent = `All features by ${label}, a page at a time`;
    if (significant) {
      significant.disabled = view.method === ALL || !methods[view.method].q_value;
    }
    head.replaceChildren(
      ...columns.map((column) =>
        element(
          "th",
          { scope: "col", class: headKind(column), "data-key": column.key },
          element("button", { type: "button", onclick: () => sortBy(column) }, column.title),
        ),
      ),
    );
    resort();
  }

  function headKind({ number, bar }) {
    return number ? (bar ? "number barred" : "number") : "";
  }

  function sortBy(column) {
    const again = view.sort === column.key;
    view.descending = again ? !view.descending : Boolean(column.bestIsHigh);
    view.sort = column.key;
    resort();
  }

  function resort() {
    const column = columns.find((c) => c.key === view.sort);
    order = sorted(column, view.descending, columns.find((c) => c.key === "rank"));
    for (const cell of head.children) {
      const own = cell.dataset.key === view.sort;
      cell.setAttribute(
        "aria-sort",
        own ? (view.descending ? "descending" : "ascending") : "none",
      );
    }
    refilter();
  }

  function refilter() {
    const wanted = filter.value.trim().toLowerCase();
    const q = significant?.checked && !significant.disabled && methods[view.method].q_value;
    shown = order.filter(
      (i) =>
        lower[i].includes(wanted) &&
        (!kept.checked || isKept(i)) &&
        (!q || (q[i] !== null && q[i] <= 0.05)),
    );
    view.first = 0;
    render();
  }

  function isKept(i) {
    if (view.method !== ALL) return methods[view.method].selected[i] === "1";
    return methods.some((method) => method.selected[i] === "1");
  }

  function turn(step) {
    view.first = turned(step, view.first, ROWS, shown.length);
    render();
  }

  function render() {
    const rows = shown.slice(view.first, view.first + ROWS);
    body.replaceChildren(
      ...rows.map((i) =>
        element("tr", { class: isKept(i) ? "kept" : null }, ...columns.map((c) => cell(c, i))),
      ),
    );
    if (!rows.length) {
      body.append(
        element("tr", {}, element("td", { colspan: columns.length, class: "quiet" }, "No feature matches.")),
      );
    }
    pager.say(view.first, rows.length, shown.length);
  }

  function cell(column, i) {
    const content = column.cell(i);
    if (column.key === "feature") {
      return element("th", { scope: "row" }, named(content));
    }
    const bar = column.bar?.(i);
    return element(
      "td",
      { class: column.number ? "number" : (column.kind ?? "") },
      content,
      bar == null ? null : element("span", { class: "bar", "--v": bar.toFixed(3) }),
    );
  }
}

// The columns of one method's table; a column it has no values for is left out.
function ofMethod(m) {
  const method = page.methods[m];
  const judged = page.verdicts;
  const best = method.score_of.reduce((most, s) => Math.max(most, s), 0) || 1;
  const columns = [
    { key: "rank", title: "Rank", values: method.rank, format: count },
    nameColumn(),
    ...(judged && m === page.best ? [verdictColumn(judged)] : []),
    {
      key: "kept",
      title: "Kept",
      number: false,
      bestIsHigh: true,
      value: (i) => Number(method.selected[i]),
      cell: (i) => (method.selected[i] === "1" ? "✓" : ""),
    },
    {
      key: "score",
      title: "Score",
      values: method.score_of,
      format: aligned(best),
      bestIsHigh: true,
      bar: (i) => Math.max(0, (method.score_of[i] ?? 0) / best),
    },
    {
      key: "interval",
      title: "Score interval",
      values: method.score_low,
      cell: (i) => interval(method.score_low[i], method.score_high[i], aligned(best)),
      bestIsHigh: true,
    },
    {
      key: "ranks",
      title: "Ranks",
      values: method.rank_low,
      cell: (i) => interval(method.rank_low[i], method.rank_high[i]) + (isOutside(method, i) ? " *" : ""),
    },
    {
      key: "chosen",
      title: "Chosen",
      values: method.frequency,
      format: (v) => percent(v, 0),
      bestIsHigh: true,
      // The verdict beside says much the same, and needs the room.
      bar: judged ? null : (i) => method.frequency[i],
    },
    { key: "p", title: "p", values: method.p_value, format: probability },
    { key: "q", title: "q", values: method.q_value, format: probability },
    {
      key: "direction",
      title: "Direction",
      values: judged?.auc,
      cell: (i) => direction(judged.direction[i], judged.auc[i]),
      bestIsHigh: true,
    },
  ];
  return columns.filter((c) => c.values || c.value).map(completed);
}

const VERDICTS = ["confirmed", "tentative", "rejected"];

// The verdict on a feature, and below it what speaks against the feature.
function verdictColumn({ verdict, reasons, why }) {
  return {
    key: "verdict",
    title: "Verdict",
    kind: "verdict",
    number: false,
    value: (i) => Number(verdict[i]),
    cell: (i) => {
      const name = VERDICTS[verdict[i]];
      const reason = reasons[why[i]];
      const parts = document.createDocumentFragment();
      parts.append(element("span", { class: name }, name));
      if (reason) parts.append(" ", element("small", {}, element("bdi", {}, reason)));
      return parts;
    },
  };
}

// The AUC, after an arrow if values clearly rise, or fall, with the class.
function direction(sign, auc) {
  if (auc === null) return NONE;
  const arrow = { 1: "↑ ", [-1]: "↓ " }[sign] ?? "";
  return arrow + auc.toFixed(2);
}

// The page explains the star: a resample has half the rows.
function isOutside({ rank, rank_low, rank_high }, i) {
  return rank_low[i] !== null && !(rank_low[i] <= rank[i] && rank[i] <= rank_high[i]);
}

function sideBySide() {
  const { methods } = page;
  const mean = page.names.map(
    (_, i) => methods.reduce((sum, m) => sum + m.rank[i], 0) / methods.length,
  );
  const votes = page.names.map((_, i) => methods.filter((m) => m.selected[i] === "1").length);
  return [
    { key: "rank", title: "Mean rank", values: mean, format: (v) => v.toFixed(1) },
    nameColumn(),
    {
      key: "votes",
      title: "Kept by",
      values: votes,
      format: (v) => `${v} of ${methods.length}`,
      bestIsHigh: true,
    },
    ...methods.map((method, m) => ({
      key: `rank ${m}`,
      title: method.label,
      values: method.rank,
      format: count,
    })),
  ].map(completed);
}

function completed(column) {
  const { values, format } = column;
  return { number: true, value: (i) => values[i], cell: (i) => format(values[i]), ...column };
}

let places = null; // of each name in alphabetical order, found when first asked for
function nameColumn() {
  return {
    key: "feature",
    title: "Feature",
    number: false,
    value: (i) => (places ??= alphabetical(page.names))[i],
    cell: (i) => page.names[i],
  };
}

function alphabetical(names) {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const found = new Float64Array(names.length);
  names
    .map((_, i) => i)
    .sort((a, b) => compare(names[a], names[b]))
    .forEach((i, place) => (found[i] = place));
  return found;
}

// Numbers of the features by one column; missing values last, ties by rank.
function sorted(column, descending, rank) {
  const sign = descending ? -1 : 1;
  const keys = Float64Array.from(page.names, (_, i) => {
    const value = column.value(i);
    return value === null ? Infinity : sign * value;
  });
  const ranks = Float64Array.from(page.names, (_, i) => rank.value(i));
  return page.names
    .map((_, i) => i)
    .sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : ranks[a] - ranks[b]));
}

function makeSwitch(choose) {
  const select = document.getElementById("method");
  if (!select) return;
  page.methods.forEach((method, m) =>
    select.append(element("option", { value: m, selected: m === page.best ? "" : null }, method.label)),
  );
  select.append(element("option", { value: ALL }, "All side by side"));
  select.addEventListener("change", () => choose(Number(select.value)));
}

// The first row after a step: "first", "back", "on" or "last".
function turned(step, first, rows, total) {
  const last = Math.max(0, Math.ceil(total / rows) - 1);
  const now = first / rows;
  const wanted = { first: 0, back: now - 1, on: now + 1, last }[step];
  return rows * Math.min(last, Math.max(0, wanted));
}

function makePager(turn, noun, rows, all, everywhere = all) {
  const steps = [
    ["first", "First", "«"],
    ["back", "Previous", "‹"],
    ["on", "Next", "›"],
    ["last", "Last", "»"],
  ];
  const buttons = Object.fromEntries(
    steps.map(([step, name, sign]) => [
      step,
      element(
        "button",
        { type: "button", "aria-label": `${name} page`, onclick: () => turn(step) },
        sign,
      ),
    ]),
  );
  const status = element("p", { role: "status" });
  // The page says which are listed if not all are.
  const unlisted = all < everywhere ? ` listed, ${count(everywhere)} in all` : "";
  const { first, back, on, last } = buttons;
  const turns = element("div", { class: "buttons" }, first, back, on, last);
  return {
    parts: [status, turns],
    say(start, length, total) {
      const of = total < all ? ` (of ${count(all)}${unlisted})` : unlisted;
      status.textContent = total
        ? `${count(start + 1)}–${count(start + length)} of ${count(total)} ${noun}${of}`
        : `0 of ${count(all)} ${noun}${unlisted}`;
      turns.hidden = total <= rows;
      // Not `disabled`, which would take the focus away from under a finger.
      for (const button of [first, back]) button.setAttribute("aria-disabled", start === 0);
      for (const button of [on, last]) {
        button.setAttribute("aria-disabled", start + length >= total);
      }
    },
  };
}
