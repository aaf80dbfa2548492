"""Several targets: numbers, labels of 0 and 1, or event and time."""

from __future__ import annotations

from typing import Any

import pandas as pd

from widemargin.cli.columns import find_columns
from widemargin.cli.prepare import DataOptions
from widemargin.cli.problem import Problem, listed
from widemargin.cli.reading import Source

HAPPENED = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}


def find_several(source: Source, options: DataOptions) -> tuple[str, ...]:
    """Columns of event and time, or of several targets; () if there is one."""
    columns = [str(name) for name in source.frame.columns]
    lifetime = options.lifetime or options.time
    if options.event is None:
        if options.lifetime is not None:
            raise Problem("--time needs --event, the column of the events.")
        wanted = options.target
        if wanted is None or "," not in wanted or wanted in columns:
            return ()
        found = find_columns((wanted,), columns, "--target")
    elif lifetime is None or options.target is not None:
        raise Problem("--event needs --time, the column of the times, and no --target.")
    else:
        found = find_columns((options.event,), columns, "--event")
        found += find_columns((lifetime,), columns, "--time")
    if len(set(found)) < 2 or options.bins or options.ordinal:
        raise Problem(
            f"several targets are numbers in different columns, got {listed(found)}"
            f"{'' if len(set(found)) < 2 else ' with --bins or --ordinal'}."
        )
    return tuple(found)


def read_several(
    rows: pd.DataFrame, options: DataOptions, notes: list[str]
) -> tuple[pd.DataFrame, str]:
    """The targets as numbers, and the task that they are for."""
    y = rows.apply(_numbers)
    if options.event is not None:
        if not y.iloc[:, 0].isin((0, 1)).all():
            raise Problem(
                f"--event: {y.columns[0]!r} needs 1, true or yes where the event "
                "happened, and 0, false or no where the row is censored."
            )
        return y, "survival"
    labels = y.isin((0, 1)).all(axis=None) and options.task != "regression"
    if labels:
        notes.append(
            f"{listed(list(y.columns))} hold 0 and 1 and are labels of which a row may "
            "have several (--task regression takes them as numbers)."
        )
    if options.task == "classification" and not labels:
        raise Problem("--task classification needs one target, or labels of 0 and 1.")
    return y, "multilabel" if labels else "regression"


def _numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    if column.dtype.kind not in "iufb":
        text = column.astype(str).str.strip().str.lower()
        column = text.map(HAPPENED)
        if column.isna().any():
            raise Problem(
                f"the target {str(column.name)!r} needs numbers, or true and false, "
                f"got {str(text[column.isna()].iloc[0])!r}."
            )
    return column.astype("float64")
