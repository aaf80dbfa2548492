"""What the columns of a table are for, by rules that do not depend on where it is.

`dataset` follows them in memory and `lazy` on Dask. What is changed or left out is
noted, one sentence each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from widemargin.cli.aside import Aside, set_aside
from widemargin.cli.columns import find_columns
from widemargin.cli.described import find_described, only_candidate, say_unused
from widemargin.cli.problem import Problem, listed, plural

if TYPE_CHECKING:
    import pandas as pd

    from widemargin.cli.dataset import DataOptions

# Names of columns that may count the rows, and of those that may hold a key of each.
NUMBERING = re.compile(
    r"(.*[ _-])?(id|index|idx|row|number|nr|no|#)\.?|(unnamed: |column )\d+",
    re.IGNORECASE,
)
KEYS = re.compile(
    r"(?i:(.*[ _.-])?(id|uid|uuid|guid|pk|key))|.*[a-z](Id|ID)|(?i:index|idx|row)"
    r"|(?i:(unnamed: |column )\d+)"
    r"|(?i:(account|case|client|customer|employee|event|item|member|order|passenger"
    r"|patient|person|product|record|row|sample|session|student|subject|user)id)"
)

# Why columns are left out.
DATES = "dates of which some cannot be read"
EMPTY = "no values"
GROUPS = (
    "each value occurs in one class only, as names of patients do. Rows of one patient "
    "are alike, so accuracies may be too high (compare --groups keeps them together; "
    "--keep-ids keeps the column)"
)
IDS = "(nearly) every row has a value of its own (--keep-ids keeps such columns)"

MOST_KEYS = 2**20  # rows that tell whether a column identifies rows on Dask


def sparse(share: float) -> str:
    """Why columns of which more than a share is missing are left out."""
    return (
        f"more than {100 * share:.3g} % of the values are missing (--max-missing 1 "
        "keeps such columns)"
    )


class Roles(NamedTuple):
    """What the columns of a table are for."""

    target: str
    features: list[str]  # unless something is found to be wrong with them
    aside: Aside


def find_roles(source: Any, options: DataOptions, notes: list[str]) -> Roles:
    """Find the target, and leave out what the user says."""
    columns = [str(name) for name in source.frame.columns]
    dropped = find_columns(options.drop, columns, "--drop")
    aside = set_aside(options, columns, source.about)
    others = {*dropped, *aside.names}
    target = find_target(source, options.target, others, notes)
    if target in dropped:
        raise Problem(f"the target, {target!r}, cannot be dropped.")
    aside = aside.without(target)
    others |= {target, *(source.about or ())}
    say_unused(source, {target, *dropped, *aside.names}, notes)
    return Roles(target, [n for n in columns if n not in others], aside)


def may_identify(X: Any) -> list[str]:
    """Columns of numbers that may count or identify the rows, going by their names."""
    from widemargin.data.kinds import NUMBER, kind

    types = zip(X.columns, X.dtypes, strict=True)
    numbers = [n for n, dtype in types if kind(dtype) == NUMBER]
    return [n for n in numbers if NUMBERING.fullmatch(n) or KEYS.fullmatch(n)]


def identifies(name: str, values: pd.Series[Any], others: Iterable[Any] = ()) -> bool:
    """Whether a column of numbers counts or identifies the rows, and is called so.

    ``others`` has codes of all columns, which show rows that are repeated.
    """
    import numpy as np
    import pandas as pd

    from widemargin.data.quality import names_rows

    codes, found = pd.factorize(values)
    keys = np.asarray(found, np.float64)
    with np.errstate(invalid="ignore"):  # infinite ones
        counting = bool(NUMBERING.fullmatch(name)) and (np.diff(keys) == 1).all()
        keyed = bool(KEYS.fullmatch(name)) and (keys % 1 == 0).all()
    return bool(counting or keyed) and names_rows(codes, others)


def codes_of(frame: pd.DataFrame) -> Iterator[Any]:
    """Codes of the values of each column."""
    import pandas as pd

    return (pd.factorize(frame[name])[0] for name in frame.columns)


def say_columns(
    out: Mapping[str, list[str]],
    remarks: Mapping[str, list[str]],
    categories: list[str],
    count: int,
    notes: list[str],
) -> None:
    """Say what has become of ``count`` columns; refuse if no feature is left."""
    _say_left_out(out, notes)
    gone = {name for names in out.values() for name in names}
    for remark, names in remarks.items():
        if kept := [name for name in names if name not in gone]:
            notes.append(f"{remark}, in {listed(kept)}.")
    if categories:
        notes.append(f"taken as categories: {listed(categories)}.")
    _refuse_nothing_left(count, out)


def told_of_target(options: DataOptions, target: str) -> tuple[DataOptions, bool]:
    """What --categorical says of features, and whether it names the target too."""
    texts = [[t] if t == target else t.split(",") for t in options.categorical]
    kept = [[t for t in parts if t.strip() != target] for parts in texts]
    if kept == texts:
        return options, False
    categorical = tuple(",".join(parts) for parts in kept if parts)
    return replace(options, categorical=categorical), True


def find_target(
    source: Any, wanted: str | None, taken: set[str], notes: list[str]
) -> str:
    """Name of the target; if nobody names one, the last column of a plain table.

    Of columns about the rows, it is the only one that may be and is not ``taken``.
    """
    if source.target is not None:
        return str(source.target)
    if wanted is not None:
        columns = source.frame.columns
        return find_described(wanted, columns, source.about, "--target")
    if source.about is not None:
        return only_candidate(source, taken, notes)
    last = str(source.frame.columns[-1])
    notes.append(f"the last column, {last!r}, is the target (--target names another).")
    return last


def without_target(count: int) -> str:
    """Say how many rows do not count."""
    return f"{plural(count, 'row')} without a target left out."


def without_tokens(X: pd.DataFrame, tokens: tuple[str, ...]) -> pd.DataFrame:
    """Mask the words and numbers that stand for a missing value, such as -999."""
    return X.mask(X.isin(with_numbers(tokens)))


def with_numbers(tokens: tuple[str, ...]) -> list[str | float]:
    """Words that stand for a missing value, and the numbers among them as such, too."""
    numbers = []
    for token in tokens:
        try:
            numbers.append(float(token))
        except ValueError:
            continue
    return [*tokens, *numbers]


def _say_left_out(out: Mapping[str, list[str]], notes: list[str]) -> None:
    """Say which columns do not count, by the reasons for it."""
    for why, names in out.items():
        if names:
            notes.append(f"left out {listed(names)}: {why}.")


def _refuse_nothing_left(count: int, out: Mapping[str, list[str]]) -> None:
    """Refuse a table of which, of ``count`` features, all are left out."""
    if sum(map(len, out.values())) < count:
        return
    why = [f"{listed(names)}: {reason}" for reason, names in out.items() if names]
    left_out = f"; left out {'; '.join(why)}" if why else ""
    raise Problem(f"there are no features left besides the target{left_out}.")


def say_missing(gaps: Mapping[str, int], n_rows: int, notes: list[str]) -> None:
    """Say how many cells are missing, given those of each column."""
    names = [name for name, count in gaps.items() if count]
    if names:
        share = f"{sum(gaps.values())} of {n_rows * len(gaps)} cells"
        notes.append(f"{share} are missing, in {listed(names)}.")


def say_spellings(
    name: str, values: Iterable[object], what: str, notes: list[str]
) -> None:
    """Say which classes or categories may be one, written in several ways."""
    from widemargin.data.quality import alike

    notes.extend(
        f"{listed(same)} are different {what} of {name!r}; if they should be one, "
        "write them alike in the file."
        for same in alike(values)
    )


def say_codes(names: list[str], values: Any, notes: list[str]) -> None:
    """Say which numbers may stand for missing values."""
    from widemargin.data.quality import codes_for_missing

    found: dict[str, list[str]] = {}
    for f, codes in codes_for_missing(values).items():
        for code in codes:
            found.setdefault(f"{code:.15g}", []).append(names[f])
    if found:
        where = [f"{code} in {listed(columns)}" for code, columns in found.items()]
        them = "it" if len(found) == 1 else "them"
        notes.append(
            f"probably a code for missing values: {', '.join(where)}, repeated and far "
            f"from all other values (--missing {','.join(found)} treats {them} as "
            "missing, in all columns)."
        )
