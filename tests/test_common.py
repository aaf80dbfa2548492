"""Every selector passes scikit-learn's own checks."""

import inspect

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin
from cases import expected_failures
from widemargin.base import MarginSelector

PUBLIC = [getattr(widemargin, name) for name in widemargin.__all__]
SELECTORS = [
    member()
    for member in PUBLIC
    if inspect.isclass(member) and issubclass(member, MarginSelector)
]
SELECTORS += [type(s)(task="regression") for s in SELECTORS if "task" in s.get_params()]


# The checks' data sets are small: classes have fewer members than the default k,
# and a random set may give no feature a positive margin.
@pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning")
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.filterwarnings("ignore:GFlip ends in the empty set:UserWarning")
@pytest.mark.filterwarnings("ignore:IRelief. all weights fell to 0:UserWarning")
@pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")
@pytest.mark.filterwarnings("ignore:.*has no prototype:UserWarning")
@parametrize_with_checks(SELECTORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_selectors_are_found():
    assert {"Relief", "ReliefF", "Simba", "GFlip"} <= {
        type(s).__name__ for s in SELECTORS
    }
