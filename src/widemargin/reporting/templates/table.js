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
  const verdict = document.getElementById("verdict");
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
  makeFilter(verdict);
  for (const input of [filter, verdict]) input.addEventListener("input", () => refilter());
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
    shown = order.filter((i) => lower[i].includes(wanted) && isShown(i));
    view.first = 0;
    render();
  }

  // Verdicts are those of the recommendation; any method's table can be filtered by them.
  function isShown(i) {
    if (verdict.value === "") return true;
    if (verdict.value === KEPT) return isKept(i);
    if (verdict.value === RELEVANT) return page.relevant.has(i);
    return page.verdicts.verdict[i] === verdict.value;
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
      const suspect = page.leaks.includes(page.listed[i]);
      const tag = suspect ? element("span", { class: "tag leak" }, "suspected leak") : null;
      return element("th", { scope: "row" }, named(content), tag && " ", tag);
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

// The columns of one method's table; a column it has no values for is left out. The
// recommended one has verdicts, and what they are based on, in place of scores.
function ofMethod(m) {
  const method = page.methods[m];
  const judged = m === page.best ? page.verdicts : null;
  const best = method.score_of.reduce((most, s) => Math.max(most, s), 0) || 1;
  const rank = { key: "rank", title: "Rank", values: method.rank, format: count };
  const columns = judged
    ? [
        rank,
        nameColumn(),
        verdictColumn(judged),
        {
          key: "q",
          title: "q",
          values: judged.q_value.some((q) => q !== null) ? judged.q_value : null,
          format: probability,
        },
        {
          key: "frequency",
          title: "In folds",
          values: judged.frequency,
          format: (v) => percent(v, 0),
          bestIsHigh: true,
        },
        {
          key: "works_with",
          title: "Works with",
          number: false,
          bestIsHigh: true,
          value: page.works_with && ((i) => Number(page.works_with[i] !== "")),
          cell: (i) => element("bdi", {}, page.works_with[i]),
        },
        {
          key: "direction",
          title: "Direction",
          values: judged.auc,
          cell: (i) => direction(judged.direction[i], judged.auc[i]),
          bestIsHigh: true,
        },
      ]
    : [
        rank,
        nameColumn(),
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
      ];
  return columns.filter((c) => c.values || c.value).map(completed);
}

const KEPT = "kept";
const RELEVANT = "relevant";
const MARKS = ["kept", "twin", "spare", "irrelevant", "untested"]; // by style

// The verdict on a feature, and beside it the reason.
function verdictColumn({ names, verdict, reasons, why }) {
  return {
    key: "verdict",
    title: "Verdict",
    kind: "verdict",
    number: false,
    value: (i) => Number(verdict[i]),
    cell: (i) => {
      const reason = reasons[why[i]];
      const parts = document.createDocumentFragment();
      parts.append(element("span", { class: MARKS[verdict[i]] }, names[verdict[i]]));
      if (reason) parts.append(" ", element("small", {}, element("bdi", {}, reason)));
      return parts;
    },
  };
}

// What can be shown: all, what is kept, and what has a verdict that occurs.
function makeFilter(select) {
  const { verdicts } = page;
  const add = (value, text) => select.append(element("option", { value }, text));
  add("", "all features");
  if (!verdicts) return add(KEPT, "kept");
  const relevant = verdicts.q_value.flatMap((q, i) => (q !== null && q < page.level ? [i] : []));
  page.relevant = new Set(page.signal === false ? [] : relevant);
  add(KEPT, "kept");
  if (page.relevant.size) add(RELEVANT, `all relevant (${count(page.relevant.size)})`);
  verdicts.names.forEach((name, v) => {
    const of = verdicts.verdict.split(String(v)).length - 1;
    if (v && of) add(String(v), `${name} (${count(of)})`);
  });
}

// The AUC, after an arrow if values clearly rise, or fall, with the class.
function direction(sign, auc) {
  if (auc === null) return NONE;
  const arrow = { 1: "↑ ", [-1]: "↓ " }[sign] ?? "";
  return arrow + auc.toFixed(2);
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
