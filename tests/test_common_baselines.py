"""Every baseline passes scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from cases import expected_failures, of_few_trees
from widemargin import baselines
from widemargin.base import MarginSelector

SELECTORS = [getattr(baselines, name)() for name in baselines.__all__]
SELECTORS.append(baselines.LaplacianScore(supervised=True))
SELECTORS.append(baselines.LaplacianScore(supervised=False))
SELECTORS.append(baselines.ForestImportance(task="regression"))
SELECTORS.append(baselines.MutualInformation(task="regression"))


# The checks' data sets are random: no feature may tell anything about the class.
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@parametrize_with_checks(
    list(map(of_few_trees, SELECTORS)), expected_failed_checks=expected_failures
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_baselines_are_selectors_like_the_others():
    assert len(baselines.__all__) == 11
    assert all(isinstance(s, MarginSelector) for s in SELECTORS)
