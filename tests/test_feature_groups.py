"""Columns that are one feature: `feature_groups`."""

import json
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from cli_tools import invoke
from widemargin import (
    FRLL,
    SURF,
    AutoSelector,
    IRelief,
    KernelRFE,
    MultiSURF,
    MultiSURFStar,
    Relief,
    ReliefF,
    RReliefF,
    SURFStar,
    TuRF,
    report,
)
from widemargin.baselines import FisherScore, ForestImportance
from widemargin.data.blocks import _largest, prefix_of, read_blocks
from widemargin.evaluation import (
    compare,
    relevance,
    resample,
    selection_curve,
    significance,
)
from widemargin.evaluation._selectors import known_methods

NUMERIC = {RReliefF()} | {
    method(task="regression") for method in (SURF, MultiSURF, KernelRFE)
}
METRIC = [ReliefF(5), ReliefF(5, weights="rank"), SURF(), SURFStar(), MultiSURF()]
METRIC += [MultiSURFStar(), *NUMERIC]
ONE_BLOCK = [Relief(), Relief(squared=True), IRelief(), KernelRFE()]
ONE_BLOCK += [KernelRFE(scale="minmax"), ReliefF(scale=None), *METRIC]
ONE_BLOCK += [
    clone(s).set_params(metric=metric)
    for s in METRIC
    if "metric" in s.get_params()
    for metric in ("euclidean", "manhattan")
]


SHAPES = ("shape_x", "shape_y", "shape_z")


def credit(seed, n=40):
    """Numbers and nominal features; which tell the class."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.normal(size=n), "income": rng.normal(size=n) * 9})
    for name, values in {"colour": "rgbk", "shape": "xyz", "flag": "uv"}.items():
        drawn = rng.choice(list(values), n)
        drawn[: len(values)] = list(values)
        X[name] = pd.Categorical(drawn)
    y = (X.age > 0).astype(int) + (X.colour == "r") + (rng.random(n) < 0.2)
    return X, np.asarray(y % 3), np.asarray(X.age + 2 * (X.colour == "r"))


def dummies(X):
    return pd.get_dummies(X, columns=["colour", "shape", "flag"], dtype=float)


def scores_by_name(fitted):
    return fitted.to_frame().set_index("feature")["score"].sort_index()


@given(st.integers(0, 10**6), st.sampled_from(ONE_BLOCK))
def test_dummies_score_as_the_nominal_column_they_came_from(seed, selector):
    X, y, target = credit(seed)
    y = target if selector._numeric_target else y
    with warnings.catch_warnings(action="ignore"):
        nominal = clone(selector).fit(X, y)
        grouped = clone(selector).set_params(feature_groups="prefix")
        grouped.fit(dummies(X), y)
    expected, found = scores_by_name(nominal), scores_by_name(grouped)
    assert list(found.index) == list(expected.index)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_relieff_takes_a_group_as_one_difference(metric):
    """By definition: pairs of rows, and the differences of whole groups."""
    rng = np.random.default_rng(0)
    X, y, k = rng.random((24, 5)), np.repeat([0, 1], 12), 3
    parts = [[0], [1, 2, 3], [4]]
    power = 1 if metric == "manhattan" else 2
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    D = np.abs(U[:, None] - U[None])

    def block(columns, p):
        together = (D[..., columns] ** p).sum(axis=-1)
        return together / together.max()

    distance = sum(block(columns, power) for columns in parts)
    np.fill_diagonal(distance, np.inf)
    w = np.zeros(3)
    for i in range(24):
        for same in (True, False):
            others = np.flatnonzero((y == y[i]) == same)
            near = others[np.argsort(distance[i, others])[:k]]
            for f, columns in enumerate(parts):
                w[f] += (-1 if same else 1) * block(columns, 1)[i, near].mean() / 24
    groups = {"band": [1, 2, 3]}
    fitted = ReliefF(n_neighbors=k, metric=metric, feature_groups=groups).fit(X, y)
    np.testing.assert_allclose(fitted.scores_[[0, 1, 4]], w, rtol=1e-9)
    assert fitted.groups_.tolist() == ["x0", "band", "x4"]


def test_frll_adds_up_both_sums_of_a_group():
    X, y, _ = credit(1)
    X = dummies(X)
    both = FRLL(feature_groups="prefix").fit(X, y)
    apart = FRLL(feature_groups="prefix", criterion="difference").fit(X, y)
    np.testing.assert_allclose(both.scores_, both.between_ / both.within_)
    np.testing.assert_allclose(apart.scores_, both.between_ - both.within_)
    colours = [c.startswith("colour") for c in X]
    assert len(set(both.within_[colours])) == 1


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([1, 2]))
def test_largest_difference_is_that_of_all_pairs(seed, d, power):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (12, d)) * rng.random(d)
    pairs = [(np.abs(a - b) ** power).sum() for a, b in combinations(rows, 2)]
    np.testing.assert_allclose(_largest(rows, power), max(pairs))


@pytest.mark.parametrize("name", sorted(known_methods()))
@pytest.mark.parametrize("wanted", [None, 2, "auto"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_columns_of_a_group_stay_or_go_together(name, wanted):
    selector = known_methods()[name]()
    X, y, target = credit(3)
    own = selector.get_params()
    selector.set_params(feature_groups="prefix", n_features_to_select=wanted)
    if "random_state" in own:
        selector.set_params(random_state=0)
    if "redundancy" in own and wanted == "auto":
        selector.set_params(redundancy="auto")
    D = dummies(X)
    selector.fit(D, target if selector._numeric_target else y)
    of = np.unique([prefix_of(c) or c for c in D], return_inverse=True)[1]
    for values in (selector.scores_, selector.ranking_, selector.support_):
        assert len(values) == D.shape[1]
        assert all(len(set(values[of == g])) == 1 for g in range(5))
    assert sorted(set(selector.ranking_.tolist())) == [1, 2, 3, 4, 5]
    assert selector.n_features_ == len(set(of[selector.support_]))
    if wanted == 2 and "threshold" not in own:
        assert selector.n_features_ == 2
    frame = selector.to_frame()
    assert sorted(frame["feature"]) == ["age", "colour", "flag", "income", "shape"]
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5]
    kept = list(selector.get_feature_names_out())
    assert kept == list(D.columns[selector.support_])


def test_best_or_total_score_of_single_columns():
    X, y, _ = credit(4)
    D = dummies(X)
    colours = [c.startswith("colour") for c in D]
    alone = FisherScore().fit(D, y).scores_[colours]
    assert FisherScore(feature_groups="prefix").fit(D, y).scores_[2] == alone.max()
    forest = ForestImportance(random_state=0)
    grouped = clone(forest).set_params(feature_groups="prefix").fit(D, y)
    assert len(set(grouped.scores_[colours])) == 1
    np.testing.assert_allclose(scores_by_name(grouped).sum(), 1.0)


def test_turf_drops_whole_groups():
    X, y, _ = credit(5, n=120)
    D = dummies(X)
    turf = TuRF(ReliefF(feature_groups="prefix"), 2, drop=1).fit(D, y)
    assert turf.n_features_ == 2
    assert turf.to_frame()["rank"].tolist() == [1, 2, 3, 4, 5]
    colours = np.array([c.startswith("colour") for c in D])
    assert len(set(turf.ranking_[colours])) == 1
    assert set(turf.to_frame()["feature"][:2]) == {"age", "colour"}


def test_a_copy_of_a_group_is_redundant():
    X, y, _ = credit(6, n=120)
    X["again"] = X.colour
    D = pd.get_dummies(X, columns=["colour", "shape", "flag", "again"], dtype=float)
    fitted = ReliefF(3, redundancy=0.9, feature_groups="prefix").fit(D, y)
    again = np.array([c.startswith("again") for c in D])
    assert (fitted.redundant_with_[again] == list(D).index("colour_b")).all()
    assert not fitted.support_[again].any()
    frame = fitted.to_frame().set_index("feature")
    assert frame["redundant_with"].to_dict()["again"] == "colour"


def test_auto_counts_groups_and_finds_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 30)), rng.integers(0, 2, 200)
    X[:, :3] += y[:, None]
    labels = ["signal"] * 3 + [f"noise{f // 3}" for f in range(27)]
    fitted = ReliefF("auto", feature_groups=labels).fit(X, y)
    assert fitted.get_support(indices=True).tolist() == [0, 1, 2]
    assert len(fitted.prefix_scores_) == 10


def test_column_transformer_in_a_pipeline():
    X, y, _ = credit(7, n=100)
    encode = make_column_transformer(
        (StandardScaler(), ["age", "income"]),
        (OneHotEncoder(sparse_output=False), ["colour", "shape", "flag"]),
    ).set_output(transform="pandas")
    pipe = make_pipeline(encode, KernelRFE(2, feature_groups="prefix")).fit(X, y)
    names = pipe[-1].groups_.tolist()
    assert names == [
        "standardscaler__age",
        "standardscaler__income",
        *(f"onehotencoder__{name}" for name in ("colour", "shape", "flag")),
    ]


def test_groups_are_a_mapping_labels_or_prefixes():
    names = ["a_1", "b", "a_2", "c"]
    for groups in (
        "prefix",
        {"a": ["a_1", "a_2"]},
        {"a": [0, "a_2"]},
        ["a", None, "a", np.nan],
        np.array(["a", "x", "a", "y"]),
    ):
        blocks = read_blocks(groups, names, 4, "ReliefF")
        assert blocks.feature.tolist() == [0, 1, 0, 2]
        assert blocks.names.tolist() == ["a", "b", "c"]
    assert read_blocks(["a", "b", "c"], None, 3, "ReliefF") is None
    clash = read_blocks("prefix", ["a", "a_1", "a_2"], 3, "ReliefF")
    assert clash.names.tolist() == ["a", "a (group)"]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("suffix", "a mapping, labels or \"prefix\", got 'suffix'"),
        ("prefix", "goes by the names of the columns, but X has none"),
        (["a", "b"], "one label in feature_groups for each of 3 columns, got 2"),
        ({"a": [0, 7]}, "has 7 in 'a', which is not one of the 3 columns"),
        ({"a": [0, 1], "b": [1, 2]}, "has column 'x1' in 'a' and in 'b'"),
    ],
)
def test_what_is_no_grouping_is_refused(groups, message):
    X, y = np.random.default_rng(0).random((20, 3)), np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match="feature_groups") as error:
        ReliefF(feature_groups=groups).fit(X, y)
    if groups != "suffix":
        assert message in str(error.value)


def test_dask_refuses_groups():
    array = pytest.importorskip("dask.array")
    X = array.from_array(np.random.default_rng(0).random((20, 3)))
    y = array.from_array(np.repeat([0, 1], 10))
    with pytest.raises(ValueError, match="feature_groups are for tables in memory"):
        ReliefF(feature_groups=[1, 1, 2]).fit(X, y)


def test_sparse_tables_refuse_groups():
    X, y = csr_array(np.eye(20)[:, :4]), np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match="feature_groups need dense features"):
        ReliefF(feature_groups=[1, 1, 2, 3]).fit(X, y)


def test_intervals_of_sampled_rows_are_of_groups():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 8))
    X[:, 2:5] += y[:, None]
    labels = [None, None, "g", "g", "g", None, "h", "h"]
    sampled = ReliefF(
        1, n_samples="auto", random_state=0, feature_groups=labels, metric="manhattan"
    ).fit(X, y)
    exact = clone(sampled).set_params(n_samples=None).fit(X, y)
    assert sampled.get_support(indices=True).tolist() == [2, 3, 4]
    low, high = sampled.scores_interval_.T
    assert ((low <= exact.scores_) & (exact.scores_ <= high)).all()


def test_relevance_permutes_a_group_together():
    X, y, _ = credit(8, n=150)
    found = relevance(dummies(X), y, feature_groups="prefix", random_state=0)
    assert found.names.tolist() == list(X)
    assert set(found.names[found.significant()]) == {"age", "colour"}


@pytest.mark.parametrize("method", ["auto", "probes"])
@pytest.mark.parametrize("selector", [ReliefF(), FisherScore()])
def test_significance_counts_groups(selector, method):
    X, y, _ = credit(8, n=150)
    grouped = clone(selector).set_params(feature_groups="prefix")
    found = significance(
        grouped, dummies(X), y, random_state=0, method=method, n_permutations=100
    )
    assert found.names.tolist() == list(X)
    assert found.p_values[[0, 2]].max() <= 0.02


def test_auto_selector_and_compare_have_one_row_per_group(tmp_path):
    X, y, _ = credit(9, n=150)
    D = dummies(X)
    auto = AutoSelector(random_state=0, feature_groups="prefix").fit(D, y)
    known = compare(D, y, ["ReliefF"], random_state=0, feature_groups="prefix")
    assert sorted(auto.features_["feature"]) == sorted(X)
    assert auto.n_features_ == 2
    assert auto.get_support().tolist() == [
        c == "age" or c.startswith("colour") for c in D
    ]
    assert len(auto.selector_.scores_) == D.shape[1]
    assert sorted(known.features["feature"]) == sorted(X)
    assert "of 5 features" in known.answer
    page = report(known)
    assert page.data["features"]["name"] == list(X)
    assert page.data["columns"]["values"][2].startswith("colour_")
    assert "feature_groups='prefix'" in page.data["provenance"]["code"]
    single = report(ReliefF(2, feature_groups="prefix").fit(D, y), X=D, y=y)
    assert single.data["answer"].startswith("ReliefF keeps 2 of 5 features")


def test_groups_that_hold_a_leak_are_left_out():
    X, y, _ = credit(10, n=90)
    rng = np.random.default_rng(0)
    D = dummies(X).assign(leak_a=y + 0.1 * rng.random(90), leak_b=rng.normal(size=90))
    found = compare(D, y, ["ReliefF"], random_state=0, feature_groups="prefix")
    assert [found.feature_names[f] for f in found.profile.target_copies] == ["leak"]
    assert set(found.names_without_leaks) <= set(X)


def test_methods_of_a_comparison_have_no_groups_of_their_own():
    X, y, _ = credit(11)
    with pytest.raises(ValueError, match="pass feature_groups to it, not to ReliefF"):
        compare(dummies(X), y, [ReliefF(feature_groups="prefix")])
    both = [ReliefF(feature_groups="prefix"), FisherScore()]
    with pytest.raises(ValueError, match="selectors with the same feature_groups"):
        selection_curve(both, dummies(X), y)


def test_resampling_counts_groups():
    X, y, _ = credit(12, n=100)
    found = resample(
        ReliefF(1, feature_groups="prefix"), dummies(X), y, n=10, random_state=0
    )
    assert found.names.tolist() == list(X)
    assert found.supports.sum(axis=1).tolist() == [1] * 10


def test_the_command_takes_groups(tmp_path):
    X, y, _ = credit(13, n=90)
    path, groups = tmp_path / "x.csv", tmp_path / "groups.txt"
    dummies(X).assign(y=y).to_csv(path, index=False)
    groups.write_text(
        "colour=colour_b,colour_g,colour_k,colour_r\n\nflag=flag_u,flag_v"
    )
    for by, features in (("prefix", set(X)), (groups, {*X, *SHAPES} - {"shape"})):
        ranked = invoke("rank", path, "-m", "ReliefF", "--feature-groups", by, "--json")
        found = json.loads(ranked.stdout)
        assert {row["feature"] for row in found["features"]} == features
        assert found["n_features"] == len(features)
    named = ["--feature-groups", "colour=colour_b,colour_g,colour_k,colour_r"]
    kept = invoke("select", path, "-m", "ReliefF", "-n", "1", *named).stdout.split()
    assert kept == ["colour_b", "colour_g", "colour_k", "colour_r"]
    odd = invoke("rank", path, "--feature-groups", "suffix")
    assert odd.exit_code != 0
    assert "'suffix' is neither prefix, nor a file, nor NAME=COL,COL" in odd.stderr
