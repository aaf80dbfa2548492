// The overview of all columns: type, missing, range and a small histogram of each.

const COLUMN_ROWS = 10;
const BAR = { width: 5, gap: 1, height: 18 };

function startColumns() {
  const { columns, names, listed } = page;
  const lower = names.map((name, i) => `${name} ${columns.kinds[columns.kind[i]]}`.toLowerCase());
  const filter = document.getElementById("columns-filter");
  const view = { sort: "place", descending: false, first: 0 };
  const body = element("tbody");
  const head = element("tr");
  const pager = makePager(turn, "columns", COLUMN_ROWS, names.length, page.n_features);
  let shown = [];

  const parts = [
    { key: "place", title: "No.", number: true, value: (i) => listed[i], cell: (i) => count(listed[i] + 1) },
    { key: "name", title: "Column", value: nameColumn().value, cell: (i) => names[i] },
    { key: "bars", title: "Distribution", cell: (i) => smallBars(columns.histogram[i]) },
    { key: "kind", title: "Type", value: (i) => columns.kind[i], cell: (i) => columns.kinds[columns.kind[i]] },
    { key: "missing", title: "Missing", number: true, bestIsHigh: true, value: missing, cell: (i) => count(missing(i)) },
    { key: "distinct", title: "Distinct", number: true, bestIsHigh: true, value: (i) => columns.distinct[i], cell: (i) => count(columns.distinct[i]) },
    { key: "range", title: "Range or values", cell: range },
  ];

  document.getElementById("columns-table").append(
    element(
      "table",
      { class: "overview" },
      element("caption", { class: "unseen" }, "All columns, a page at a time"),
      element("thead", {}, head),
      body,
    ),
  );
  document.getElementById("columns-pager").append(...pager.parts);
  head.append(...parts.map(headCell));
  filter.addEventListener("input", refilter);
  refilter();

  function missing(i) {
    return columns.missing ? columns.missing[i] : 0;
  }

  function range(i) {
    if (columns.values?.[i] != null) return element("bdi", {}, columns.values[i]);
    const [low, high] = [columns.low[i], columns.high[i]];
    if (low === null) return NONE;
    return low === high ? brief(low) : `${brief(low)} to ${brief(high)}`;
  }

  function headCell(part) {
    const button = part.value
      ? element("button", { type: "button", onclick: () => sortBy(part) }, part.title)
      : part.title;
    return element("th", { scope: "col", class: part.number ? "number" : "", "data-key": part.key }, button);
  }

  function sortBy(part) {
    view.descending = view.sort === part.key ? !view.descending : Boolean(part.bestIsHigh);
    view.sort = part.key;
    refilter();
  }

  function refilter() {
    const wanted = filter.value.trim().toLowerCase();
    const { value } = parts.find((part) => part.key === view.sort);
    const sign = view.descending ? -1 : 1;
    shown = names.map((_, i) => i).filter((i) => lower[i].includes(wanted));
    shown.sort((a, b) => sign * (value(a) - value(b)) || listed[a] - listed[b]);
    for (const cell of head.children) {
      const own = cell.dataset.key === view.sort;
      cell.setAttribute("aria-sort", own ? (view.descending ? "descending" : "ascending") : "none");
    }
    view.first = 0;
    render();
  }

  function turn(step) {
    view.first = turned(step, view.first, COLUMN_ROWS, shown.length);
    render();
  }

  function render() {
    const rows = shown.slice(view.first, view.first + COLUMN_ROWS);
    body.replaceChildren(...rows.map((i) => element("tr", {}, ...parts.map((part) => cell(part, i)))));
    if (!rows.length) {
      body.append(element("tr", {}, element("td", { colspan: parts.length, class: "quiet" }, "No column matches.")));
    }
    pager.say(view.first, rows.length, shown.length);
  }

  function cell(part, i) {
    if (part.key === "name") return element("th", { scope: "row" }, named(part.cell(i)));
    const kind = part.number ? "number" : part.key === "range" ? "values" : "";
    return element("td", { class: kind }, part.cell(i));
  }
}

// One bar per digit, as high as the digit says.
function smallBars(digits) {
  const step = BAR.width + BAR.gap;
  const svg = drawn("svg", { viewBox: `0 0 ${12 * step} ${BAR.height}`, class: "bars", "aria-hidden": "true" });
  [...digits].forEach((digit, b) => {
    const height = (Number(digit) / 9) * BAR.height;
    svg.append(drawn("rect", { x: b * step, y: (BAR.height - height).toFixed(1), width: BAR.width, height: height.toFixed(1) }));
  });
  return svg;
}
