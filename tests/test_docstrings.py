"""Docstrings of selectors name every parameter with its default, in shared words."""

import inspect
import re
from collections import Counter

import pytest

import widemargin
from widemargin import baselines

SELECTORS = {
    name: getattr(package, name)
    for package in (widemargin, baselines)
    for name in package.__all__
    if hasattr(getattr(package, name), "fit") and name != "Selection"  # has no fit
}
# What means the same wherever it is, and the selectors that have a reason to say more,
# or something else.
NUMBERS = (  # judged by R² if y is numeric
    "FRegression",
    "ForestImportance",
    "KernelRFE",
    "MultiSURF",
    "MultiSURFStar",
    "MutualInformation",
    "RReliefF",
    "SURF",
    "SURFStar",
)
SHARED = {
    "beta": (),
    "bins": (),
    "categorical_features": (),
    "confidence": (),
    "converged_": (),
    "directions": (),
    "directions_": (),
    "feature_names_in_": (),
    "history_": (),
    "linkage": (),
    "n_bins": (),
    "n_features_": (),
    "n_features_in_": (),
    "n_features_to_select": (
        "AutoSelector",
        "FCBF",
        "FeatureSimilarity",
        "GFlip",
        "MRMR",
        "TraceRatio",
        "TuRF",
        *NUMBERS,
    ),
    "n_jobs": (),
    "n_samples": (),
    "n_samples_": (),
    "optimism_": ("KernelRFE",),
    "prefix_scores_": NUMBERS,
    "prototypes_": (),
    "ranking_": ("MRMR",),
    "redundancy": ("AutoSelector",),
    "redundancy_": ("AutoSelector",),
    "redundant_with_": (),
    "scale": (
        "FCBF",
        "FRegression",
        "FisherScore",
        "ForestImportance",
        "InformationGain",
        "MRMR",
        "MutualInformation",
        "PearsonScore",
    ),
    "scores_interval_": (),
    "support_": (),
    "task": (),
}
ELSEWHERE = {"Not used.", "Those of ``selector_``."}


def entries(selector):
    """Type and paragraph of each parameter and attribute in a docstring."""
    found: dict[str, tuple[str, list[str]]] = {}
    lines: list[str] = []
    section = re.compile(r"^(Parameters|Attributes)\n-+\n(.*?)(?:\n\n|\Z)", re.M | re.S)
    for _, text in section.findall(inspect.getdoc(selector)):
        for line in text.splitlines():
            if line.startswith(" "):
                lines.append(line.strip())
            else:
                names, _, kind = line.partition(" : ")
                lines = []
                found |= dict.fromkeys(names.split(", "), (kind, lines))
    return {name: (kind, " ".join(words)) for name, (kind, words) in found.items()}


ENTRIES = {name: entries(selector) for name, selector in SELECTORS.items()}


@pytest.mark.parametrize("name", SELECTORS)
def test_every_parameter_is_documented_with_its_default(name):
    parameters = inspect.signature(SELECTORS[name]).parameters
    documented = [n for n in ENTRIES[name] if not n.endswith("_")]
    assert sorted(documented) == sorted(parameters)
    for parameter in parameters.values():
        kind, text = ENTRIES[name][parameter.name]
        assert text
        _, given, default = kind.partition(", default=")
        if parameter.default is parameter.empty:
            assert not given, parameter
        else:
            assert eval(default) == parameter.default, parameter


@pytest.mark.parametrize("name", SHARED)
def test_what_selectors_share_is_said_in_the_same_words(name):
    said = {
        selector: found[name][1]
        for selector, found in ENTRIES.items()
        if name in found and found[name][1] not in ELSEWHERE
    }
    own = {selector: said.pop(selector) for selector in SHARED[name]}
    ((usual, _),) = Counter(said.values()).most_common(1)
    assert len(said) > 1
    for selector, text in said.items():
        # Some say less, others add to it.
        same = text.startswith(usual[:-1]) or usual.startswith(text[:-1])
        assert same, f"{selector}: {text!r} instead of {usual!r}"
    for selector, text in own.items():
        assert not text.startswith(usual), f"{selector} is no exception"


def test_alternatives_are_written_in_one_way():
    # {"a", "b"} rather than "a" or "b"
    words = re.compile(r'("[\w-]+"(, | or )?){2,}( or None)?')
    for name, found in ENTRIES.items():
        for kind, _ in found.values():
            assert not words.fullmatch(kind.partition(", default=")[0]), (name, kind)
