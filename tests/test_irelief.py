"""I-Relief against its oracle."""

import numpy as np
import pytest

from cases import CASES, gaussian
from oracles.irelief import irelief
from widemargin import IRelief

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:IRelief. all weights fell:UserWarning"),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_weights_are_the_oracles(case, sigma):
    X, y = case(np.random.default_rng(0))
    ours = IRelief(sigma=sigma, max_iter=8).fit(X, y)
    w, n_iter = irelief(X, y, sigma=sigma, max_iter=8)
    np.testing.assert_allclose(ours.scores_, w, atol=1e-10)
    assert ours.n_iter_ == n_iter


def test_it_ends_when_weights_stay_as_they_are():
    X, y = gaussian(np.random.default_rng(1))
    long, longer = (IRelief(max_iter=n, tol=1e-8).fit(X, y) for n in (500, 1000))
    assert long.n_iter_ < 500
    np.testing.assert_array_equal(long.scores_, longer.scores_)
    np.testing.assert_allclose(np.linalg.norm(long.scores_), 1.0)


def test_weights_that_fall_to_zero_are_told():
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    with pytest.warns(UserWarning, match="all weights fell to 0"):
        IRelief(1).fit(X, [0, 0, 1, 1])
