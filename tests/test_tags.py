"""What the tags say of a selector is what it does."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils import get_tags

from cases import of_few_trees
from test_common import SELECTORS
from test_common_baselines import SELECTORS as BASELINES
from widemargin import AutoSelector, OReliefF, ReliefF, Selection, TuRF
from widemargin.baselines import FisherScore, LaplacianScore
from widemargin.compat import fast_select, skrebate

ALL = [
    *SELECTORS,
    *map(of_few_trees, BASELINES),
    OReliefF(difference="absolute"),
    TuRF(ReliefF()),
    TuRF(FisherScore()),
    TuRF(OReliefF()),
    TuRF(LaplacianScore(supervised=False)),
    TuRF(RandomForestRegressor(5, random_state=0)),
    AutoSelector("ReliefF", cv=2, random_state=0),
    AutoSelector("FisherScore", cv=2, random_state=0),
    AutoSelector(["OReliefF", "ReliefF"], cv=2, random_state=0),
    Selection(["a", "c"], list("abcd")),
    fast_select.ReliefF(2),
    skrebate.ReliefF(2, n_neighbors=5),
]
each = pytest.mark.parametrize("selector", ALL, ids=lambda s: " ".join(repr(s).split()))
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

UNTRUE_OF_ALL = ("one_d_array", "three_d_array", "dict", "positive_only", "pairwise")

rng = np.random.default_rng(0)
Y = np.arange(40) % 2
X = rng.normal(size=(40, 4)) + 2.0 * Y[:, None]


def target(selector):
    """Labels, or numbers for the methods that predict these."""
    return Y + 0.01 * np.arange(40) if getattr(selector, "_numeric_target", 0) else Y


def fits(selector, X, y):
    """Whether the selector can be fitted to X and y, and reduces X."""
    try:
        clone(selector).fit(X, y).transform(X)
    except (TypeError, ValueError):
        return False
    return True


def frame(first):
    return pd.DataFrame({"a": first, "b": X[:, 1], "c": X[:, 2], "d": X[:, 3]})


@each
def test_what_x_may_hold(selector):
    said, y = get_tags(selector).input_tags, target(selector)
    text = np.where(X[:, 0] > 1, "u", "v")
    ordered = pd.Categorical(text, categories=["v", "u"], ordered=True)
    gap = np.where(np.arange(160).reshape(X.shape) == 5, np.nan, X)
    assert fits(selector, X, y)
    assert said.string == fits(selector, frame(text), y)
    assert said.categorical == fits(selector, frame(ordered), y)
    assert said.allow_nan == fits(selector, gap, y)
    assert said.sparse == fits(selector, csr_array(X), y)
    assert said.two_d_array
    assert not any(getattr(said, tag) for tag in UNTRUE_OF_ALL)


@each
def test_what_y_may_be(selector):
    said, y = get_tags(selector).target_tags, target(selector)
    assert said.required != fits(selector, X, None)
    assert said.single_output
    if said.required:  # else it is not looked at
        assert said.multi_output == fits(selector, X, np.column_stack([y, Y]))


@each
def test_types_that_transform_keeps(selector):
    y = target(selector)
    kept = get_tags(selector).transformer_tags.preserves_dtype
    # That fits take them, too, is what scikit-learn's own checks try.
    fitted = clone(selector).fit(np.abs(3 * X), y)
    for dtype in (*kept, "uint8"):
        assert fitted.transform(np.abs(3 * X).astype(dtype)).dtype == dtype
    assert {"float64", "float32", "int64", "bool", "object"} <= set(kept)
    assert kept[0] == "float64"
