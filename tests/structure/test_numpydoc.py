"""numpydoc finds nothing in the docstrings of public names."""

import dataclasses
import importlib
import inspect

import pytest

# A matter of taste, or wrong here:
IGNORED = {
    "ES01",  # a first line that says it all needs no second paragraph
    "EX01",  # examples are in the guides, too
    "SA01",  # the site adds what to see also
    "PR08",  # "k; …" begins with a symbol of the paper, in lower case
    "PR03",  # parameters of the base classes are documented last
    "RT02",  # what is returned has a name, as in scikit-learn
}
MODULES = (
    "widemargin",
    "widemargin.baselines",
    "widemargin.compat.fast_select",
    "widemargin.compat.skrebate",
    "widemargin.datasets",
    "widemargin.evaluation",
    "widemargin.margin",
    "widemargin.plotting",
    "widemargin.reporting",
    "widemargin.settings",
)


def public(module):
    """Functions and classes that a module offers."""
    names = getattr(module, "__all__", None)
    found = {name: getattr(module, name) for name in names or vars(module)}
    return {
        name: value
        for name, value in found.items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and (names or value.__module__ == module.__name__)
    }


def methods(owner):
    """Public methods and properties of a class that this package has written."""
    for name in dir(owner):
        home = next(c for c in owner.__mro__ if name in vars(c))
        kinds = (classmethod, staticmethod, property)
        value = vars(home)[name]
        if (
            not name.startswith("_")
            and home.__module__.startswith("widemargin")
            and (inspect.isfunction(value) or isinstance(value, kinds))
        ):
            yield name


def documented():
    """Each public name, and the findings that do not count there."""
    for home in MODULES:
        for name, value in public(importlib.import_module(home)).items():
            ignored = set(IGNORED)
            if inspect.isclass(value):
                result = dataclasses.is_dataclass(value) and "Attributes" in str(
                    value.__doc__
                )
                if result or "__init__" not in vars(value):
                    # Users do not make results themselves, and a class without a
                    # constructor says whose parameters it has.
                    ignored.add("PR01")
                for method in methods(value):
                    yield f"{home}.{name}.{method}", IGNORED
            yield f"{home}.{name}", ignored


@pytest.mark.parametrize(
    ("name", "ignored"), [pytest.param(*each, id=each[0]) for each in documented()]
)
def test_docstrings_are_as_numpydoc_wants_them(name, ignored):
    validate = pytest.importorskip("numpydoc.validate").validate
    errors = validate(name)["errors"]
    found = [f"{code}: {text}" for code, text in errors if code not in ignored]
    assert not found, f"mend the docstring of {name}. " + " ".join(found)


def test_no_kind_of_public_name_is_left_out():
    names = {name for name, _ in documented()}
    assert {
        "widemargin.ReliefF",
        "widemargin.ReliefF.transform",
        "widemargin.warm",
        "widemargin.baselines.MRMR",
        "widemargin.compat.skrebate.TuRF.fit_transform",
        "widemargin.datasets.make_xor",
        "widemargin.evaluation.Comparison.summary",
        "widemargin.evaluation.compare",
        "widemargin.margin.hypothesis_margins",
        "widemargin.plotting.RankingDisplay.plot",
        "widemargin.reporting.report",
        "widemargin.settings.using",
    } <= names
