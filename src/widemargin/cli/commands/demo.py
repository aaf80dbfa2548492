"""``widemargin demo``: the answer for a bundled data set, and a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.comparing import compare
from widemargin.cli.options import Effort, MethodOptions, quiet_option
from widemargin.cli.prepare import DataOptions, Dataset, prepare
from widemargin.cli.printing import print_comparison
from widemargin.cli.reading import Source
from widemargin.cli.session import session, stdout
from widemargin.cli.writing import Output, save_text

if TYPE_CHECKING:
    from rich.console import Console

PAGE = "widemargin-demo.html"


@click.command()
@quiet_option
def demo(quiet: bool) -> None:
    """Choose features of a bundled data set and write a report.

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
    _print(stdout(), data, comparison)


def _data() -> Dataset:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    labels = dict(enumerate(data.target_names))
    frame = data.data.assign(diagnosis=data.target.map(labels))
    return prepare("breast cancer", Source(frame, "diagnosis"), DataOptions())


def _print(console: Console, data: Dataset, comparison: Any) -> None:
    n_samples, n_features = data.X.shape
    console.print(
        f"Which of {n_features} measurements tell a malignant tumour from a benign "
        f"one?\nBreast cancer, Wisconsin: {n_samples} tumours, 2 classes.\n"
    )
    print_comparison(comparison)
    console.print(f"\nThe whole story, to open in a browser: {PAGE}", soft_wrap=True)
