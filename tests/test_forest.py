"""ForestImportance: what scikit-learn's forest does to the process is undone."""

from __future__ import annotations

import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn import feature_selection
from sklearn.ensemble import RandomForestClassifier

from widemargin.baselines import ForestImportance, MutualInformation

X = np.random.default_rng(0).normal(size=(60, 5))
y = np.arange(60) % 2


@pytest.fixture
def growing(monkeypatch):
    """How many forests grow at once, in the course of time; each adds a filter.

    So does each that is asked for its importances: scikit-learn uses threads for both.
    """
    now, seen = [], []
    fit = RandomForestClassifier.fit
    importances = RandomForestClassifier.feature_importances_.fget

    def slow(function):
        def slowed(self, *args):
            now.append(self)
            seen.append(len(now))
            warnings.simplefilter("ignore")
            time.sleep(0.01)
            now.remove(self)
            return function(self, *args)

        return slowed

    monkeypatch.setattr(RandomForestClassifier, "fit", slow(fit))
    monkeypatch.setattr(
        RandomForestClassifier, "feature_importances_", property(slow(importances))
    )
    return seen


def test_forests_grow_one_at_a_time_and_leave_the_warning_filters_alone(growing):
    before = list(warnings.filters)

    def fit(seed):
        return ForestImportance(n_estimators=2, random_state=seed)._fit_dataset(rows)

    rows = ForestImportance()._read(X, y)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(fit, range(12)))
    assert growing == [1] * 24
    assert list(warnings.filters) == before


def test_forests_and_mutual_information_take_turns(growing, monkeypatch):
    """Both run scikit-learn's parallel tasks, each of which sets the filters anew."""
    before, estimate = list(warnings.filters), feature_selection.mutual_info_classif

    def slow(*args, **parameters):
        warnings.simplefilter("ignore")
        time.sleep(0.01)
        return estimate(*args, **parameters)

    monkeypatch.setattr(feature_selection, "mutual_info_classif", slow)
    selectors = [ForestImportance(n_estimators=2), MutualInformation()] * 6
    rows = ForestImportance()._read(X, y)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda s: s._fit_dataset(rows), selectors))
    assert list(warnings.filters) == before
