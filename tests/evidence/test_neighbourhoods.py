"""The slow ReliefF of any power is ours where we have one."""

import numpy as np
import pytest

from evidence.neighbourhoods import relieff
from widemargin import ReliefF
from widemargin.datasets import make_gaussian_relevant


@pytest.mark.parametrize(("p", "metric"), [(1, "manhattan"), (2, "euclidean")])
def test_relieff_of_a_power_is_ours(p, metric):
    X, y = make_gaussian_relevant(60, 12, random_state=0)
    ours = ReliefF(metric=metric, scale=None).fit(X, y).scores_
    np.testing.assert_allclose(relieff(X, np.asarray(y), p), ours)


def test_weights_of_distances_are_those_of_columns():
    # Equation (4) of paper 003: Σ w_i diff is the Manhattan distance of columns · w.
    X, y = make_gaussian_relevant(60, 12, random_state=0)
    w = np.random.default_rng(0).uniform(0.1, 2, 12)
    weighted = ReliefF(metric="manhattan", scale=None).fit(X * w, y).scores_
    np.testing.assert_allclose(weighted / w, relieff(X, np.asarray(y), 1, w))
