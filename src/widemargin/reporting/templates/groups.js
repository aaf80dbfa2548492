// Groups of redundant features: all of them, a page at a time, and all their members.

const GROUP_ROWS = 12;
const FIRST_MEMBERS = 11; // named at once; the others can be unfolded

function startGroups() {
  const { groups, methods, best } = page;
  const positions = new Map(page.listed.map((f, i) => [f, i]));
  const nameOf = (group, f) => group.names[f] ?? page.names[positions.get(f)];
  const lower = groups.map((group) => group.features.map((f) => nameOf(group, f).toLowerCase()));
  const host = document.getElementById("groups");
  const filter = document.getElementById("groups-filter"); // only if there are many
  const pager = makePager(turn, "groups", GROUP_ROWS, groups.length);
  let shown = [];
  let first = 0;

  if (groups.length > GROUP_ROWS) document.getElementById("groups-pager").append(...pager.parts);
  filter?.addEventListener("input", refilter);
  refilter();

  function refilter() {
    const wanted = filter ? filter.value.trim().toLowerCase() : "";
    shown = groups.map((_, g) => g).filter((g) => lower[g].some((name) => name.includes(wanted)));
    first = 0;
    render();
  }

  function turn(step) {
    first = turned(step, first, GROUP_ROWS, shown.length);
    render();
  }

  function render() {
    const part = shown.slice(first, first + GROUP_ROWS);
    host.replaceChildren(...part.map((g) => card(groups[g])));
    if (!part.length) host.append(element("li", { class: "quiet" }, "No group has such a feature."));
    pager.say(first, part.length, shown.length);
  }

  function card(group) {
    const [leader, ...others] = group.features;
    const rank = positions.has(leader) ? methods[best].rank[positions.get(leader)] : null;
    const lines = others.map((f, k) => member(nameOf(group, f), group.similarity[k + 1]));
    const rest = lines.slice(FIRST_MEMBERS);
    return element(
      "li",
      {},
      element("p", { class: "one" }, `${count(group.features.length)} that are interchangeable`),
      element(
        "p",
        { class: "first" },
        named(nameOf(group, leader)),
        rank === null ? null : element("small", {}, ` rank ${count(rank)}`),
      ),
      element("ul", {}, ...lines.slice(0, FIRST_MEMBERS)),
      rest.length
        ? element("details", {}, element("summary", {}, `${count(rest.length)} more`), element("ul", {}, ...rest))
        : null,
    );
  }

  function member(name, similarity) {
    return element(
      "li",
      {},
      named(name),
      similarity == null ? null : element("small", {}, similarity.toFixed(2)),
    );
  }
}
