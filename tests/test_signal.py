import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chi2_contingency, f_oneway
from sklearn.datasets import load_wine

from oracles.evaluation import weighted_smallest_p
from settings_tools import changed_settings, effort_settings
from widemargin.data.covariates import shuffled
from widemargin.data.read import read_dataset
from widemargin.datasets import make_xor
from widemargin.evaluation import _signal_statistics as signal_statistics
from widemargin.evaluation import signal
from widemargin.evaluation._signal import WEIGHTS, _combined, signal_test
from widemargin.evaluation._signal_groups import Part, _drawn, _strata
from widemargin.threads import Workers


def noise(seed, n=60, d=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:, ::3] = rng.random((n, len(range(0, d, 3)))) < 0.15
    X[:, 1::3] = rng.standard_t(2, (n, len(range(1, d, 3))))
    return X, (rng.random(n) < 0.3).astype(int)


def shifted(shift, n=100, d=20, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, 0] += shift * y
    return X, y


@pytest.mark.simulated
def test_noise_is_called_signal_as_rarely_as_the_level_says():
    found = [
        signal(*noise(seed), n_permutations=99, random_state=seed, n_jobs=1)
        for seed in range(120)
    ]
    p = np.array([f.p_value for f in found])
    # Three standard errors of a share of 120.
    for level in (0.05, 0.2, 0.5):
        assert np.mean(p <= level) <= level + 3 * np.sqrt(level * (1 - level) / 120)
    assert np.mean(p <= 0.5) > 0.3  # and it is no more cautious than that
    assert [bool(f) for f in found] == (p <= 0.05).tolist()


@pytest.mark.parametrize("what", ["shift", "xor", "nominal", "missing"])
def test_a_signal_is_found(what):
    X, y = shifted(1.5)
    if what == "xor":
        X, y = make_xor(400, 20, random_state=0)
    if what == "nominal":
        names = np.where(X[:, 0] > 0.75, "high", "low")
        X = pd.DataFrame({"level": names, "noise": X[:, 1]})
    if what == "missing":
        X[::5, 0] = np.nan
    found = signal(X, y, n_permutations=199, random_state=0)
    assert found
    assert found.found
    assert found.p_value <= 0.05
    assert "There is a signal" in found.sentence
    if what == "xor":
        assert "among neighbours" in found.statistic


def test_no_signal_says_so():
    X, y = shifted(0.0)
    found = signal(X, y, n_permutations=99, random_state=0)
    assert not found
    assert "No signal was found" in found.sentence
    assert "at the level 0.05" in found.sentence
    assert repr(found).startswith("Signal(none, p = 0.")


def test_frames_and_arrays_give_the_same():
    X, y = shifted(0.5)
    frame = pd.DataFrame(X).rename(columns="x{}".format)
    options = {"n_permutations": 49, "random_state": 1}
    whole = signal(X, y, **options)
    for other in (frame, pl.from_pandas(frame), X.tolist()):
        assert signal(other, y, **options).p_values == whole.p_values
    text = np.where(y, "b", "a")
    assert signal(X, text, **options).p_values == whole.p_values
    assert signal(X, y, n_jobs=1, **options).p_values == whole.p_values


def test_units_and_order_of_the_columns_do_not_matter():
    X, y = shifted(0.5)
    options = {"n_permutations": 49, "random_state": 1}
    other = signal(X[:, ::-1] * np.geomspace(1e-9, 1e9, 20) + 5, y, **options)
    assert other.p_value == signal(X, y, **options).p_value


def features(X):
    return signal_statistics.standardised(
        read_dataset(X, None, "test", labels=False).apart()
    )


def labels_of(y):
    return signal_statistics.standardised_labels(np.eye(y.max() + 1)[y])


def explained(Z, y):
    """Fractions of variance between classes."""
    return ((labels_of(y).T @ Z) ** 2).sum(axis=0)


def test_the_share_between_classes_is_that_of_the_f_test():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 4)), rng.integers(0, 3, 60)
    between = explained(features(X).Z, y)
    F = between / (1 - between) * (60 - 3) / (3 - 1)
    expected = [f_oneway(*(x[y == c] for c in range(3))).statistic for x in X.T]
    np.testing.assert_allclose(F, expected)


def test_the_share_of_a_nominal_feature_is_chi_squared():
    rng = np.random.default_rng(0)
    colour, y = rng.choice(["r", "g", "b", "k"], 90), rng.integers(0, 3, 90)
    made = features(pd.DataFrame({"colour": colour}))
    assert made.degrees.tolist() == [3]
    between = explained(made.Z, y).sum()
    table = pd.crosstab(colour, y)
    assert 90 * between == pytest.approx(
        chi2_contingency(table, correction=False).statistic
    )


def test_neighbours_by_the_definition():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 3)), np.repeat([0, 1], [20, 10])
    made = features(X)
    shares = []
    for i in range(30):
        order = np.argsort(np.linalg.norm(made.Z - made.Z[i], axis=1))
        near = [j for j in order if j != i][:5]
        shares.append(np.mean(y[near] == y[i]))
    shares = np.array(shares)
    expected = (shares[:20].mean() + shares[20:].mean()) / 2
    near = signal_statistics.nearest_rows(made)
    found = signal_statistics.neighbors_agree(near, labels_of(y), np.arange(30)[None])
    assert found[0] / 2 == pytest.approx(expected)


@pytest.mark.parametrize("numeric", [False, True])
def test_features_that_differ_where_labels_do_by_the_definition(numeric):
    rng = np.random.default_rng(4)
    made, n = features(rng.standard_normal((40, 6))), 40
    y = rng.standard_normal(n) if numeric else rng.integers(0, 3, n)
    Y = y[:, None] if numeric else labels_of(y)
    orders = np.array([np.arange(n), *(rng.permutation(n) for _ in range(70))])
    near = signal_statistics.nearest_rows(made)
    scores = np.zeros((len(orders), 6))
    for b, order in enumerate(orders):
        for i in range(n):
            apart = [np.sum((Y[order[i]] - Y[order[j]]) ** 2) for j in near[i]]
            for j, a in zip(near[i], apart, strict=True):
                scores[b] += (a - np.mean(apart)) * np.abs(made.Z[i] - made.Z[j])
    z = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    with Workers(2) as workers:
        found = signal_statistics.interactions(made.Z, near, Y, orders, workers)
        with changed_settings(product_cells=2 * near.size):
            tiles = signal_statistics.interactions(made.Z, near, Y, orders, workers)
    np.testing.assert_allclose(found, [z.max(axis=1), z.sum(axis=1)])
    np.testing.assert_allclose(tiles, found)


def test_the_features_of_a_wide_table_are_cut_into_tiles():
    rng = np.random.default_rng(2)
    made, Y = features(rng.standard_normal((40, 33))), labels_of(np.arange(40) % 2)
    orders = np.array([rng.permutation(40) for _ in range(7)])
    whole = signal_statistics.single_features(made, Y, orders)
    with changed_settings(product_cells=7 * 2 * 4):
        tiles = signal_statistics.single_features(made, Y, orders)
    np.testing.assert_allclose(tiles, whole)


def test_many_rows_and_columns_are_sampled():
    X, y = make_xor(500, 30, random_state=0)
    made, rng = features(X[:150]), np.random.default_rng(0)
    orders = np.array([rng.permutation(150) for _ in range(10)])
    sums = 99 * 200 * 20 * 25
    few = effort_settings(min_signal_rows=20, max_signal_rows=200, signal_sums=sums)
    with few, Workers(1) as workers:
        assert signal_statistics.rows_for_pairs(500, 30, 99) < 200
        near = signal_statistics.nearest_rows(made)
        assert signal_statistics.interactions(
            made.Z, near, labels_of(y[:150].astype(int)), orders, workers
        ).shape == (2, 10)
        found = signal(X, y, n_permutations=99, random_state=0)
    assert 0 < found.p_value <= 1


def test_the_smallest_p_value_is_held_against_itself():
    rng = np.random.default_rng(3)
    found = rng.integers(0, 30, (len(WEIGHTS), 50)).astype(float)
    expected = weighted_smallest_p(found, list(WEIGHTS.values()))
    assert _combined(found, 0.05, list(WEIGHTS), 49).p_value == pytest.approx(expected)


def test_labels_are_exchanged_within_strata():
    strata = np.array([2, 0, 2, 0, 2, 1])
    random = np.random.RandomState(0)
    seen = {tuple(shuffled(strata, len(strata), random)) for _ in range(200)}
    assert len(seen) == 12
    for labels in seen:
        assert {labels[1], labels[3]} == {1, 3}
        assert labels[5] == 5


def persons(seed, of_one_label, n_persons=24, rows=6):
    """Features that tell persons apart, and labels that mean nothing."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_persons), rows)
    X = rng.standard_normal((n_persons, 8))[who]
    X += 0.3 * rng.standard_normal(X.shape)
    if of_one_label:
        return X, (rng.permutation(n_persons) % 2)[who], who
    share = rng.uniform(0.1, 0.9, n_persons)
    return X, (rng.random(len(who)) < share[who]).astype(int), who


@pytest.mark.simulated
@pytest.mark.parametrize("of_one_label", [True, False])
def test_rows_of_one_group_are_no_evidence(of_one_label):
    """Without groups, telling persons apart passes for a signal."""
    with_groups, without = [], []
    for seed in range(40):
        X, y, who = persons(seed, of_one_label)
        options = {"n_permutations": 39, "random_state": seed, "n_jobs": 1}
        with_groups.append(signal(X, y, groups=who, **options).found)
        without.append(signal(X, y, **options).found)
    assert np.mean(with_groups) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)
    assert np.mean(without) > 0.25


def test_what_is_done_with_groups_is_said():
    X, y, who = persons(0, True)
    found = signal(X, y, groups=who, n_permutations=19)
    assert "Each of the 24 groups counts as one row" in found.sentence
    X, y, who = persons(0, False)
    found = signal(X, y, groups=who, n_permutations=19)
    assert "also permuted within the 22 groups that have several" in found.sentence
    assert found.n_permutations == 39  # half of the level is to be reached
    assert len(found.p_values) == 2 * len(WEIGHTS)
    balanced = np.tile([0, 0, 0, 1, 1, 1], 24)
    found = signal(X, balanced, groups=who, n_permutations=19)
    assert "within groups, which hardly differ" in found.sentence
    assert len(found.p_values) == len(WEIGHTS)


def test_groups_of_several_labels_do_not_hide_what_others_show():
    """One mixed group sent the whole table to permutations within groups."""
    X, y = load_wine(return_X_y=True)
    thirds = np.arange(len(y)) // 3
    assert sum(len(set(y[thirds == g])) > 1 for g in range(60)) == 2
    found = signal(X, y, groups=thirds, n_permutations=199, random_state=0)
    assert found.p_value <= 0.01
    assert "The 6 rows in groups of several labels are too few" in found.note


@pytest.mark.parametrize("numeric", [False, True])
def test_a_flipped_label_or_ten_change_little(numeric):
    X, y, who = persons(0, True, n_persons=30)
    X[:, 0] += 2 * y
    rng = np.random.default_rng(0)
    for flips in (0, 1, 3, 10):
        flipped = y.copy()
        flipped[rng.choice(len(y), flips, replace=False)] ^= 1
        target = flipped * 1.5 if numeric else flipped
        options = {"n_permutations": 199, "random_state": 0, "n_jobs": 1}
        task = "regression" if numeric else "classification"
        found = signal(X, target, groups=who, task=task, **options)
        assert found.p_value <= 0.02
        assert "strongest feature" in found.statistic


@pytest.mark.parametrize("where", ["between groups", "within groups"])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_each_part_finds_what_is_in_it(where, kind):
    X, y, who = persons(1, False, n_persons=40)
    if kind == "numbers":
        rng = np.random.default_rng(1)
        y = rng.standard_normal(40)[who] + rng.standard_normal(len(who))
    mean = (np.bincount(who, y) / np.bincount(who))[who]
    X[:, 3] += 3 * (mean if where == "between groups" else y - mean)
    found = signal(X, y, groups=who, n_permutations=99, random_state=0)
    assert found
    assert found.statistic.endswith(where)


def sized(seed, sizes, kind):
    """Features and labels that vary more in the mean of a small group."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((len(who), 6))
    if kind == "numbers":
        return X, rng.standard_normal(len(who)), who
    return X, rng.integers(0, 2 if kind == "classes" else 3, len(who)), who


@pytest.mark.simulated
@pytest.mark.parametrize("kind", ["classes", "three classes", "numbers"])
def test_groups_of_all_different_sizes_keep_the_level(kind):
    """Small groups, taken for as exact as large ones, would pass for a signal."""
    p = []
    for seed in range(60):
        X, y, who = sized(seed, np.arange(1, 21), kind)
        options = {"n_permutations": 39, "random_state": seed, "n_jobs": 1}
        found = signal(X, y, groups=who, **options)
        assert any("between groups" in name for name in found.p_values)
        p.append(found.p_value)
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_groups_are_exchanged_with_those_of_about_their_size():
    sizes = np.array([9, 1, 2, 3, 6, 7, 14, 15, 100])
    assert _strata(sizes).tolist() == [2, 0, 0, 1, 1, 2, 2, 3, 4]
    groups = np.array([1, 0, 1, 1, 0])
    drawn = _drawn(groups, np.array([1, 2]), np.random.RandomState(0))
    assert np.bincount(groups[drawn]).tolist() == [1, 2]
    X, y, who = sized(0, 3 ** np.arange(6), "numbers")  # no two of about the same size
    found = signal(X, y, groups=who, n_permutations=19, random_state=0)
    assert any("between groups" in name for name in found.p_values)


def test_labellings_are_counted():
    def labellings(labels, strata, n_classes=2):
        columns = read_dataset(
            np.zeros((len(labels), 1)), None, "test", labels=False
        ).apart()
        Y = np.eye(n_classes)[labels] if n_classes else np.array(labels)[:, None]
        return Part("", columns, Y, np.array(strata)).labellings

    assert labellings([0, 0, 1], [0, 0, 0]) == 3
    assert (
        labellings([0, 0, 1, 1], [0, 0, 0, 0]) == 6 / 2
    )  # the classes may trade places
    assert labellings([0, 1, 2], [0, 0, 0], 3) == 1
    assert labellings([0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 1, 1]) == 9
    assert labellings([0.5, 1.5, 2.5, 2.5], [0, 0, 0, 1], 0) == 6


def test_too_few_groups_are_no_evidence_of_absence():
    X, y, who = persons(0, True, n_persons=4)
    with pytest.warns(UserWarning, match="signal: Whether there is a signal cannot"):
        found = signal(X, y, groups=who, n_permutations=99, random_state=0)
    assert not found
    assert not found.conclusive
    assert found.attainable == pytest.approx(1 / 3)
    assert "p cannot be below 0.33" in found.sentence
    assert repr(found).startswith("Signal(unknown, p = ")
    X, y, who = persons(0, True, n_persons=8)
    assert signal(X, y, groups=who, n_permutations=19).conclusive


def test_a_signal_between_groups_is_found():
    X, y, who = persons(0, True)
    X[:, 0] += 3 * y
    frame = pd.DataFrame(X).assign(colour=np.where(y, "red", "blue"))
    for table in (X, frame):
        assert signal(table, y, groups=who, n_permutations=99, random_state=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "level between 0 and 1, got 0"),
        (
            {"n_permutations": 9},
            "n_permutations to be an integer of at least 19, got 9",
        ),
        ({"groups": [1, 2]}, "one group for each"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        signal(*shifted(0), **options)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least 2 classes"):
        signal(np.eye(4), np.zeros(4))


def test_progress_is_shown_if_asked_for(capsys):
    signal(*shifted(0), n_permutations=19, verbose=1)
    assert "signal: 3 of 3" in capsys.readouterr().err


def test_constant_and_empty_columns_tell_nothing():
    X, y = np.ones((20, 3)), np.arange(20) % 2
    X[:, 1] = np.nan
    assert signal(X, y, n_permutations=19).p_value == 1.0


@pytest.mark.parametrize("shift", [0.0, 0.5, 0.7, 2.0])
def test_whether_there_is_a_signal_is_told_without_relief_where_that_settles_it(shift):
    bounded = 0
    for seed in range(4):
        X, y = shifted(shift, seed=seed)
        options = {"n_permutations": 99, "random_state": seed, "n_jobs": 1}
        full, told = (
            signal(X, y, **options),
            signal_test(
                read_dataset(X, y, "a test"), None, only_whether=True, **options
            ),
        )
        assert told.found == full.found
        assert told.p_value >= full.p_value
        if len(told.p_values) < len(WEIGHTS):
            bounded += 1
        else:
            assert told == full
    if shift in (0.0, 2.0):
        assert bounded == (0 if shift == 0 else 4)
