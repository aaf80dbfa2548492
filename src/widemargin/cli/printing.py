"""What is said of a choice of features: as JSON, in words, as tables."""

from __future__ import annotations

import os
import shlex
import subprocess
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.problem import Problem, listed, plural
from widemargin.cli.session import aligned, plain_table, print_table, stdout
from widemargin.cli.terminal import name_in_a_line
from widemargin.cli.writing import records

if TYPE_CHECKING:
    from rich.console import Console

    from widemargin.cli.fits import Ranking
    from widemargin.cli.options import MethodOptions

BAR = 20  # characters of the longest bar, and of a class in a title
MOST_KEPT, NEXT = 15, 5  # features that are listed: of those kept, of the others
DIRECTIONS = {1: "rises", -1: "falls"}
LEVEL = 0.05  # of the test of relevance


def redundancy_of(how: MethodOptions) -> dict[str, Any]:
    """The similarity of near copies, as an argument; none if it is not given."""
    if how.redundancy is None:
        return {}
    if how.redundancy == "auto":
        raise Problem(
            "--redundancy auto is for `rank` and `select` with -m; give a similarity "
            "such as 0.9, or none."
        )
    return {"redundancy": None if how.redundancy == "none" else how.redundancy}


def worth(found: Any, scoring: str) -> dict[str, Any]:
    """What a choice is worth, as plain values."""
    return {
        "scoring": scoring,
        "score": found.score,
        "stderr": found.stderr,
        "stability": None if isnan(found.stability) else found.stability,
    }


def relevant(features: Any) -> list[dict[Any, Any]] | None:
    """All relevant features, the lowest q-value first; None if there was no test."""
    if features["relevant"].isna().all():
        return None
    found = features[features["relevant"].astype(bool)]
    found = found.sort_values(["q_value", "rank"])
    return records(found[["feature", "q_value", "frequency"]])


def answer_without(found: Any, names: Any) -> dict[str, Any] | None:
    """What is chosen without suspected leaks; None if there are none."""
    if found is None:
        return None
    return {"features": list(names), "score": found.score, "stderr": found.stderr}


def scored(scoring: str, score: float, stderr: float | None = None) -> str:
    """A score as people read it, with its standard error.

    Examples
    --------
    >>> from widemargin.cli.printing import scored
    >>> scored("accuracy", 0.9561, 0.0087), scored("neg_log_loss", -0.25)
    ('95.6 % ± 0.9', '0.250')
    """
    from widemargin.judging.scores import measure

    read = measure(scoring)
    text = f"{score:.1%}".replace("%", " %")
    if not read.share:
        text = f"{read.sign * score:.3f}"
    if stderr is None:
        return text
    return f"{text} ± {100 * stderr:.1f}" if read.share else f"{text} ± {stderr:.3f}"


def command_without(names: list[str]) -> str:
    """The command that is running, with columns dropped and its files replaced."""
    context = click.get_current_context()
    words = [*context.command_path.split()[:1], *context.obj]
    for name in names:
        words += ["--drop", name]  # one by one, since a name may have a comma
    given = context.params
    page = context.command.name in ("compare", "report") and not given["as_json"]
    if not given["force"] and (page or given["output"] or given.get("saved")):
        words.append("--force")
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def print_ranking(ranking: Ranking, top: int, *, marked: bool) -> None:
    """Print a table of the best features."""
    console, frame = stdout(), ranking.frame
    console.print(f"{_headline(ranking)}\n", soft_wrap=True)
    titles = [">rank", "feature", ">score"]
    titles += [">low", ">high"] * (ranking.interval is not None)
    table = plain_table(*titles, *["=selected"] * marked, *["="] * console.is_terminal)
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


def print_comparison(comparison: Any) -> None:
    """Print the answer, a line per method, and the verdicts on features."""
    console = stdout()
    # In a pipe a sentence is one line.
    console.print(f"{comparison.answer}\n", soft_wrap=not console.is_terminal)
    _print_methods(console, comparison)
    print_verdicts(comparison)


def _print_methods(console: Console, comparison: Any) -> None:
    """Print a line for each method, and for the features in use today."""
    from widemargin.judging.scores import measure

    scoring, signal = comparison.curve.scoring, comparison.signal is not False
    name, titles = measure(scoring).name, (">with all", ">stability", ">seconds")
    table = plain_table("=method", ">features", f">{name}", *titles)
    table.columns[2].no_wrap = False
    for row in comparison.summary().itertuples():
        best = signal and row.method == comparison.best
        own = comparison.recommendation if best else row
        kept = signal or row.method not in comparison.selectors
        table.add_row(
            row.method + " *" * best,
            str(own.n_features) if kept else "none",
            scored(scoring, own.score, own.stderr),
            scored(scoring, row.score_all),
            "" if isnan(own.stability) else f"{own.stability:.2f}",
            "" if isnan(row.fit_time) else _seconds(row.fit_time),
        )
    print_table(console, table)
    if signal:
        others = ""
        if len(comparison.candidates) > 1:
            others = ": the fewest features within one standard error of the best"
        elif len(comparison.selectors) > 1:
            others = "; the others are for comparison"
        console.print(f"* recommended{others}")
    if measure(scoring).is_loss:
        console.print(f"{name}: lower is better")


def _seconds(time: float) -> str:
    if time < 0.005:
        return "<0.01"
    return f"{time:.1f}" if time >= 0.1 else f"{time:.2f}"


def print_verdicts(comparison: Any) -> None:
    """Print what is known of the features kept and the next ones, and of leaks."""
    if comparison.signal is False:
        return
    console, frame, tested = stdout(), comparison.features, comparison.relevance
    kept = len(comparison.selected)
    hidden = max(0, kept - MOST_KEPT)
    directed = bool((frame["direction"] != 0).any())
    together = bool((frame["works_with"] != "").any())
    titles = ["feature", "verdict", *[">q"] * (tested is not None), ">in folds"]
    titles += [f"=with {_high_end(comparison)}"] * directed
    table = plain_table(*titles, *["works with"] * together)
    for row in frame.drop(frame.index[kept - hidden : kept]).itertuples():
        if len(table.rows) == kept - hidden + NEXT:
            break
        of = f" of {name_in_a_line(row.copy_of)}" if row.copy_of else ""
        cells = [name_in_a_line(row.feature), row.verdict + of]
        if tested is not None:
            cells.append(f"{row.q_value:.3f}" if row.q_value >= 0.001 else "<0.001")
        cells.append(f"{row.frequency:.0%}".replace("%", " %"))
        cells += [DIRECTIONS.get(row.direction, "")] * directed
        cells += [name_in_a_line(row.works_with)] * together
        table.add_row(*cells)
    console.print()
    print_table(console, table)
    if hidden:
        console.print(f"{hidden} more are kept (in the report, and by --json)")
    if tested is not None:
        count = plural(len(comparison.relevant), "feature is", "features are")
        console.print(
            f"{count} relevant (q < {LEVEL:g}); the report and --json list them"
        )
    if comparison.without_leaks is not None:
        _print_leaks(console, comparison)


def _high_end(comparison: Any) -> str:
    """What rises with a feature that is said to rise."""
    if (pair := comparison.profile.pair) is not None:
        name = name_in_a_line(pair[1])
        return f'"{name}"' if len(name) <= BAR else f'"{name[:BAR]}…"'
    return "the risk" if comparison.profile.task == "survival" else "the target"


def print_hard_rows(found: Any) -> None:
    """Print the rows with the lowest margins, and how many labels may be wrong."""
    console, table = stdout(), plain_table(">row", "label", "suggested", ">margin", "=")
    for row in found.to_frame().itertuples():
        labels = map(name_in_a_line, (row.label, row.suggested))
        mark = "suspect" if row.suspect else ""
        table.add_row(str(row.row), *labels, f"{row.margin:.2f}", mark)
    console.print(f"\n{found.sentence}\n", soft_wrap=True)
    print_table(console, table)
    console.print("row: its number in the file, from 0; suggested: by its neighbours")


def _print_leaks(console: Console, comparison: Any) -> None:
    """Name the features to keep without suspected leaks, and the way to drop these."""
    leaks = [str(comparison.feature_names[f]) for f in comparison.profile.target_copies]
    names = listed(comparison.names_without_leaks, MOST_KEPT)
    console.print(
        f"\nKept without {listed(leaks)}: {names}\n"
        f"To leave {'it' if len(leaks) == 1 else 'them'} out:\n"
        f"  {command_without(leaks)}",
        soft_wrap=True,
    )
