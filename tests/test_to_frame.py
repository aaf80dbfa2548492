"""`to_frame`: what a fitted selector found, as a table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from widemargin import AutoSelector, GFlip, ReliefF, TuRF
from widemargin.datasets import make_xor

X, Y = make_xor(120, n_features=6, random_state=0)
NAMED = pd.DataFrame(X, columns=list("abcdef"))


@pytest.mark.filterwarnings("ignore:.*no signal:UserWarning")
@pytest.mark.parametrize(
    "selector",
    [
        ReliefF(2),
        TuRF(ReliefF(), n_features_to_select=2),
        GFlip(random_state=0),
        AutoSelector("ReliefF", redundancy=None, random_state=0),
    ],
    ids=repr,
)
def test_features_are_in_order_with_what_the_selector_says_of_them(selector):
    frame = selector.fit(NAMED, Y).to_frame()
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    back = frame.set_index("feature").loc[list("abcdef")]
    np.testing.assert_array_equal(back["rank"], selector.ranking_)
    np.testing.assert_array_equal(back["score"], selector.scores_)
    np.testing.assert_array_equal(back["selected"], selector.support_)
    assert "redundant_with" not in frame or frame["redundant_with"].isna().all()


def test_columns_without_names_are_numbered():
    frame = ReliefF().fit(X, Y).to_frame()
    assert list(frame) == ["feature", "score", "rank", "selected"]
    assert sorted(frame["feature"]) == ["x0", "x1", "x2", "x3", "x4", "x5"]


def test_near_copies_are_named_with_what_they_copy():
    copied = NAMED.assign(again=NAMED["a"] * 2 + 1e-9)
    fitted = ReliefF(6, redundancy=0.9).fit(copied, Y)
    of = fitted.to_frame().set_index("feature")["redundant_with"].dropna()
    assert of.to_dict() in ({"again": "a"}, {"a": "again"})


def test_only_a_fitted_selector_has_one():
    with pytest.raises(NotFittedError):
        ReliefF().to_frame()
