"""What `dir` shows, and so what completion offers: public names, nothing else."""

import importlib

import pytest

MODULES = [
    "widemargin",
    "widemargin.baselines",
    "widemargin.compat",
    "widemargin.compat.fast_select",
    "widemargin.compat.skrebate",
    "widemargin.datasets",
    "widemargin.evaluation",
    "widemargin.margin",
    "widemargin.plotting",
]


@pytest.mark.parametrize("name", MODULES)
def test_dir_shows_public_names_only(name):
    module = importlib.import_module(name)
    assert dir(module) == sorted(module.__all__)
    for public in dir(module):
        assert getattr(module, public) is not None


def test_every_display_draws_at_once():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    from report_cases import comparison
    from widemargin import ReliefF, plotting
    from widemargin.evaluation import hard_rows, interactions

    found = comparison(d=12, m=2)
    selector = found.selectors["ReliefF"]
    relieff = ReliefF().fit(found.X, found.y)
    pairs = interactions(found.X, found.y)
    made = [
        plotting.RankingDisplay.from_estimator(selector),
        plotting.SelectionCurveDisplay.from_curve(found.curve),
        plotting.AgreementDisplay.from_agreement(found.agreement),
        plotting.FeatureMapDisplay.from_estimator(selector, (3, 4)),
        plotting.InteractionsDisplay.from_interactions(pairs),
        plotting.PairDisplay.from_interactions(pairs),
        plotting.ClassScoresDisplay.from_estimator(relieff),
        plotting.HardRowsDisplay.from_hard_rows(hard_rows(found.X, found.y, [0, 1])),
    ]
    assert {type(d).__name__ for d in made} == set(plotting.__all__)
    for display in made:
        assert display.figure_ is not None
        assert display.ax_.has_data()
        plt.close(display.figure_)
