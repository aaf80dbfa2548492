"""Features that may be copies of the target: the answer with them and without."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from widemargin import AutoSelector, KernelRFE
from widemargin.data.read import read_dataset
from widemargin.evaluation import compare


def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X.iloc[::2, :8], y.iloc[::2].to_numpy()


def numbers():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X[:70], y[:70].to_numpy()


@pytest.mark.parametrize("given", [wine, numbers])
@pytest.mark.parametrize("place", [0, 3])
def test_the_answer_without_is_that_of_the_table_without(given, place):
    X, y = given()
    leaky = X.copy()
    leaky.insert(place, "outcome", 3.0 * y + 1)
    found = compare(leaky, y, ["KernelRFE"], random_state=0)
    clean = compare(X, y, ["KernelRFE"], random_state=0)
    assert found.feature_names[found.selected].tolist() == ["outcome"]
    expected = clean.feature_names[clean.recommendation.columns].tolist()
    assert found.names_without_leaks.tolist() == expected
    assert found.without_leaks.score == clean.recommendation.score
    assert found.without_leaks.stderr == clean.recommendation.stderr
    assert found.without_leaks.stability == clean.recommendation.stability
    assert clean.without_leaks is clean.names_without_leaks is None
    d = X.shape[1]
    assert found.answer.startswith("outcome may be a copy of the target.")
    assert f" with 1 of {d + 1} features; if not, " in found.answer
    assert found.answer.endswith(f" with {len(expected)} of {d} features.")
    match = "outcome.*copy of the target.*Without copies of the target"
    with pytest.warns(UserWarning, match=match) as caught:
        auto = AutoSelector(random_state=0).fit(leaky, y)
    assert len(caught) == 1
    assert auto.without_leaks_.tolist() == expected


def test_columns_without_names_keep_their_numbers():
    X, y = wine()
    leaky = np.column_stack([y, X.to_numpy()])
    found = compare(leaky.tolist(), y, ["KernelRFE"], random_state=0)
    clean = compare(X, y, ["KernelRFE"], random_state=0)
    expected = [f"x{f + 1}" for f in clean.recommendation.columns]
    assert found.names_without_leaks.tolist() == expected


@pytest.mark.parametrize("own", [False, True])  # of the method, or of all methods
@pytest.mark.parametrize("form", ["mask", "places", "names"])
def test_nominal_columns_are_found_in_the_table_without(form, own):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame({"a": rng.standard_normal(80) + y, "b": rng.standard_normal(80)})
    X["code"] = rng.integers(0, 3, 80) * y + rng.integers(0, 2, 80)
    leaky = X.copy()
    leaky.insert(0, "outcome", 2.0 * y)

    def answer(table):
        columns = list(table)
        forms = {
            "mask": [c == "code" for c in columns],
            "places": [columns.index("code")],
            "names": ["code"],
        }
        nominal = {"categorical_features": forms[form]}
        if own:
            return compare(table, y, KernelRFE(**nominal), random_state=0)
        return compare(table, y, "KernelRFE", **nominal, random_state=0)

    found, clean = answer(leaky), answer(X)
    kept = clean.feature_names[clean.recommendation.columns]
    assert found.names_without_leaks.tolist() == kept.tolist()
    assert found.without_leaks.score == clean.recommendation.score
    consensus = clean.recommendation.consensus
    np.testing.assert_array_equal(found.without_leaks.consensus, consensus)


def test_nothing_is_left_without_leaks():
    y = np.arange(40) % 2
    with pytest.warns(UserWarning, match="copy of the target"):
        auto = AutoSelector(cv=2, random_state=0).fit(y[:, None] * 2.0, y)
    assert auto.without_leaks_ is None
    assert compare(y[:, None] * 2.0, y, "KernelRFE", cv=2).without_leaks is None


@pytest.mark.parametrize("gone", [0, 1, 2, 3])
def test_a_table_without_a_column_is_as_if_it_never_had_it(gone):
    frame = pd.DataFrame(
        {
            "text": ["u", "v", None, "u", "w", "v"],
            "number": [1.5, np.nan, 3, 4, 5, 6],
            "many": [2**60 + i for i in range(6)],
            "kind": pd.Categorical(list("pqpqpp")),
        }
    )
    y = [0, 1] * 3
    left = frame.drop(columns=frame.columns[gone])
    found = read_dataset(frame, y, "test").without(np.array([gone]))
    expected = read_dataset(left, y, "test")
    np.testing.assert_array_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.names, expected.names)
    np.testing.assert_array_equal(found.nominal, expected.nominal)
    np.testing.assert_array_equal(found.kinds, expected.kinds)
    assert found.categories == expected.categories
    assert list(found.rounded) == list(expected.rounded)
    pd.testing.assert_frame_equal(found.table, left)
    # Rows that were drawn before stay those rows.
    few = np.array([5, 0, 3])
    some = read_dataset(frame, y, "test").take(few)
    np.testing.assert_array_equal(
        some.without(np.array([gone])).X, expected.take(few).X
    )
