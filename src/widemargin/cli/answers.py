"""What is said of a choice of features, whichever command made it."""

from __future__ import annotations

import os
import shlex
import subprocess
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.problem import Problem
from widemargin.cli.writing import records
from widemargin.judging.scores import measure

if TYPE_CHECKING:
    from widemargin.cli.options import MethodOptions


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
