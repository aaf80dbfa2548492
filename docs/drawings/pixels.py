from sklearn.datasets import load_digits

from widemargin import ReliefF
from widemargin.plotting import FeatureMapDisplay


def draw():
    digits = load_digits()
    selector = ReliefF(20, scale=None).fit(digits.data, digits.target)
    return FeatureMapDisplay.from_estimator(
        selector, (8, 8), background=digits.data.mean(axis=0)
    ).figure_
