"""What is said of a feature, and why."""

import numpy as np
import pytest

from widemargin.evaluation._verdicts import Known, verdicts

NAMES = np.array(["best", "copy", "weak", "noise", "flat"], dtype=object)
KNOWN = Known(
    NAMES,
    ranking=np.arange(1, 6),
    scores=np.array([0.5, 0.4, 0.1, -0.1, 0.0]),
    frequency=np.array([1.0, 0.9, 0.1, 0.0, 0.0]),
    p_values=np.array([0.001, 0.001, 0.01, 0.8, 1.0]),
    q_values=np.array([0.005, 0.005, 0.02, 0.9, 1.0]),
    instead=np.array([-1, 0, -1, -1, -1]),
    n_selected=1,
    signal=True,
    constants=np.array([4]),
)


def test_reasons_tell_what_is_needed_from_what_is_true():
    found = verdicts(KNOWN)
    assert found["verdict"] == [
        "confirmed",
        "confirmed",
        "tentative",
        "rejected",
        "rejected",
    ]
    assert found["why"] == [
        "",
        "near copy of best",
        "below the cut",
        "not significant",
        "constant",
    ]


@pytest.mark.parametrize("signal", [True, False])
def test_a_constant_feature_is_called_so(signal):
    assert verdicts(KNOWN._replace(signal=signal))["why"][-1] == "constant"


def test_without_signal_that_is_the_reason():
    found = verdicts(KNOWN._replace(signal=False))
    assert set(found["verdict"]) == {"rejected"}
    assert set(found["why"][:-1]) == {"no signal"}


def test_what_few_subsamples_select_is_unstable():
    shaky = KNOWN._replace(frequency=np.full(5, 0.3))
    assert verdicts(shaky)["why"][0] == "unstable"


def test_where_nothing_was_tested_what_is_kept_is_tentative():
    untested = KNOWN._replace(frequency=None, p_values=None, q_values=None)
    found = verdicts(untested)
    assert found["verdict"] == ["tentative"] + 4 * ["rejected"]
    assert found["why"][0] == ""
    assert found["why"][2] == "below the cut"
