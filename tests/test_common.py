"""Every selector passes scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from widemargin import GFlip, Relief, ReliefF, Simba

SELECTORS = [Relief(), ReliefF(), Simba(), GFlip()]


# The checks' data sets are small: classes have fewer members than ReliefF's default k,
# and a random set may give no feature a positive margin.
@pytest.mark.filterwarnings("ignore:ReliefF. n_neighbors=10:UserWarning")
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")
@parametrize_with_checks(SELECTORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
