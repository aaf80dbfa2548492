import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.preprocessing import StandardScaler

from cases import CASES, gaussian, lopsided, small_tables, tied
from oracles.evaluation import (
    benjamini_hochberg,
    permutation_p_values,
    probe_p_values,
)
from settings_tools import changed_settings
from widemargin import LMBA, GFlip, IRelief, OReliefF, OSimba, Relief, ReliefF, Simba
from widemargin.baselines import (
    FCBF,
    MRMR,
    FeatureSimilarity,
    FisherScore,
    InformationGain,
    PearsonScore,
)
from widemargin.data.read import read_dataset
from widemargin.datasets import make_xor
from widemargin.engine import permuted
from widemargin.evaluation import _null_scores as null_scores
from widemargin.evaluation import _p_values as p_values
from widemargin.evaluation import significance
from widemargin.evaluation._null_scores import for_probes, source_of
from widemargin.evaluation._selectors import Call
from widemargin.threads import Workers

pytestmark = [
    pytest.mark.filterwarnings("ignore:ReliefF. n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:significance. .*too few:UserWarning"),
]

QUIET = Call("test", "permutations", 1, 0)
RELIEFS = [
    Relief(),
    Relief(squared=True, scale="standard"),
    Relief(n_samples=9, random_state=5),
    ReliefF(n_neighbors=1),
    ReliefF(n_neighbors=3, metric="manhattan"),
    ReliefF(scale=None),
    ReliefF(n_neighbors="log", n_samples=7, random_state=np.random.RandomState(2)),
    ReliefF(n_neighbors=100, n_samples=1000),
]
NAMES = [f"{type(s).__name__}-{i}" for i, s in enumerate(RELIEFS)]


def shuffled(n, count, seed=0):
    random = np.random.RandomState(seed)
    return [random.permutation(n) for _ in range(count)]


def relabelled(table, order):
    codes = np.empty_like(table.y)
    codes[table.rows] = table.y
    return codes[order][table.rows]


def compare_with_refits(selector, X, y, n_permutations=10, n_threads=2, orders=None):
    every = np.arange(X.shape[1])
    if orders is None:
        orders = shuffled(len(y), n_permutations)
    with Workers(n_threads) as workers:
        view = selector._view(read_dataset(X, y, "a test"))
        table = selector._table(view, workers)
        labels = np.array([relabelled(table, order) for order in orders])
        scores = selector._permuted_scores(table, labels, every, workers)
    refits = [clone(selector).fit(X, y[order]).scores_ for order in orders]
    np.testing.assert_allclose(scores, refits, rtol=0, atol=1e-12)
    return scores


@pytest.mark.filterwarnings("ignore:.*n_samples=:UserWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("selector", RELIEFS, ids=NAMES)
def test_one_search_gives_the_scores_of_refits(case, selector):
    compare_with_refits(selector, *case(np.random.default_rng(4)))


@given(small_tables())
def test_one_search_gives_the_scores_of_refits_on_any_small_table(table):
    X, y = table
    for selector in (Relief(), ReliefF(n_neighbors=2), ReliefF(metric="manhattan")):
        compare_with_refits(selector, X, y, 5)


@pytest.mark.parametrize("n_classes", [2, 3, 12])
@pytest.mark.parametrize("values", [2, 5, None])
def test_one_search_on_data_long_enough_to_walk_outwards(n_classes, values):
    """Neighbours from a prefix of the nearest rows, with and without many ties."""
    rng = np.random.default_rng(6)
    X = (
        rng.standard_normal((400, 6))
        if values is None
        else rng.integers(0, values, (400, 6))
    )
    y = rng.integers(0, n_classes, 400)
    y[:5] = n_classes  # and one rare class
    for selector in (Relief(), ReliefF(n_neighbors=4, metric="manhattan")):
        compare_with_refits(selector, X, y)


def test_a_prefix_that_is_too_short_is_noticed():
    """Classes far apart are what chance would hardly give: the nearest are all hits."""
    y = np.repeat([0, 1, 2], [150, 120, 100])
    X = np.random.default_rng(0).random((370, 4)) + 10 * y[:, None]
    y[[0, 150, 270]] = [1, 2, 0]  # one miss among them, where three are wanted
    orders = [np.arange(370), *shuffled(370, 2)]
    for selector in (Relief(), ReliefF(n_neighbors=3)):
        compare_with_refits(selector, X, y, orders=orders)


def test_neither_threads_nor_blocks_change_a_bit():
    X, y = tied(np.random.default_rng(1))
    scores = compare_with_refits(ReliefF(), X, y, n_threads=1)
    np.testing.assert_array_equal(compare_with_refits(ReliefF(), X, y), scores)
    with changed_settings(permutation_bytes=0, permutation_queries=3):
        np.testing.assert_array_equal(compare_with_refits(ReliefF(), X, y), scores)
        with changed_settings(permutation_features=2):
            tiles = compare_with_refits(ReliefF(), X, y)
    np.testing.assert_allclose(tiles, scores, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    "selector",
    [Relief(), ReliefF(n_neighbors=2), FisherScore(), Simba(n_starts=1)],
    ids=str,
)
@pytest.mark.parametrize("case", [gaussian, tied, lopsided])
def test_p_values_are_the_oracle(selector, case):
    X, y = case(np.random.default_rng(2))
    options = {"method": "permutation", "n_permutations": 19, "random_state": 3}
    found = significance(selector, X, y, **options)
    random = np.random.RandomState(3)
    if isinstance(selector, Simba):
        selector = Simba(n_starts=1, random_state=random.randint(2**31 - 1))
    if "random_state" in selector.get_params() and selector.random_state is None:
        random.randint(2**31 - 1)
    orders = [random.permutation(len(y)) for _ in range(19)]
    p = permutation_p_values(
        lambda X, y: clone(selector).fit(X, y)._statistic, X, y, orders
    )
    np.testing.assert_allclose(found.p_values, p, atol=1e-15)
    np.testing.assert_allclose(found.q_values, benjamini_hochberg(p), atol=1e-15)
    np.testing.assert_array_equal(found.scores, clone(selector).fit(X, y).scores_)


@pytest.mark.parametrize("selector", [ReliefF(random_state=0), FisherScore()], ids=str)
@pytest.mark.parametrize("case", [gaussian, tied])
def test_probes_are_the_oracle(selector, case):
    X, y = case(np.random.default_rng(2))
    found = significance(
        selector, X, y, method="probes", n_permutations=4, random_state=3
    )
    p = probe_p_values(
        lambda X, y: clone(selector).fit(X, y).scores_, X, y, shuffled(len(y), 4, 3)
    )
    np.testing.assert_allclose(found.p_values, p, atol=1e-15)
    np.testing.assert_allclose(found.q_values, benjamini_hochberg(p), atol=1e-15)


def noise_p_values(selector, seed, **options):
    """The p-value of one feature, which one in turn: independent from draw to draw."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((24, 3)), np.repeat([0, 1], [10, 14])
    found = significance(selector, X, y, random_state=seed, n_jobs=1, **options)
    return found.p_values[seed % 3]


@pytest.mark.simulated
@pytest.mark.parametrize("selector", [ReliefF(n_neighbors=3), FisherScore()], ids=str)
def test_p_values_of_noise_are_uniform(selector):
    """They are multiples of 1/20: spread over the step below, they are continuous."""
    B, draws = 19, 250
    options = {"n_permutations": B, "method": "permutation"}
    p = [noise_p_values(selector, seed, **options) for seed in range(draws)]
    spread = np.random.default_rng(0).random(draws) / (B + 1)
    assert kstest(np.array(p) - spread, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.035)


@pytest.mark.simulated
def test_p_values_of_probes_on_noise():
    """Uniform where features do not meet; conservative where probes disturb a score."""
    options = {"method": "probes", "n_permutations": 10}
    alone = [noise_p_values(FisherScore(), seed, **options) for seed in range(200)]
    assert kstest(alone, "uniform").statistic < 0.08
    selector = ReliefF(n_neighbors=3)
    together = [noise_p_values(selector, seed, **options) for seed in range(60)]
    for level in (0.05, 0.1, 0.2):
        assert np.mean(np.array(together) <= level) <= level


@pytest.mark.parametrize("method", ["auto", "pooled", "probes"])
def test_xor_marks_the_three_relevant_features_and_no_other(method):
    X, y = make_xor(random_state=0)
    found = significance(ReliefF(), X, y, method=method, random_state=0)
    assert found.significant().nonzero()[0].tolist() == [0, 1, 2]
    assert (found.q_values[:3] < 0.05).all()


def test_frames_names_and_lists():
    X, y = load_iris(return_X_y=True, as_frame=True)
    options = {"n_permutations": 20, "random_state": 0}
    found = significance(ReliefF(), X, y, **options)
    assert found.names.tolist() == list(X.columns)
    assert list(found.frame) == ["feature", "score", "p_value", "q_value"]
    assert found.frame["feature"].tolist() == list(X.columns)
    text = y.map(lambda c: f"class {c}").set_axis(range(500, 650))
    for other in (
        significance(ReliefF(), pl.from_pandas(X), y, **options),
        significance(ReliefF(), X, text, **options),
        significance(ReliefF(), X.to_numpy().tolist(), y.tolist(), **options),
    ):
        np.testing.assert_array_equal(other.p_values, found.p_values)
    assert other.names.tolist() == ["x0", "x1", "x2", "x3"]


def test_a_method_by_its_name():
    X, y = gaussian(np.random.default_rng(5))
    found = significance("ReliefF", X, y, n_permutations=9, random_state=0)
    expected = significance(ReliefF(), X, y, n_permutations=9, random_state=0)
    np.testing.assert_array_equal(found.p_values, expected.p_values)


def test_an_automatic_number_of_features_does_not_matter():
    X, y = gaussian(np.random.default_rng(5))
    for selector in (ReliefF, FisherScore):
        auto = selector(n_features_to_select="auto")
        found = significance(auto, X, y, n_permutations=9, random_state=0)
        assert auto.n_features_to_select == "auto"
        expected = significance(selector(), X, y, n_permutations=9, random_state=0)
        np.testing.assert_array_equal(found.p_values, expected.p_values)


def mixed(n=80):
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, n)
    X = pd.DataFrame(
        {
            "colour": np.where(
                rng.random(n) < 0.8, np.array(["red", "blue"])[y], "grey"
            ),
            "size": rng.standard_normal(n) + 2 * y,
            "shape": rng.choice(["round", "square", "long"], n),
            "weight": rng.standard_normal(n),
        }
    )
    X.loc[::11, "size"] = np.nan
    X.loc[::7, "shape"] = None
    return X, y


@pytest.mark.parametrize("method", ["permutation", "probes"])
def test_text_and_missing_values(method):
    """Differences of missing values depend on labels: each permutation is a refit."""
    X, y = mixed()
    options = {"n_permutations": 40, "random_state": 0}
    found = significance(ReliefF(), X, y, method=method, **options)
    assert found.names[found.significant()].tolist() == ["colour", "size"]
    if method == "permutation":
        random = np.random.RandomState(0)
        random.randint(2**31 - 1)
        orders = [random.permutation(len(y)) for _ in range(40)]
        p = permutation_p_values(
            lambda X, y: ReliefF().fit(X, np.array(y)).scores_, X, y, orders
        )
        np.testing.assert_allclose(found.p_values, p, atol=1e-15)


@pytest.mark.parametrize("nominal", [[2], [-2], ["x2"], [False, False, True, False]])
def test_nominal_features_have_nominal_probes(nominal):
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.integers(0, 3, (40, 4))).rename(columns="x{}".format)
    y = np.arange(40) % 2
    order = np.arange(len(y))[::-1]
    both = read_dataset(X, y, "a test").with_probes(np.arange(4), order)
    fitted = both.fit(ReliefF(categorical_features=nominal))
    table = np.hstack([X, X.iloc[order]])
    expected = ReliefF(categorical_features=[2, 6]).fit(table, y)
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)


def test_a_seed_fixes_everything_and_threads_change_nothing():
    X, y = gaussian(np.random.default_rng(5))
    for selector in (Simba(), ReliefF(n_samples=10), GFlip()):
        runs = [
            significance(
                selector, X, y, n_permutations=8, random_state=1, n_jobs=n_jobs
            )
            for n_jobs in (1, 3, None)
        ]
        for other in runs[1:]:
            np.testing.assert_array_equal(other.scores, runs[0].scores)
            np.testing.assert_array_equal(other.p_values, runs[0].p_values)


def test_selectors_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    found = significance(
        SelectKBest(f_classif, k=2), X, y, n_permutations=30, random_state=0
    )
    np.testing.assert_array_equal(found.scores, SelectKBest(k=2).fit(X, y).scores_)
    assert found.significant(0.1).all()


@pytest.mark.filterwarnings("ignore:Features .* are constant:UserWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_scores_of_scikit_learn_that_are_not_defined_are_never_significant():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.ones(len(y))])
    for method in ("permutation", "pooled"):
        found = significance(
            SelectKBest(f_classif, k=2), X, y, n_permutations=99, method=method
        )
        assert np.isnan(found.scores[4])
        assert found.p_values[4] == 1


def test_constant_features_are_never_significant():
    X, y = gaussian(np.random.default_rng(5))
    X[:, 3] = 1.0
    for method in ("permutation", "probes"):
        found = significance(
            ReliefF(), X, y, n_permutations=20, method=method, random_state=0
        )
        assert found.p_values[3] > 0.5


def test_probes_are_oriented_like_their_features():
    X, y = gaussian(np.random.default_rng(5))
    directions = np.array([1, -1, 1, 1, -1, 1, 1])
    more = for_probes(OReliefF(directions=directions), np.array([1, 2]))
    np.testing.assert_array_equal(more.directions, [*directions, -1, 1])
    significance(OReliefF(directions=directions), X, y, method="probes")


@pytest.mark.parametrize(
    ("method", "number", "message"),
    [
        ("permutation", 30, r"at least 26 of the 40 .* n_permutations=800 would do"),
        ("permutation", 10, r"no feature can have .* n_permutations=800 would do"),
        ("auto", 10, r"no feature can have .* n_permutations=20 would do"),
        ("probes", 10, r"rounds of probes.* n_permutations=21 would do"),
    ],
)
def test_too_few_permutations_are_said_before_the_work(method, number, message):
    X, y = make_xor(100, 40, random_state=0)

    class Untouched(ReliefF):
        def _score(self, *_):
            raise AssertionError("fitted before the warning")

    with (
        pytest.warns(UserWarning, match=message),
        pytest.raises(AssertionError, match="before the warning"),
    ):
        significance(Untouched(), X, y, method=method, n_permutations=number)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "bootstrap"},
            '"pooled" or "probes", got \'bootstrap\'',
        ),
        ({"n_permutations": 0}, "n_permutations to be an integer of at least 1, got 0"),
        ({"n_permutations": 2.5}, "integer of at least 1, got 2.5"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        significance(ReliefF(), X, y, **options)


def test_unsupervised_selectors_cannot_be_tested_by_their_labels():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="does not use labels"):
        significance(FeatureSimilarity(n_neighbors=1), X, y)
    with pytest.raises(TypeError, match="needs a selector that scores features"):
        significance(StandardScaler(), X, y)


def interrupted_at(call, method):
    """A selector whose fits are interrupted from so many on."""
    done = []

    class Interrupted(method):
        def _rank(self, table):
            done.append(1)
            if len(done) >= call:
                raise KeyboardInterrupt
            return super()._rank(table)

    return Interrupted()


@pytest.mark.parametrize("method", ["permutation", "pooled"])
@pytest.mark.parametrize("selector", [ReliefF, PearsonScore])
def test_an_interrupt_keeps_what_is_finished(selector, method, monkeypatch):
    X, y = load_iris(return_X_y=True)
    options = {"method": method, "random_state": 0, "n_jobs": 1}
    if selector is ReliefF:  # scored by one search, without refits
        calls, add = [], permuted._add

        def interrupt(*args):
            calls.append(1)
            if len(calls) >= 2:
                raise KeyboardInterrupt
            return add(*args)

        monkeypatch.setattr(permuted, "_add", interrupt)
        stopped, finished = ReliefF(), 40
    else:
        stopped, finished = (
            interrupted_at(27, PearsonScore),
            25,
        )
    said = rf"interrupted; .* from {finished} of \d+"
    with pytest.warns(UserWarning, match=said), changed_settings(max_permutations=40):
        found = significance(stopped, X, y, n_permutations=100, **options)
    assert not found.complete
    assert found.n_permutations == finished
    assert "interrupted" in repr(found)
    monkeypatch.undo()
    whole = significance(selector(), X, y, n_permutations=finished, **options)
    assert whole.complete
    np.testing.assert_array_equal(found.p_values, whole.p_values)


def test_an_interrupt_before_any_permutation_leaves_no_result():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(KeyboardInterrupt, match="before any of the permutations"):
        significance(interrupted_at(2, PearsonScore), X, y, n_jobs=1)
    with pytest.raises(KeyboardInterrupt, match="interrupted at the start"):
        significance(interrupted_at(1, PearsonScore), X, y, n_jobs=1)


def test_an_interrupt_of_probes_says_how_far_it_came():
    X, y = load_iris(return_X_y=True)
    stopped = interrupted_at(5, FisherScore)
    with pytest.raises(KeyboardInterrupt, match="interrupted after 3 of 40 rounds"):
        significance(stopped, X, y, method="probes", n_jobs=1)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("case", [gaussian, tied, lopsided])
def test_classes_explain_what_a_refit_of_fisher_score_says(case, scale):
    X, y = case(np.random.default_rng(5))
    X = np.column_stack([X, np.full(len(X), 3.0), 1e9 + X[:, 0], y])
    data, d = read_dataset(X, y, "test"), X.shape[1]
    source = source_of(FisherScore(scale=scale), data)
    orders = [np.random.default_rng(b).permutation(len(y)) for b in range(5)]
    found = np.empty((5, d))

    def keep(b, row):
        found[b] = row

    source.draw(orders, np.arange(d), QUIET, keep)
    for row, order in zip(found, orders, strict=True):
        scores = FisherScore(scale=scale).fit(X, y[order]).scores_
        np.testing.assert_allclose(row, scores / (1 + scores), rtol=1e-7, atol=1e-12)
    scores = source.scores
    np.testing.assert_allclose(source.observed, scores / (1 + scores), atol=1e-7)


def test_progress_is_shown_if_asked_for(capsys):
    X, y = load_iris(return_X_y=True)
    significance(FisherScore(), X, y, n_permutations=7)
    assert capsys.readouterr().err == ""
    significance(FisherScore(), X, y, n_permutations=7, verbose=1)
    assert "significance: 7 of 7" in capsys.readouterr().err


def plain_counts(scores, null):
    """Whole permutation p-values, feature by feature."""
    return (1 + (null >= scores).sum(axis=0)) / (1 + len(null))


def test_features_stop_at_the_end_of_a_stage_in_which_their_scores_are_reached():
    rng = np.random.default_rng(0)
    null, scores = rng.random((800, 6)), np.array([0.1, 0.5, 0.85, 0.93, 0.99, 2.0])
    counts = p_values.Counts(scores, 100)
    while counts.done < 800 and len(counts.going):
        stop = min(counts.stage, counts.done + 70)
        counts.add(null[counts.done : stop][:, counts.going])
    assert counts.drawn.tolist() == [100, 100, 200, 400, 800, 800]
    for f, tried in enumerate(counts.drawn):
        expected = plain_counts(scores, null[:tried])[f]
        assert counts.p_values[f] == expected


@pytest.mark.parametrize("t", [0.01, 0.02, 0.05, 0.1, 0.3])
def test_p_values_in_stages_are_valid(t):
    """Ranks of the first among exchangeable numbers, stopped early or not."""
    rng, draws = np.random.default_rng(1), 20_000
    values = rng.random((401, draws))
    counts = p_values.Counts(values[0], 50)
    while counts.done < 400 and len(counts.going):
        stop = min(counts.stage, 400)
        counts.add(values[1 + counts.done : 1 + stop, counts.going])
    share = np.mean(counts.p_values <= t)
    assert share <= t + 3 * np.sqrt(t / draws)
    assert share >= 0.9 * t - 0.0025  # a step of 1/401 may be missing


def test_pooled_p_values_are_valid_for_features_of_all_kinds():
    """Skewed, heavy-tailed, two-valued and normal null scores in one table."""
    rng, B, d, tables = np.random.default_rng(2), 199, 80, 150
    kinds = np.arange(d) % 4
    p = np.empty((tables, d))
    for t in range(tables):
        values = rng.standard_normal((B + 1, d))
        values[:, kinds == 1] = rng.exponential(size=(B + 1, d // 4)) * 100
        values[:, kinds == 2] = rng.standard_t(3, (B + 1, d // 4)) - 50
        values[:, kinds == 3] = rng.poisson(2, (B + 1, d // 4))
        p[t] = p_values.pooled_p_values(values[0], values[1:])
    for level in (0.001, 0.005, 0.02, 0.05, 0.2):
        for kind in range(4):
            share = np.mean(p[:, kinds == kind] <= level)
            spread = 3 * np.sqrt(level / p[:, kinds == kind].size)
            assert share <= 1.35 * level + spread, (level, kind)
        assert np.mean(p <= level) <= level + 3 * np.sqrt(level / p.size)


def test_pooling_finds_one_feature_among_many_with_few_permutations():
    rng = np.random.default_rng(3)
    values = rng.standard_normal((100, 2000)) * rng.uniform(1, 9, 2000)
    values[0, 7] += 9 * np.std(values[:, 7])
    p = p_values.pooled_p_values(values[0], values[1:])
    assert np.argmin(p) == 7
    assert p[7] * 2000 < 0.05
    assert plain_counts(values[0], values[1:])[7] * 2000 > 0.05


@pytest.mark.simulated
@pytest.mark.parametrize(
    "selector",
    [Simba(n_starts=1), OSimba(n_starts=1), LMBA(), MRMR(), FCBF(), IRelief()],
    ids=lambda s: type(s).__name__,
)
def test_methods_with_relative_scores_find_features_far_apart(selector):
    rng = np.random.default_rng(4)
    y = np.arange(120) % 2
    X = rng.standard_normal((120, 40))
    X[:, :5] += 1.8 * y[:, None]
    found = significance(selector, X, y, n_permutations=49, random_state=0)
    assert found.method == "pooled"
    assert found.significant()[:5].sum() >= 4
    assert found.significant()[5:].sum() <= 1


@pytest.mark.simulated
def test_the_default_finds_few_of_many_features():
    rng = np.random.default_rng(5)
    y = np.arange(200) % 2
    X = rng.standard_normal((200, 100))
    X[:, :5] += 1.2 * y[:, None]
    found = significance(ReliefF(), X, y, random_state=0)
    assert (found.method, found.n_permutations) == ("permutation", 2000)
    assert found.significant()[:5].sum() >= 4
    assert found.significant()[5:].sum() <= 1
    assert "for features that may be significant" in found.how


def test_scores_of_some_features_are_those_of_all():
    X, y = gaussian(np.random.default_rng(6))
    orders, some = shuffled(len(y), 5), np.array([1, 4, 5])
    for selector in (
        ReliefF(),
        FisherScore(),
        PearsonScore(),
        InformationGain(),
        FCBF(),
    ):
        source = null_scores.source_of(selector, read_dataset(X, y, "a test"))
        rows = {}
        for features in (np.arange(X.shape[1]), some):
            found = np.empty((5, len(features)))
            source.draw(orders, features, QUIET, found.__setitem__)
            rows[len(features)] = found
        np.testing.assert_allclose(rows[3], rows[X.shape[1]][:, some], atol=1e-13)


def test_a_wide_table_is_pooled_and_a_narrow_one_is_not():
    rng = np.random.default_rng(7)
    y = np.arange(60) % 2
    ways = {
        d: null_scores.plan(
            ReliefF(), read_dataset(rng.random((60, d)), y, "a test"), "auto", None
        )
        for d in (10, 1000, 20_000)
    }
    assert [w.method for w in ways.values()] == ["permutation", "permutation", "pooled"]
    assert [w.n_permutations for w in ways.values()] == [1000, 20_000, 166]
