"""A pickle of another version is read with a warning."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from widemargin import AutoSelector, ReliefF, TuRF
from widemargin.base.estimator import KEY

X = np.random.default_rng(0).normal(size=(40, 4))
y = np.arange(40) % 2
SELECTORS = [
    ReliefF(n_features_to_select=2),
    TuRF(ReliefF(), n_features_to_select=2),
    AutoSelector(["FisherScore"], random_state=0),
]
by_name = pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)


def fitted(selector):
    with warnings.catch_warnings(action="ignore"):
        return selector.fit(X, y)


@by_name
def test_the_same_version_reads_its_pickles_in_silence(selector):
    read = pickle.loads(pickle.dumps(fitted(selector)))
    np.testing.assert_array_equal(read.transform(X), selector.transform(X))
    assert not hasattr(read, KEY)


@by_name
def test_another_version_warns_and_names_both(selector):
    written = {**fitted(selector).__getstate__(), KEY: "0.0.9"}
    read = clone(selector)
    with pytest.warns(UserWarning, match=r"pickled by widemargin 0\.0\.9, and is read"):
        read.__setstate__(written)
    np.testing.assert_array_equal(read.transform(X), selector.transform(X))


def test_a_pickle_without_a_version_is_from_an_earlier_one():
    selector = ReliefF()
    with pytest.warns(UserWarning, match="pickled by an earlier widemargin"):
        selector.__setstate__({"n_neighbors": 3})
    assert selector.n_neighbors == 3
