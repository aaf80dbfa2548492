"""``widemargin demo``: several methods on a bundled data set, and a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.comparing import compare
from widemargin.cli.options import Effort, MethodOptions, quiet_option
from widemargin.cli.prepare import DataOptions, Dataset, prepare
from widemargin.cli.printing import print_comparison
from widemargin.cli.reading import Source
from widemargin.cli.session import plain_table, print_table, session, stdout
from widemargin.cli.writing import Output, save_text

if TYPE_CHECKING:
    from rich.console import Console

N_SHOWN = 12
PAGE = "widemargin-demo.html"


@click.command()
@quiet_option
def demo(quiet: bool) -> None:
    """Compare methods on a bundled data set and write a report.

    The data are the 569 tumours of the Wisconsin diagnostic breast cancer data set,
    bundled with scikit-learn: 30 measurements each, benign or malignant. The report is
    written to widemargin-demo.html in this folder.
    """
    from widemargin.reporting import report

    Output((PAGE,), force=True).checked("-", ".html")
    data = _data()
    with session(quiet) as notes:
        notes.begin()
        comparison = compare(
            data, None, DataOptions(), MethodOptions(), Effort(), notes
        )
        page = report(comparison, title="Which measurements tell tumours apart?")
        save_text(PAGE, page.html)
    _print(stdout(), data, comparison, page.data)


def _data() -> Dataset:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    labels = dict(enumerate(data.target_names))
    frame = data.data.assign(diagnosis=data.target.map(labels))
    return prepare("breast cancer", Source(frame, "diagnosis"), DataOptions())


def _print(console: Console, data: Dataset, comparison: Any, page: Any) -> None:
    n_samples, n_features = data.X.shape
    console.print(
        f"Which of {n_features} measurements tell a malignant tumour from a benign "
        f"one?\nBreast cancer, Wisconsin: {n_samples} tumours, 2 classes.\n"
    )
    _print_ranks(console, comparison)
    console.print()
    print_comparison(comparison, page)
    console.print(f"\nThe whole story, to open in a browser: {PAGE}", soft_wrap=True)


def _print_ranks(console: Console, comparison: Any) -> None:
    """Print the features that methods agree to be good, and where each puts them."""
    import numpy as np

    names = comparison.feature_names
    ranks = {label: s.ranking_ for label, s in comparison.selectors.items()}
    mean = np.mean(list(ranks.values()), axis=0)
    table = plain_table()
    table.add_column("feature", no_wrap=True)
    table.add_column("mean rank", justify="right")
    for label in ranks:
        table.add_column(label, justify="right")
    for f in np.argsort(mean, kind="stable")[:N_SHOWN]:
        cells = [str(ranking[f]) for ranking in ranks.values()]
        table.add_row(str(names[f]), f"{mean[f]:.1f}", *cells)
    print_table(console, table)
    console.print(f"{len(names) - N_SHOWN} more")
