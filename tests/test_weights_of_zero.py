"""Simba and O-Simba say so if no weight is left."""

import numpy as np
import pytest

from widemargin import OSimba, Simba

# The miss of each row is a copy of it, and its hit one step away: each visit takes half
# a step off the only weight.
X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])


@pytest.mark.parametrize("selector", [Simba(), OSimba(difference="absolute")])
def test_weights_that_all_fall_to_zero_are_said(selector):
    selector.set_params(order=[0, 1, 2, 3])
    name = type(selector).__name__
    with pytest.warns(UserWarning, match=f"{name}: all weights fell to 0"):
        fitted = selector.fit(X, y)
    assert not fitted.weights_.any()
    assert not fitted.scores_.any()
