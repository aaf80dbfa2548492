"""From the words of the command line to selectors, and to the features in use."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widemargin.catalogue import Method, methods
from widemargin.cli.problem import Problem, did_you_mean, listed, plural

if TYPE_CHECKING:
    from widemargin.base import MarginSelector
    from widemargin.cli.options import MethodOptions
    from widemargin.cli.prepare import DataOptions, Dataset
    from widemargin.cli.session import Session

# Options that are named after what they do rather than after the parameter.
OPTIONS = {
    "features": "n_features_to_select",
    "redundancy": "redundancy",
    "neighbors": "n_neighbors",
    "metric": "metric",
    "scale": "scale",
    "samples": "n_samples",
    "jobs": "n_jobs",
}

SEPARATORS = ",;\t|"  # of names in a text


def listed_methods() -> list[Method]:
    """The methods, those of the papers first; TuRF needs another one."""
    found = [method for method in methods() if method.name != "TuRF"]
    return sorted(
        found, key=lambda m: (m.home != "widemargin", not m.name.isupper(), m.name)
    )


def method_names() -> list[str]:
    """Names of all methods, without importing them."""
    return [method.name for method in listed_methods()]


def find_method(name: str) -> type[MarginSelector]:
    """The class of that name; case and hyphens do not matter."""
    wanted = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    for known in listed_methods():
        if known.name.lower() == wanted:
            method: type[MarginSelector]
            method = getattr(import_module(known.home), known.name)
            return method
    hint = did_you_mean(name, method_names()) or " `widemargin methods` lists them."
    raise Problem(f"there is no method {name!r}.{hint}")


def make_selectors(
    names: tuple[str, ...], how: MethodOptions, verbose: int
) -> dict[str, MarginSelector]:
    """Selectors by name, with the parameters that were given."""
    selectors = {m.__name__: m() for m in map(find_method, names)}
    return with_parameters(selectors, how, verbose=verbose)


def default_method(ordinal: Any, how: MethodOptions, *, on_dask: bool) -> str:
    """The method for those who name none, unless an option is for another one."""
    if ordinal:
        return "OReliefF"
    options = (how.neighbors, how.metric, how.samples)
    return "ReliefF" if on_dask or any(o is not None for o in options) else "KernelRFE"


def told_task(data: DataOptions, selectors: Mapping[str, MarginSelector]) -> Any:
    """The same options, with the task that the methods are for, unless it is given.

    A method for numbers wants numbers; others go by the target.
    """
    if data.task is None and any(s._numeric_target for s in selectors.values()):
        return replace(data, task="regression")
    return data


def for_task(selectors: Mapping[str, MarginSelector], dataset: Dataset) -> None:
    """Set the task of methods for both, and refuse those that are for the other."""
    numeric, task = dataset.numeric, dataset.task
    for name, selector in selectors.items():
        if numeric and "task" in selector.get_params() and task in selector._tasks:
            selector.set_params(task=task)
        if selector._task == task or not selector._uses_labels([]):
            continue
        if dataset.several:
            able = ", ".join(methods_for(task))
            raise Problem(f"{name} is not for {task}; methods that are: {able}.")
        if numeric:
            raise Problem(
                f"{name} is for classes, but the target, {dataset.target!r}, is "
                "numeric. --bins 3 makes three classes of equal size; methods for "
                f"numeric targets: {', '.join(methods_for('regression'))}."
            )
        raise Problem(
            f"{name} is for numeric targets, but the target, {dataset.target!r}, is "
            "treated as classes. Leave out --task classification."
        )


def methods_for(task: str) -> list[str]:
    """Names of the methods that take such a target."""
    return [name for name in method_names() if task in find_method(name)()._tasks]


def with_parameters(
    selectors: Mapping[str, MarginSelector], how: MethodOptions, **usual: Any
) -> dict[str, MarginSelector]:
    """The same selectors with the parameters that were given, or else ``usual`` ones.

    A parameter has to fit at least one of them.
    """
    known = {label: set(s.get_params()) for label, s in selectors.items()}
    values: dict[str, Any] = {"random_state": how.seed, **usual}
    values |= _values(how, known)
    return {
        label: s.set_params(**{p: v for p, v in values.items() if p in known[label]})
        for label, s in selectors.items()
    }


def _values(how: MethodOptions, known: Mapping[str, set[str]]) -> dict[str, Any]:
    """Parameters that the user set; each has to fit at least one method."""
    values, options = dict[str, Any](), dict[str, str]()
    for option, parameter in OPTIONS.items():
        if (value := getattr(how, option)) is not None:
            none = option in ("redundancy", "scale") and value == "none"
            values[parameter] = None if none else value
            options[parameter] = f"--{option}"
    for parameter, value in reversed(how.param):
        values[parameter] = value
        options.setdefault(parameter, f"--param {parameter}")
    for parameter, option in options.items():
        if not any(parameter in parameters for parameters in known.values()):
            _refuse_parameter(option, parameter, list(known))
    return values


def _refuse_parameter(option: str, parameter: str, methods: list[str]) -> None:
    able = [
        n for n in method_names() if parameter in signature(find_method(n)).parameters
    ]
    has = "has" if len(methods) == 1 else "have"
    if able:
        hint = f"methods with it: {', '.join(able)}"
    else:
        known = {p for m in methods for p in signature(find_method(m)).parameters}
        hint = f"the parameters are {', '.join(sorted(known))}"
    raise Problem(f"{', '.join(methods)} {has} no {option}; {hint}.")


def check_fit(selectors: Mapping[str, MarginSelector], dataset: Dataset) -> None:
    """Refuse, before any work, what a method cannot take."""
    fit = methods_for(dataset.task) if dataset.numeric else method_names()
    for name, selector in selectors.items():
        if getattr(selector, "_mixed", False):
            continue
        able = [n for n in fit if getattr(find_method(n), "_mixed", False)]
        instead = f" or use {', '.join(able)}" if able else ""
        for found, columns in (
            ("needs numeric features, but there are categories", dataset.nominal),
            ("does not support missing values, but there are some", dataset.missing),
        ):
            if columns:
                raise Problem(
                    f"{name} {found} in {plural(len(columns), 'column')}: "
                    f"{listed(columns)}; leave them out (--drop){instead}."
                )


def check_ranges(selectors: Mapping[str, MarginSelector], dataset: Dataset) -> None:
    """Refuse numbers that are too large, or too close, for how a method scales them."""
    from widemargin.data.build import refuse_extreme_ranges

    X = dataset.X
    low, high = (
        found.reindex(X.columns).to_numpy("float64")
        for found in (X.min(numeric_only=True), X.max(numeric_only=True))
    )
    for name, selector in selectors.items():
        try:
            refuse_extreme_ranges(low, high, selector.scale, name)
        except ValueError as error:
            raise Problem(str(error)) from None


def check_neighbors(
    how: MethodOptions,
    counts: Mapping[str, int],
    selectors: Mapping[str, MarginSelector],
) -> None:
    """Refuse a number of neighbours that no class has."""
    needs = {m.name: m.needs for m in methods()}
    by_class = any(
        needs[type(s).__name__].endswith("classes") for s in selectors.values()
    )
    if not counts:
        return
    k, largest = how.neighbors, max(counts.values())
    if isinstance(k, int) and k >= largest and by_class:
        raise Problem(
            f"--neighbors {k} is too large: the largest class has {largest} rows, so a "
            f"row has at most {largest - 1} neighbours of its class."
        )


def find_baseline(given: str, dataset: Dataset, notes: Session) -> list[str]:
    """Features named by ``--baseline``, which may be a file."""
    features = dataset.features
    if not Path(given).is_file():
        from widemargin.cli.columns import find_columns

        names = find_columns((given,), dataset.raw.columns, "--baseline")
        return _among(names, features)
    names, aside = _in_file(Path(given), features), {dataset.target, *dataset.kept}
    found = [name for name in names if name in features]
    other = [name for name in names if name not in features and name not in aside]
    if not found:
        raise Problem(
            f"--baseline: {given} names none of the {len(features)} features."
        )
    if other:
        notes.note(
            f"--baseline: {given} also has {listed(other)}, which are "
            "not features here."
        )
    return found


def _among(names: list[str], features: list[str]) -> list[str]:
    for name in names:
        if name not in features:
            raise Problem(f"--baseline: {name!r} is not among the features.")
    if not names:
        raise Problem("--baseline names no features.")
    return names


def _in_file(path: Path, features: list[str]) -> list[str]:
    """Names in a saved selection, in the lines of a text, or above a table."""
    ending = path.suffix.lower()
    if ending == ".json":
        from widemargin.selection import Selection

        try:
            return [str(name) for name in Selection.load(path).kept]
        except (OSError, ValueError) as error:
            text = str(error).removeprefix("Selection.load: ")
            raise Problem(f"--baseline: {text}") from None
    if ending not in {".txt", ".csv", ".tsv", ""}:
        from widemargin.cli.reading import Request, read

        return [str(name) for name in read(str(path), Request(), least=1).frame.columns]
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise Problem(f"--baseline: {path} cannot be read: {error}.") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise Problem(f"--baseline: {path} is empty.")
    if set(lines) & set(features) and not _is_header(lines[0], features):
        return lines
    separator = max(SEPARATORS, key=lines[0].count)
    return [name.strip() for name in next(csv.reader(lines[:1], delimiter=separator))]


def _is_header(line: str, features: list[str]) -> bool:
    """Whether a line has several features in it."""
    return any(
        len(set(map(str.strip, line.split(separator))) & set(features)) > 1
        for separator in SEPARATORS
    )
