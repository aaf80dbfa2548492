"""Data sets on which every method is compared with its oracle."""

import numpy as np
from hypothesis import strategies as st


def labels(rng, n, n_classes):
    """Random labels, every class at least once."""
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return rng.permutation(y)


def gaussian(rng):
    y = labels(rng, 60, 3)
    X = rng.standard_normal((60, 7))
    X[:, :3] += y[:, None] * [2.0, 1.0, -1.0]
    return X, y


def tied(rng):
    """Values 0, 1, 2, as in SNP data: ties everywhere."""
    return rng.integers(0, 3, (50, 6)).astype(float), labels(rng, 50, 2)


def thirds(rng):
    """Ties that are only ties up to rounding."""
    return rng.integers(0, 4, (40, 9)) / 3, labels(rng, 40, 2)


def duplicates(rng):
    """Every row three times, not always with the same label."""
    X = np.repeat(rng.standard_normal((15, 4)).round(1), 3, axis=0)
    return X, labels(rng, 45, 2)


def constants(rng):
    X, y = gaussian(rng)
    X[:, [0, 4]] = 3.7
    return X, y


def lopsided(rng):
    """Classes of 40, 3 and 2 rows."""
    y = rng.permutation(np.repeat([0, 1, 2], [40, 3, 2]))
    return rng.standard_normal((45, 5)) + y[:, None], y


def lonely(rng):
    """A class with one member."""
    y = rng.permutation(np.repeat([0, 1, 2], [20, 9, 1]))
    return rng.standard_normal((30, 4)).round(1), y


def two_rows(rng):
    return rng.standard_normal((2, 3)), np.array([0, 1])


def all_equal(rng):
    return np.full((12, 3), 5.0), labels(rng, 12, 2)


def one_feature(rng):
    return rng.standard_normal((30, 1)), labels(rng, 30, 2)


CASES = [
    gaussian,
    tied,
    thirds,
    duplicates,
    constants,
    lopsided,
    lonely,
    two_rows,
    all_equal,
    one_feature,
]


def of_few_trees(selector):
    """The same, if it is a forest: as in scikit-learn's checks of its own forests."""
    if "n_estimators" in selector.get_params():
        selector.set_params(n_estimators=10)
    return selector


@st.composite
def small_tables(draw, max_rows=24, min_features=1, max_features=5, max_classes=4):
    """Tables that hypothesis can shrink: few values, so ties and duplicates abound."""
    n = draw(st.integers(4, max_rows))
    d = draw(st.integers(min_features, max_features))
    values = draw(st.sampled_from([(0, 1), (0, 1, 2), tuple(i / 7 for i in range(8))]))
    X = draw(
        st.lists(
            st.lists(st.sampled_from(values), min_size=d, max_size=d),
            min_size=n,
            max_size=n,
        )
    )
    y = draw(st.lists(st.integers(0, max_classes - 1), min_size=n, max_size=n))
    y[0], y[1] = 0, 1
    return np.array(X, dtype=float), np.array(y)


def spread_over(methods, cases, each=3):
    """Pairs in which every method meets a few cases, and similar methods other ones."""
    step = len(cases) // each
    return [
        (method, cases[(m + c * step) % len(cases)])
        for m, method in enumerate(methods)
        for c in range(each)
    ]


EQUIVALENCE = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
WEIGHT_CHECKS = (
    *EQUIVALENCE,
    "check_all_zero_sample_weights_error",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
)
# Methods without neighbours, for which a row of weight 2 is the same row twice.
COUNTING = {
    "FCBF",
    "FRegression",
    "FeatureSimilarity",
    "FisherScore",
    "InformationGain",
    "MRMR",
    "PearsonScore",
    "TraceRatio",
}


def expected_failures(selector):
    """Of scikit-learn's checks, those that cannot pass, and why."""
    name = type(selector).__name__
    if selector._instead_with_weights is not None:
        return dict.fromkeys(WEIGHT_CHECKS, f"{name} refuses sample_weight")
    if name == "KernelRFE":
        if selector.task == "regression":  # the same half is kept all the same
            return {}
        reason = "alpha counts for the mean weight, so more rows are a smaller alpha"
        return dict.fromkeys(EQUIVALENCE, reason)
    if name not in COUNTING:
        reason = "a repeated row would be its own nearest neighbour"
        return dict.fromkeys(EQUIVALENCE, reason)
    return {}
