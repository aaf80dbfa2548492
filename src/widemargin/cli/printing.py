"""Results as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from widemargin.cli.problem import plural
from widemargin.cli.session import aligned, plain_table, print_table, stdout
from widemargin.cli.terminal import name_in_a_line
from widemargin.judging.measures import measure

if TYPE_CHECKING:
    from widemargin.cli.fits import Ranking

BAR = 20  # characters of the longest bar
N_SHOWN = 10  # features that are listed
DIRECTIONS = {1: "rises", -1: "falls", 0: "unclear"}


def print_ranking(ranking: Ranking, top: int, *, marked: bool) -> None:
    """Print a table of the best features."""
    console, frame = stdout(), ranking.frame
    console.print(f"{_headline(ranking)}\n", soft_wrap=True)
    table = plain_table()
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("feature", overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    if ranking.interval is not None:
        table.add_column("low", justify="right", no_wrap=True)
        table.add_column("high", justify="right", no_wrap=True)
    if marked:
        table.add_column("selected", no_wrap=True)
    if console.is_terminal:
        table.add_column("", no_wrap=True)
    best = max(frame["score"].max(), 0.0)
    form = aligned(frame["score"].abs().max())
    for row in frame.head(top).itertuples():
        cells = [str(row.rank), name_in_a_line(row.feature), form(row.score)]
        if ranking.interval is not None:
            cells += [form(row.low), form(row.high)]
        cells += ["yes" if row.selected else ""] * marked
        cells += [_bar(row.score, best)] * console.is_terminal
        table.add_row(*cells)
    print_table(console, table)
    rest = [f"{frame['selected'].sum()} of {len(frame)} selected"] * marked
    if len(frame) > top:
        rest.append(f"{len(frame) - top} more (--top all prints, -o FILE saves all)")
    if rest:
        console.print(f"\n{'; '.join(rest)}")


def _headline(ranking: Ranking) -> str:
    """Say what was done to what."""
    data = ranking.dataset
    return (
        f"{ranking.method} on {data.name}: {plural(data.n_rows, 'row')}, "
        f"{plural(len(data.features), 'feature')}, {data.described}"
    )


def _bar(score: float, best: float) -> str:
    return "━" * round(BAR * max(score, 0.0) / best) if best > 0 else ""


def print_comparison(comparison: Any, report: Mapping[str, Any]) -> None:
    """Print one line per method, the verdicts on features, and the answer."""
    console, frame = stdout(), comparison.summary()
    table = plain_table()
    table.add_column("method", no_wrap=True)
    read = measure(comparison.curve.scoring)
    score, form = read.name, _percent if read.share else _number
    titles = (score, "with all", "stability in folds", "stability in halves", "seconds")
    for title in ("features", *titles):
        if len(title) > len("stability"):
            title = title.replace(" ", "\n", 1)
        table.add_column(title, justify="right", vertical="bottom")
    for row in frame.itertuples():
        own = comparison.choice if row.method == comparison.best else row
        fold_stability = row.fold_stability if own is row else own.stability
        cells = [
            f"{own.n_features:.0f}",
            form(read.sign * own.score),
            form(read.sign * row.score_all),
            f"{fold_stability:.2f}",
            f"{row.stability:.2f}",
            _seconds(row.fit_time),
        ]
        mark = " *" if own is not row else ""
        if comparison.signal is False and row.method in comparison.selectors:
            cells[0], mark = "none", ""
        cells = ["" if cell.startswith("nan") else cell for cell in cells]
        table.add_row(row.method + mark, *cells)
    print_table(console, table)
    if comparison.signal is not False:
        console.print(
            f"features: of the sizes within a standard error of the method's best "
            f"{score}, the one whose selections in the folds agree most, then the "
            "smallest\n* recommended: by the same rule, over all methods; its "
            f"{score} is corrected for that choice\n"
            "stability: how far selections in the folds, or from halves of the rows, "
            "agree; 1 if always"
        )
    if read.is_loss:
        console.print(f"{score}: lower is better")
    console.print()
    verdicts = verdicts_of(report)
    if verdicts is not None:
        print_verdicts(verdicts)
    console.print(f"\n{comparison.answer}", soft_wrap=True)


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _number(value: float) -> str:
    return f"{value:.3f}"


def _seconds(time: float) -> str:
    if time < 0.005:
        return "<0.01"
    return f"{time:.1f}" if time >= 0.1 else f"{time:.2f}"


class Verdicts(NamedTuple):
    """One entry per feature, best first, and what the directions refer to."""

    feature: Sequence[str]
    verdict: Sequence[str]
    why: Sequence[str]
    direction: Sequence[int] | None  # None for three or more classes without an order
    auc: Sequence[float | None] | None
    classes: tuple[str, str] | None  # of two, the other one and the positive one
    signal: bool | None
    numeric: bool = False  # whether the target is a number, and there are no classes


def verdicts_of(saved: Mapping[str, Any]) -> Verdicts | None:
    """Those in the data of a report; None if it has none."""
    entry = saved.get("verdicts")
    if not entry:
        return None
    methods = saved["methods"]
    rank = next((m for m in methods if m["best"]), methods[0])["rank"]
    order = sorted(range(len(rank)), key=rank.__getitem__)

    def sorted_(values: Any) -> Any:
        return None if values is None else [values[f] for f in order]

    return Verdicts(
        [str(name) for name in sorted_(saved["features"]["name"])],
        [str(verdict) for verdict in sorted_(entry["verdict"])],
        [str(why) for why in sorted_(entry["why"])],
        sorted_(entry["direction"]),
        sorted_(entry["auc"]),
        None if entry["low"] is None else (entry["low"], entry["high"]),
        saved["signal"],
        bool(saved["data"] and saved["data"].get("target")),
    )


def print_verdicts(verdicts: Verdicts) -> None:
    """Print a line for each of the best features, and count the verdicts."""
    console, d = stdout(), len(verdicts.feature)
    if verdicts.signal is False:
        console.print(f"verdicts: without signal all {d} features are rejected")
        return
    table = plain_table()
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    if verdicts.direction is not None:
        table.add_column("direction", no_wrap=True)
        share = "agrees" if verdicts.numeric else "AUC"
        table.add_column(share, justify="right", no_wrap=True)
    table.add_column("reasons against it")
    for i in range(min(N_SHOWN, d)):
        cells = [str(i + 1), name_in_a_line(verdicts.feature[i]), verdicts.verdict[i]]
        if verdicts.direction is not None and verdicts.auc is not None:
            auc = verdicts.auc[i]
            way = DIRECTIONS.get(verdicts.direction[i], "")
            cells += ["", ""] if auc is None else [way, f"{auc:.2f}"]
        table.add_row(*cells, verdicts.why[i])
    print_table(console, table)
    if verdicts.classes is not None:
        low, high = verdicts.classes
        console.print(
            f'rises: values are higher in "{high}" than in "{low}"; AUC: probability '
            f'that a row of "{high}" has the higher value',
            soft_wrap=True,
        )
    if verdicts.numeric:
        console.print(
            "rises: with the target; agrees: share of pairs of rows in which the one "
            "with the higher target has the higher value",
            soft_wrap=True,
        )
    if any("unclear" in column.cells for column in table.columns):
        console.print("unclear: a test at the level 0.05 cannot tell")
    kinds = ("confirmed", "tentative", "rejected")
    counts = [f"{verdicts.verdict.count(kind)} {kind}" for kind in kinds]
    console.print(f"of {d} features {', '.join(counts)}")
