"""The verdicts on the best features, as the commands print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from widemargin.cli.session import plain_table, print_table, stdout
from widemargin.cli.terminal import name_in_a_line

N_SHOWN = 10  # features that are listed
DIRECTIONS = {1: "rises", -1: "falls", 0: "unclear"}


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


def verdicts_of(comparison: Any) -> Verdicts:
    """Those of a comparison."""
    frame, pair = comparison.features, comparison.profile.pair
    numeric = comparison.profile.numeric_target
    directed = pair is not None or comparison.ordered or numeric
    auc = [None if a != a else a for a in frame["auc"].tolist()]
    return Verdicts(
        [str(name) for name in frame["feature"]],
        frame["verdict"].tolist(),
        frame["why"].tolist(),
        frame["direction"].tolist() if directed else None,
        auc if directed else None,
        None if pair is None else (str(pair[0]), str(pair[1])),
        comparison.signal,
        numeric,
    )


def saved_verdicts(saved: Mapping[str, Any]) -> Verdicts | None:
    """Those in the saved data of a report; None if it has none."""
    found = saved.get("verdicts")
    if not found:
        return None
    methods = saved["methods"]
    rank = next((m for m in methods if m["best"]), methods[0])["rank"]
    order = sorted(range(len(rank)), key=rank.__getitem__)

    def sorted_(values: Any) -> Any:
        return None if values is None else [values[f] for f in order]

    return Verdicts(
        [str(name) for name in sorted_(saved["features"]["name"])],
        [str(verdict) for verdict in sorted_(found["verdict"])],
        [str(why) for why in sorted_(found["why"])],
        sorted_(found["direction"]),
        sorted_(found["auc"]),
        None if found["low"] is None else (found["low"], found["high"]),
        saved["signal"],
        bool(saved["data"] and saved["data"].get("target")),
    )


def print_verdicts(found: Verdicts) -> None:
    """Print a line for each of the best features, and count the verdicts."""
    console, d = stdout(), len(found.feature)
    if found.signal is False:
        console.print(f"verdicts: without signal all {d} features are rejected")
        return
    table = plain_table()
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    if found.direction is not None:
        table.add_column("direction", no_wrap=True)
        share = "agrees" if found.numeric else "AUC"
        table.add_column(share, justify="right", no_wrap=True)
    table.add_column("reasons against it")
    for i in range(min(N_SHOWN, d)):
        cells = [str(i + 1), name_in_a_line(found.feature[i]), found.verdict[i]]
        if found.direction is not None and found.auc is not None:
            auc = found.auc[i]
            way = DIRECTIONS.get(found.direction[i], "")
            cells += ["", ""] if auc is None else [way, f"{auc:.2f}"]
        table.add_row(*cells, found.why[i])
    print_table(console, table)
    if found.classes is not None:
        low, high = found.classes
        console.print(
            f'rises: values are higher in "{high}" than in "{low}"; AUC: probability '
            f'that a row of "{high}" has the higher value',
            soft_wrap=True,
        )
    if found.numeric:
        console.print(
            "rises: with the target; agrees: share of pairs of rows in which the one "
            "with the higher target has the higher value",
            soft_wrap=True,
        )
    if any("unclear" in column.cells for column in table.columns):
        console.print("unclear: a test at the level 0.05 cannot tell")
    kinds = ("confirmed", "tentative", "rejected")
    counts = [f"{found.verdict.count(kind)} {kind}" for kind in kinds]
    console.print(f"of {d} features {', '.join(counts)}")
