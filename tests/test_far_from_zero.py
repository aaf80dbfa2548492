"""Values far from 0: sums of them lose digits that their differences have."""

import dask
import dask.array as da
import numpy as np
import pytest

from widemargin import OReliefF, Relief, ReliefF, Simba
from widemargin.data.build import far_offsets

METHODS = [
    Relief(scale=None),
    ReliefF(scale=None),
    ReliefF(metric="manhattan", scale=None),
    OReliefF(n_neighbors=3, scale=None),
    Simba(order=np.arange(90), scale=None),
]


def gappy(seed=0):
    """Eighths, so that an offset changes no difference, with missing cells."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], 30)
    X = np.round(8 * (rng.standard_normal((90, 4)) + y[:, None])) / 8
    X[rng.random(X.shape) < 0.15] = np.nan
    return X, y


@pytest.mark.parametrize("offset", [1e10, -1e10, 2.0**40])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_missing_values_keep_their_digits_at_any_offset(method, offset):
    X, y = gappy()
    expected = method.fit(X, y).scores_
    scores = method.fit(X + offset, y).scores_
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-14)


def test_missing_values_keep_their_digits_on_dask():
    X, y = gappy()
    expected = ReliefF(scale=None).fit(X, y).scores_
    far = da.from_array(X + 1e10, chunks=(25, -1))
    with dask.config.set(scheduler="synchronous"):
        scores = ReliefF(scale=None).fit(far, y).scores_
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_standard_scores_do_not_depend_on_the_order_of_rows(gaps, wide):
    X, y = gappy()
    X = X if gaps else np.nan_to_num(X)
    X = np.tile(X, (1, 100)) if wide else X  # more cells than NumPy is used for
    order = np.random.default_rng(1).permutation(len(y))
    selector = ReliefF(scale="standard")
    near = selector.fit(X, y).scores_
    for offset in (1e12, -1e12):
        far = X + offset
        one = selector.fit(far, y).scores_
        two = selector.fit(far[order], y[order]).scores_
        np.testing.assert_allclose(two, one, rtol=1e-12)
        np.testing.assert_allclose(one, near, rtol=1e-12)


def test_only_what_is_far_from_zero_is_moved():
    # Elsewhere sums keep their digits, and scores stay as they are to the last bit.
    low = np.array([0.0, -1.0, 4.3, 1e10, -1e10 - 1, 7.0, 1e300])
    high = np.array([1.0, 1.0, 7.9, 1e10 + 1, -1e10, 7.0, 1.7e300])
    expected = [0, 0, 0, 1e10, -1e10 - 1, 7.0, 0]
    np.testing.assert_array_equal(far_offsets(low, high), expected)
