"""Sparse X: the same scores as dense, without making it dense."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import widemargin
from widemargin import (
    FRLL,
    SURF,
    AutoSelector,
    KernelRFE,
    MultiSURF,
    MultiSURFStar,
    Relief,
    ReliefF,
    RReliefF,
    Simba,
    SURFStar,
    baselines,
)
from widemargin.baselines import (
    FCBF,
    MRMR,
    FisherScore,
    InformationGain,
    PearsonScore,
)
from widemargin.data.refuse import SPARSE
from widemargin.evaluation import (
    compare,
    default_selectors,
    profile,
    redundancy,
    relevance,
    selection_curve,
    signal,
)
from widemargin.judging.folds import plain_folds, row_keys
from widemargin.judging.nearest import NearestMean, NearestNeighbor
from widemargin.reporting import report

SCALES = ("minmax", "maxabs", "standard", "rank", None)
METHODS = [
    Relief(),
    Relief(squared=True, history="step", random_state=0),
    ReliefF(3),
    ReliefF(n_neighbors=5, metric="manhattan"),
    ReliefF(weights="rank", n_samples=12, random_state=0),
    ReliefF(n_samples="auto", random_state=0),
    FRLL(),
    FRLL(neighbors="global", criterion="difference"),
    SURF(),
    SURF(metric="euclidean"),
    SURFStar(),
    MultiSURF(),
    MultiSURF(metric="euclidean"),
    MultiSURFStar(task="regression"),
    FisherScore(),
    PearsonScore(),
    KernelRFE(),
    KernelRFE(task="regression", max_rows=20, random_state=0),
    MRMR(6),
    MRMR(6, bins="quantile", criterion="miq"),
    MRMR(6, bins="mdl"),
    InformationGain(bins="equal-width"),
    FCBF(),
]
each = pytest.mark.parametrize(
    "selector", METHODS, ids=lambda s: " ".join(repr(s).split())
)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def table(seed, n, d, density):
    """Numbers, counts, a feature far from 0, copies, and empty rows and columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < density)
    X[:, ::3] = np.rint(3 * np.abs(X[:, ::3]))
    X[0], X[:, 1] = 0, 0
    X[:, 2] = 1e5 + rng.standard_normal(n)
    X[:, 4] = X[:, 3]
    return X, np.arange(n) % 3, X @ rng.standard_normal(d) + rng.standard_normal(n)


def same_but_for_ties(sparse, dense, X):
    """The same scores, and a ranking that orders these scores, constants last."""
    unit = np.abs(dense.scores_).max()
    np.testing.assert_allclose(sparse.scores_, dense.scores_, 1e-9, 1e-9 * unit)
    order = np.argsort(sparse.ranking_)
    varying = order[np.ptp(X[:, order], axis=0) > 0]
    np.testing.assert_array_equal(order[: len(varying)], varying)
    assert (np.diff(dense.scores_[varying]) <= 1e-9 * unit).all()


def fitted_both_ways(selector, form, X, y):
    return clone(selector).fit(form(X), y), clone(selector).fit(X, y)


@each
@given(
    seed=st.integers(0, 10**6),
    shape=st.tuples(st.integers(8, 60), st.integers(5, 40)),
    density=st.sampled_from([0.02, 0.1, 0.5, 1.0]),
    scale=st.sampled_from(SCALES),
)
def test_scores_are_those_of_the_dense_table(selector, seed, shape, density, scale):
    X, classes, numbers = table(seed, *shape, density)
    selector = clone(selector).set_params(scale=scale)
    y = numbers if selector._numeric_target else classes
    form = [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.coo_array][seed % 4]
    same_but_for_ties(*fitted_both_ways(selector, form, X, y), X)


@each
def test_the_same_features_are_selected_of_a_wider_table(selector):
    X, y = make_classification(300, 80, n_informative=8, random_state=0)
    X *= np.random.default_rng(0).random(X.shape) < 0.2
    y = X @ np.arange(80) if selector._numeric_target else y
    sparse, dense = fitted_both_ways(selector, sp.csr_array, X, y)
    same_but_for_ties(sparse, dense, X)
    np.testing.assert_array_equal(sparse.support_, dense.support_)


def odd(X, y):
    """Ways to store the same table that are allowed, but not usual."""
    whole = sp.csr_array((np.ones(X.size), np.indices(X.shape).reshape(2, -1)), X.shape)
    whole.data[:] = X.ravel()
    yield whole  # explicit zeros
    coo = sp.coo_array(X)
    twice = sp.coo_array(
        (np.tile(coo.data / 2, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))), X.shape
    )
    yield twice  # duplicates
    turned = sp.csr_array(X)
    for i in range(len(X)):
        part = slice(*turned.indptr[i : i + 2])
        turned.indices[part] = turned.indices[part][::-1]
        turned.data[part] = turned.data[part][::-1]
    turned.has_sorted_indices = False
    yield turned
    long = sp.csr_array(X)
    long.indptr, long.indices = (
        a.astype(np.int64) for a in (long.indptr, long.indices)
    )
    yield long
    yield sp.lil_array(X)
    yield sp.csc_array(X)


@pytest.mark.parametrize("selector", [ReliefF(), KernelRFE(), FisherScore()])
def test_how_cells_are_stored_makes_no_difference(selector):
    X, y, _ = table(0, 30, 12, 0.3)
    X = np.rint(4 * X)  # halves of it are exact
    usual = clone(selector).fit(sp.csr_array(X), y)
    for form in odd(X, y):
        before = form.copy()
        scores = clone(selector).fit(form, y).scores_
        np.testing.assert_allclose(scores, usual.scores_, 1e-12, 1e-12)
        assert form.nnz == before.nnz
        assert (form != before).nnz == 0
    for dtype in (np.float32, np.int16, np.int64, np.uint8):
        part = np.abs(X[:, 3:]).astype(dtype)
        scores = clone(selector).fit(sp.csr_array(part), y).scores_
        expected = clone(selector).fit(part.astype(float), y).scores_
        np.testing.assert_allclose(scores, expected, 1e-9, 1e-12)
    flags = X != 0
    scores = clone(selector).fit(sp.csr_array(flags), y).scores_
    expected = clone(selector).fit(flags.astype(float), y).scores_
    np.testing.assert_allclose(scores, expected, 1e-9, 1e-12)


def test_the_order_of_rows_makes_no_difference_where_rows_tie():
    rng = np.random.default_rng(0)
    X = sp.csr_array((rng.random((80, 30)) < 0.1).astype(float))
    y = rng.integers(0, 2, 80)
    scores, order = ReliefF().fit(X, y).scores_, rng.permutation(80)
    again = ReliefF(n_jobs=2).fit(X[order], y[order]).scores_
    np.testing.assert_allclose(again, scores, 1e-12, 1e-13)


def test_near_duplicates_are_told_apart_as_in_the_dense_table():
    rng = np.random.default_rng(0)
    base = 1e3 * rng.random((1, 20))
    X = np.repeat(base, 40, axis=0) + 1e-6 * rng.standard_normal((40, 20))
    X[:, ::2] *= rng.random((40, 10)) < 0.9
    y = rng.integers(0, 2, 40)
    for selector in (ReliefF(3, scale=None), MultiSURF(scale=None, metric="euclidean")):
        same_but_for_ties(*fitted_both_ways(selector, sp.csr_array, X, y), X)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_refused(bad):
    X = sp.csr_array(np.eye(6))
    X.data[2] = bad
    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        ReliefF().fit(X, [0, 1] * 3)


def test_nominal_columns_of_sparse_tables_are_refused():
    with pytest.raises(ValueError, match=r"columns of a sparse X.*One-hot encode"):
        ReliefF(categorical_features=[0]).fit(sp.csr_array(np.eye(6)), [0, 1] * 3)


def test_methods_that_need_dense_tables_name_those_that_do_not():
    X = sp.csr_array(np.eye(6))
    for selector in (Simba(), RReliefF(), baselines.TraceRatio()):
        with pytest.raises(TypeError, match=r"needs dense .*Use one of .*ReliefF"):
            selector.fit(X, [0.0, 1.0] * 3)
    homes = (widemargin, baselines)
    every = {n: getattr(home, n) for home in homes for n in dir(home)}
    takes = {n for n, c in every.items() if getattr(c, "_sparse", False)}
    assert takes == set(SPARSE)


def test_frames_of_sparse_columns():
    X, y, _ = table(0, 30, 12, 0.3)
    frame = pd.DataFrame.sparse.from_spmatrix(
        sp.csr_matrix(X), columns=list("abcdefghijkl")
    )
    sparse, dense = ReliefF(3).fit(frame, y), ReliefF(3).fit(X, y)
    same_but_for_ties(sparse, dense, X)
    names = np.array(list("abcdefghijkl"))[dense.support_]
    np.testing.assert_array_equal(sparse.get_feature_names_out(), names)
    np.testing.assert_array_equal(
        sparse.transform(frame).toarray(), X[:, dense.support_]
    )
    with pytest.raises(ValueError, match=r"X\.sparse\.to_dense\(\)"):
        Simba().fit(frame, y)


def test_every_selector_transforms_sparse_tables():
    X, y, numbers = table(0, 30, 12, 0.5)
    for selector in (Simba(4), ReliefF(4), RReliefF(4), FisherScore(4)):
        target = numbers if selector._numeric_target else y
        selector.fit(X, target)
        for form in (sp.csr_matrix, sp.csc_array):
            part = selector.transform(form(X))
            assert sp.issparse(part)
            np.testing.assert_array_equal(part.toarray(), X[:, selector.support_])
            back = selector.inverse_transform(part)
            assert sp.issparse(back)
            np.testing.assert_array_equal(back.toarray(), X * selector.support_)
        with pytest.raises(ValueError, match=r"[Ss]parse|pandas"):
            selector.set_output(transform="pandas").transform(sp.csr_array(X))


TEXTS = ["good food", "good service", "bad food", "bad table"] * 10
TASTES = [1, 1, 0, 0] * 10


@pytest.mark.parametrize("words", [TfidfVectorizer(), CountVectorizer(binary=True)])
def test_texts_in_a_pipeline(words):
    chain = make_pipeline(words, ReliefF(2)).fit(TEXTS, TASTES)
    kept = chain[:-1].get_feature_names_out()[chain[-1].support_]
    assert set(kept) == {"good", "bad"}
    assert chain.transform(TEXTS).shape == (40, 2)


def test_one_hot_encoded_columns_in_a_pipeline():
    values = np.array([text.split() for text in TEXTS])
    chain = make_pipeline(OneHotEncoder(), KernelRFE(2)).fit(values, TASTES)
    assert set(chain[-1].get_support(indices=True)) == {0, 1}


@pytest.mark.parametrize(
    "selector", [ReliefF(10), KernelRFE(10, max_rows=200, random_state=0), FRLL(10)]
)
def test_a_million_columns_take_little_memory(selector):
    rng = np.random.default_rng(0)
    n, d = 400, 10**6
    X = sp.random_array((n, d), density=2e-5, random_state=rng, format="csr")
    y = np.arange(n) % 2
    tells = sp.csr_array((rng.random((n, 1)) + 1) * y[:, None])
    X = sp.hstack([X[:, :7], tells, X[:, 8:]]).tocsr()
    clone(selector).fit(X[:, :100], y)  # what is compiled takes memory, too
    tracemalloc.start()
    try:
        selector.fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 8 * n * d / 10
    finally:
        tracemalloc.stop()
    assert selector.ranking_[7] == 1


def test_kernel_rfe_holds_one_matrix_of_its_rows_and_one_copy_of_the_cells():
    rng = np.random.default_rng(0)
    X = sp.random_array((900, 2000), density=0.02, random_state=rng, format="csr")
    y = np.arange(900) % 2
    selector = KernelRFE(10, max_rows=600, n_jobs=1, random_state=0)
    clone(selector).fit(X[:, :100], y)
    tracemalloc.start()
    try:
        selector.fit(X, y)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    cells = X.data.nbytes + X.indices.nbytes
    assert most < 1.5 * 8 * 600**2 + 3 * cells


JUDGED = [
    ReliefF("auto"),
    ReliefF("auto", redundancy="auto", scale="standard"),
    KernelRFE("auto", redundancy=0.7),
    MultiSURF("auto", task="regression"),
    FisherScore(5, redundancy=0.9, scale="maxabs"),
]


@pytest.mark.parametrize("selector", JUDGED, ids=repr)
def test_sizes_and_near_copies_are_those_of_the_dense_table(selector):
    X, y = make_classification(150, 30, n_informative=6, random_state=1)
    X *= np.random.default_rng(0).random(X.shape) < 0.4
    X[:, 7] = 2 * X[:, 6]
    y = X @ np.arange(30) if selector._numeric_target else y
    sparse, dense = fitted_both_ways(selector, sp.csr_array, X, y)
    np.testing.assert_array_equal(sparse.ranking_, dense.ranking_)
    np.testing.assert_array_equal(sparse.support_, dense.support_)
    np.testing.assert_array_equal(sparse.redundant_with_, dense.redundant_with_)
    if selector.n_features_to_select == "auto":
        np.testing.assert_allclose(sparse.prefix_scores_, dense.prefix_scores_)


@pytest.mark.parametrize("numeric", [False, True])
def test_sparse_distances_judge_as_dense_features_do(numeric, monkeypatch):
    X, y, numbers = table(0, 90, 20, 0.3)
    target = numbers if numeric else y
    judge = (NearestMean if numeric else NearestNeighbor)(None)
    order, sizes = np.arange(20)[::-1], np.array([1, 5, 12, 20])
    dense = judge.fit(X[:60], target[:60]).predicted(X[60:], order, sizes)
    for most_dense in (0, 5, 100):
        monkeypatch.setattr("widemargin.judging.nearest.MOST_DENSE", most_dense)
        rows = sp.csr_array(X)
        found = judge.fit(rows[:60], target[:60]).predicted(rows[60:], order, sizes)
        np.testing.assert_allclose(found, dense)


def test_folds_are_those_of_the_dense_table():
    X, y, numbers = table(3, 200, 40, 0.05)
    X[5] = X[6]
    for nothing in (np.zeros((0, 40)), -X):
        rows = np.vstack([X, nothing])
        codes = np.resize(y, len(rows))
        keys = row_keys(rows, codes)
        np.testing.assert_array_equal(row_keys(sp.csr_array(rows), codes), keys)
    folds = plain_folds(sp.csr_array(X), numbers, 5)
    for ours, theirs in zip(folds, plain_folds(X, numbers, 5), strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])


@pytest.mark.parametrize(
    "arguments",
    [{}, {"methods": "ReliefF"}, {"estimator": "logistic", "redundancy": None}],
    ids=repr,
)
def test_the_answer_is_that_of_the_dense_table(arguments):
    X, y = make_classification(200, 40, n_informative=6, random_state=2)
    X *= np.random.default_rng(0).random(X.shape) < 0.4
    auto = AutoSelector(random_state=0, **arguments)
    sparse, dense = fitted_both_ways(auto, sp.csr_array, X, y)
    np.testing.assert_array_equal(sparse.ranking_, dense.ranking_)
    np.testing.assert_array_equal(sparse.support_, dense.support_)
    assert sparse.signal_ == dense.signal_
    if "estimator" not in arguments:  # which scales otherwise
        assert sparse.score_ == pytest.approx(dense.score_)
        assert sparse.score_all_ == pytest.approx(dense.score_all_)
    p_values = sparse.relevance_.p_values
    np.testing.assert_allclose(p_values, dense.relevance_.p_values, 1e-6)
    for column in ("feature", "verdict", "direction"):
        assert sparse.features_[column].tolist() == dense.features_[column].tolist()


def test_the_answer_for_numbers_and_for_columns_that_are_copies_of_the_target():
    X, _, numbers = table(0, 120, 30, 0.4)
    auto = AutoSelector(random_state=0)
    sparse, dense = fitted_both_ways(auto, sp.csc_array, X, numbers)
    np.testing.assert_array_equal(sparse.support_, dense.support_)
    classes = np.arange(120) % 2
    X[:, 9] = 3 * classes
    with pytest.warns(UserWarning, match="'x9' separates the classes perfectly"):
        leak = AutoSelector(random_state=0).fit(sp.csr_array(X), classes)
    assert leak.without_leaks_ is not None


def test_the_answer_for_a_wide_table():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = sp.random_array((200, 4000), density=2e-3, random_state=rng, format="csr")
    tells = sp.csr_array(1.0 * (rng.random((200, 4)) < 0.2 + 0.5 * y[:, None]))
    auto = AutoSelector("FisherScore", random_state=0).fit(sp.hstack([X, tells]), y)
    assert auto.signal_
    assert set(auto.get_support(indices=True)) <= {4000, 4001, 4002, 4003}
    assert auto.relevance_.significant()[4000:].all()
    with pytest.raises(TypeError, match=r"needs dense features.*Use one of"):
        AutoSelector(methods=["ReliefF", "Simba"]).fit(X, y)
    with pytest.raises(TypeError, match=r"Simba needs dense features.*Use one of"):
        compare(X, y, ["ReliefF", "Simba"])


def test_a_comparison_and_its_report_are_those_of_the_dense_table():
    X, y = make_classification(150, 30, n_informative=5, n_classes=3, random_state=2)
    X *= np.random.default_rng(0).random(X.shape) < 0.4
    X[:, 9] = 2 * X[:, 3]
    methods = ["KernelRFE", "ReliefF"]
    dense, sparse = (
        compare(Z, y, methods, random_state=0, n_jobs=1) for Z in (X, sp.csr_array(X))
    )
    assert sparse.answer == dense.answer.split(" work together")[0]
    assert "Pairs were not tested: X is sparse." in sparse.notes
    for label, own in dense.alone.items():
        np.testing.assert_array_equal(sparse.alone[label].ranking, own.ranking)
        np.testing.assert_allclose(sparse.alone[label].fold_scores, own.fold_scores)
    np.testing.assert_array_equal(sparse.hard_rows.rows, dense.hard_rows.rows)
    np.testing.assert_allclose(sparse.hard_rows.margins, dense.hard_rows.margins)
    np.testing.assert_allclose(sparse.agreement.overlap, dense.agreement.overlap)
    assert sparse.redundancy.groups == dense.redundancy.groups == [[3, 9]]
    assert sparse.chance == dense.chance
    ours, theirs = (report(found).data for found in (sparse, dense))
    assert ours["columns"] == theirs["columns"]
    assert ours["distributions"] == theirs["distributions"]
    for name in ("q_value", "frequency"):
        np.testing.assert_allclose(ours["verdicts"][name], theirs["verdicts"][name])
    assert ours["verdicts"]["verdict"] == theirs["verdicts"]["verdict"]


def test_default_methods_for_sparse_tables_take_them():
    X, y, numbers = table(0, 120, 30, 0.3)
    for target in (y, numbers):
        found = default_selectors(sp.csr_array(X), target, random_state=0)
        assert next(iter(found)) == "KernelRFE"
        assert {*found} <= {*SPARSE}
        assert len(found) > 1


def test_evaluation_takes_sparse_tables_as_dense_ones():
    X, y, _ = table(1, 120, 30, 0.3)
    sparse = sp.csr_array(X)
    for call in (
        lambda X: relevance(X, y, random_state=0, n_jobs=1).p_values,
        lambda X: signal(X, y, random_state=0, n_jobs=1).p_value,
        lambda X: selection_curve("ReliefF", X, y, random_state=0).frame["score"],
        lambda X: redundancy(X, y, threshold=0.1, scores=np.arange(30)).similarities,
        lambda X: profile(X, y).distinct,
    ):
        np.testing.assert_allclose(call(sparse), call(X), 1e-6)


@pytest.mark.parametrize(
    "selector", [ReliefF(scale="standard"), MultiSURF(), KernelRFE(), FisherScore()]
)
def test_weights_of_rows_count_as_in_the_dense_table(selector):
    X, y, _ = table(0, 60, 20, 0.3)
    weights = np.arange(60) % 4 / 2.0  # some rows are not there
    pair = (
        clone(selector).fit(form(X), y, sample_weight=weights)
        for form in (sp.csr_array, np.asarray)
    )
    same_but_for_ties(*pair, X)
