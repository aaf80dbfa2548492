"""The target as classes, or as numbers to predict."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import Problem, did_you_mean, listed
from widemargin.cli.roles import say_spellings

FEWEST_GRADES, MOST_GRADES = 4, 12  # that numbers of classes may be

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from widemargin.cli.dataset import DataOptions, Dataset


def to_classes(
    y: pd.Series[Any],
    options: DataOptions,
    notes: list[str],
    sizes: pd.Series[Any] | None = None,
    *,
    named: bool = False,
) -> pd.Series[Any]:
    """Classes of the rows: text, whole numbers, or ordered categories.

    With ``sizes``, y has each different value once, for as many rows; --bins needs all
    of them. If ``named``, numbers are names.
    """
    if not len(y):
        raise Problem(f"the target, {str(y.name)!r}, is missing in every row.")
    y = _plain(y)
    rows = (y.value_counts() if sizes is None else sizes).to_numpy()
    n_rows = int(rows.sum())
    if options.bins is not None:
        return _binned(y, options.bins, notes)
    if options.ordinal:
        return _ordered(y, options.ordinal)
    if named:
        y = _names(y)
    _refuse_identifier(y, n_rows)
    if y.dtype.kind in "iuf":
        _judge_numbers(y, rows, notes)
        if (y % 1 == 0).all():
            _note_grades(y.astype("int64"), notes)
            return y.astype("int64")
        return y.astype("category").cat.as_ordered()
    say_spellings(str(y.name), y.unique(), "classes", notes)
    return y


def written_out(
    y: pd.Series[Any], options: DataOptions, decimal: str, notes: list[str]
) -> pd.Series[Any]:
    """A target whose text is numbers, such as "$1,200", as these if it is measured."""
    import pandas as pd

    from widemargin.cli.numerals import parse

    if y.dtype.kind not in "OU" and str(y.dtype) != "string":
        return y
    sizes = y.value_counts()
    found = parse(pd.Series(sizes.index).astype(str).str.strip(), decimal)
    asked = options.bins is not None or options.task == "regression"
    if found.values.isna().any():
        return y
    if not asked and not _measures(found.values, sizes.to_numpy()):
        return y
    name = str(y.name)
    notes += [f"{remark}, in the target, {name!r}." for remark in found.remarks]
    return y.map(dict(zip(sizes.index, found.values, strict=True))).astype("float64")


def to_numbers(
    y: pd.Series[Any], options: DataOptions, notes: list[str], *, named: bool = False
) -> pd.Series[Any] | None:
    """The target as numbers to predict; None if it names classes.

    It does if --bins, --ordinal or --categorical says so, or if numbers are few or
    repeat; --task decides in any case.
    """
    told = options.bins is not None or bool(options.ordinal) or named
    if options.task == "regression" and told:
        raise Problem(
            "--task regression predicts numbers; --bins, --ordinal and --categorical "
            "make classes of them."
        )
    if options.task == "classification" or told or not len(y):
        return None
    y = _plain(y)
    name = str(y.name)
    if y.dtype.kind not in "iuf":
        if options.task == "regression":
            raise Problem(
                f"--task regression needs a target of numbers; {name!r} is text."
            )
        return None
    rows = y.value_counts().to_numpy()
    if options.task is None and not _measures(y, rows):
        return None
    if len(rows) < 2:
        raise Problem(f"the target, {name!r}, is {y.iloc[0]:g} in every row.")
    if options.task is None:
        notes.append(
            f"the target, {name!r}, is treated as numeric: {len(rows)} distinct values "
            f"in {len(y)} rows (--task classification, --bins 3 or --categorical "
            f"{name} treat it as classes)."
        )
    return y.astype("float64")


def find_positive(wanted: str | None, dataset: Dataset) -> Any:
    """The class that is written so; None if none is wanted."""
    if wanted is None:
        return None
    labels = {str(label): label for label in dataset.y.unique()}
    if len(dataset.counts) != 2:
        what = "numbers" if dataset.numeric else f"{len(labels)} classes"
        raise Problem(f"--positive is for two classes; {dataset.target!r} has {what}.")
    if wanted not in labels:
        raise Problem(
            f"--positive: {dataset.target!r} has no class {wanted!r}."
            f"{did_you_mean(wanted, list(labels))} Its classes are: "
            f"{listed(sorted(labels))}."
        )
    return labels[wanted]


def _measures(y: pd.Series[Any], rows: NDArray[np.integer]) -> bool:
    """Whether numbers that occur so often must be a measurement."""
    from widemargin.data.targets import MANY_NUMBERS, is_measurement

    whole = bool((y % 1 == 0).all())
    return is_measurement(rows) if whole else len(rows) > MANY_NUMBERS


def _plain(y: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers as NumPy has them, text as objects, categories as they are."""
    if str(y.dtype) == "category":
        y = y.cat.remove_unused_categories()
        return y if y.cat.ordered else y.astype(object)
    if y.dtype.kind in "iuf":
        return y.astype("float64") if y.dtype.kind == "f" else y.astype("int64")
    if y.dtype.kind == "b":
        return y.astype(bool).astype(object).astype(str)
    return y.astype(str).str.strip()


def _names(y: pd.Series[Any]) -> pd.Series[Any]:
    """Values as text, whole numbers without a decimal point."""
    if y.dtype.kind == "f" and (y % 1 == 0).all():
        y = y.astype("int64")
    return y.astype(str)


def _binned(y: pd.Series[Any], bins: int, notes: list[str]) -> pd.Series[Any]:
    import pandas as pd

    if y.dtype.kind not in "iuf":
        raise Problem(f"--bins needs a target of numbers; {str(y.name)!r} is text.")
    cut, edges = pd.qcut(y, bins, duplicates="drop", retbins=True)
    if len(edges) < bins + 1:
        notes.append(f"{str(y.name)!r} has ties: {len(edges) - 1} classes, not {bins}.")
    names = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    return cut.cat.rename_categories(names)


def _ordered(y: pd.Series[Any], ordinal: tuple[str, ...]) -> pd.Series[Any]:
    import pandas as pd

    labels = _names(y)
    found = set(labels)
    unknown = sorted(found.difference(ordinal))
    if unknown:
        raise Problem(
            f"--ordinal {','.join(ordinal)} leaves out {listed(unknown)}, which "
            f"{str(y.name)!r} has."
        )
    kept = [label for label in ordinal if label in found]
    return pd.Series(pd.Categorical(labels, kept, ordered=True), name=y.name)


def _refuse_identifier(y: pd.Series[Any], n_rows: int) -> None:
    if y.dtype.kind in "iuf" or y.nunique() < n_rows or n_rows < 3:
        return
    raise Problem(
        f"the target, {str(y.name)!r}, has a different value in each of {n_rows} rows; "
        "it should hold classes (--target names another column)."
    )


def _note_grades(y: pd.Series[Any], notes: list[str]) -> None:
    """Note numbers without a gap that may well be grades."""
    low, high = int(y.min()), int(y.max())
    if FEWEST_GRADES <= y.nunique() == high - low + 1 <= MOST_GRADES:
        order = ",".join(map(str, range(low, high + 1)))
        notes.append(
            f"the classes of {str(y.name)!r} are the numbers {low} to {high}; if they "
            f"are grades, --ordinal {order} makes use of their order."
        )


def _judge_numbers(
    y: pd.Series[Any], rows: NDArray[np.integer], notes: list[str]
) -> None:
    """Refuse a measurement; note what may be one. ``rows`` has those of each number."""
    from widemargin.data.targets import may_be_measurement

    m, name = len(rows), str(y.name)
    whole = bool((y % 1 == 0).all())
    if _measures(y, rows):
        once = int((rows == 1).sum())
        tail = f", {once} of them in one row only" if once else ""
        raise Problem(
            f"the target, {name!r}, looks like a measurement: {m} distinct numbers in "
            f"{rows.sum()} rows{tail}. --task regression predicts it (in memory, not "
            "with --engine dask), --bins 3 makes three classes of equal size, "
            f"--ordinal takes grades in the order that it lists, --categorical {name} "
            "takes the numbers as names of classes, --target names another column."
        )
    if whole and may_be_measurement(rows):
        notes.append(
            f"the target, {name!r}, has {m} distinct numbers, and each is treated as a "
            "class (if it is a measurement, --task regression predicts it, and --bins "
            "3 makes three classes of equal size)."
        )
