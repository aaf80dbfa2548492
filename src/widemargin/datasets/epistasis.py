"""Genotypes whose interaction tells the class while no marker does by itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from widemargin.datasets.synthetic import Drawn, RandomState, check_count

NOISE_MAF = (0.05, 0.5)  # range of the minor allele frequencies of the other markers
EASY = 1 / 6  # prevalence, unless the heritability asks for another


def make_epistasis(
    n_samples: int = 1600,
    n_features: int = 20,
    *,
    n_interacting: int = 2,
    heritability: float = 0.2,
    maf: float | Sequence[float] = 0.2,
    prevalence: float | None = None,
    random_state: RandomState = None,
) -> Drawn:
    """Draw genotypes of cases and controls that differ by an interaction only.

    A feature is a marker with two alleles; its value is the number of minor alleles, 0,
    1 or 2, in Hardy-Weinberg proportions. The first ``n_interacting`` markers determine
    the probability of being a case, by the table that `penetrance` computes. No proper
    subset of them carries any information about the class: whatever their values, the
    probability is the prevalence. The other markers are independent of the class, with
    minor allele frequencies drawn from 0.05 to 0.5. As in a case-control study, half of
    the rows are cases, to within one row, whatever the prevalence; classes are in
    random order.

    Parameters
    ----------
    n_samples : int, default=1600
        Number of rows.
    n_features : int, default=20
        Number of columns.
    n_interacting : {2, 3}, default=2
        Number of leading columns that interact.
    heritability : float, default=0.2
        Share of the variance of the class in the population that the interaction
        explains: the variance of the penetrance, divided by K (1 − K) for the
        prevalence K.
    maf : float or sequence of floats, default=0.2
        Minor allele frequency of the interacting markers, above 0 and up to 0.5; one
        for all, or one for each.
    prevalence : float or None, default=None
        K, share of cases in the population. None: 1/6, or what is nearest to it of
        what the heritability and maf allow (`penetrance`). The same heritability tells
        more about the rows the rarer cases are, since half of the rows are cases:
        about as much as heritability / (4 K (1 − K)) does at 0.5, and so it is with
        GAMETES' measure of how easy a model is to detect. With a maf of 0.2, 1/6 is the
        smallest K at which a heritability of 0.2 is possible: the default is an easy
        model, 0.5 the hardest. GAMETES, too, takes K as a part of the model, apart from
        the numbers of cases and controls that are drawn, which are equal by default;
        its manual's first example has K = 0.3.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The genotypes.
    y : ndarray of shape (n_samples,)
        1 for a case, 0 for a control.

    See Also
    --------
    make_xor : Parity of the signs of uniform features.

    References
    ----------
    R. Urbanowicz, J. Kiralis, N. Sinnott-Armstrong, T. Heberling, J. Fisher, J. Moore,
    "GAMETES: a fast, direct algorithm for generating pure, strict, epistatic models
    with random architectures", BioData Mining 5, 2012: the definitions of penetrance,
    heritability, and pure, strict epistasis. GAMETES draws its tables at random; ours
    is determined by the parameters.
    R. Urbanowicz, J. Kiralis, J. Fisher, J. Moore, "Predicting the difficulty of pure,
    strict, epistatic models: metrics for simulated model selection", BioData Mining 5,
    2012: at the same heritability, models differ in how easy they are to detect.

    Examples
    --------
    >>> from widemargin import MultiSURF
    >>> from widemargin.datasets import make_epistasis
    >>> X, y = make_epistasis(random_state=0)
    >>> X.shape, int(y.sum())
    ((1600, 20), 800)
    >>> MultiSURF(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """
    who = "make_epistasis"
    check_count(who, "n_samples", n_samples, 2)
    table = _penetrance(who, heritability, maf, n_interacting, prevalence)
    check_count(who, "n_features", n_features, n_interacting, "n_interacting")
    rng = check_random_state(random_state)
    y = rng.permutation(np.arange(n_samples) % 2).astype(np.int64)
    X = np.empty((n_samples, n_features))
    # Bayes: a genotype's frequency among cases, and among controls.
    frequency = _outer([_genotypes(p) for p in _mafs(who, maf, n_interacting)])
    for label, risk in ((1, table), (0, 1 - table)):
        among = (frequency * risk).ravel()
        rows = np.flatnonzero(y == label)
        cells = rng.choice(among.size, size=len(rows), p=among / among.sum())
        X[rows, :n_interacting] = np.column_stack(np.unravel_index(cells, table.shape))
    others = n_features - n_interacting
    noise = rng.uniform(*NOISE_MAF, size=others)
    X[:, n_interacting:] = rng.binomial(2, noise, size=(n_samples, others))
    return X, y


def penetrance(
    heritability: float = 0.2,
    maf: float | Sequence[float] = 0.2,
    n_interacting: int = 2,
    prevalence: float | None = None,
) -> npt.NDArray[np.float64]:
    """Probability of being a case for every genotype of interacting markers.

    It is K + s · u(g₁) · v(g₂), and · w(g₃) for three markers, K the prevalence. Each
    factor has mean 0 and variance 1 over the genotypes in Hardy-Weinberg proportions.
    So the mean over the genotypes of any one marker is K, and the heritability s² / (K
    (1 − K)). Of all such factors, the one with the smallest maximum is used, which
    allows the highest heritability.

    Parameters
    ----------
    heritability : float, default=0.2
        Variance of the penetrance over genotypes, divided by that of the class,
        K (1 − K).
    maf : float or sequence of floats, default=0.2
        Minor allele frequency of the markers; one for all, or one for each.
    n_interacting : {2, 3}, default=2
        Number of markers.
    prevalence : float or None, default=None
        K, the mean of the table. None: 1/6, or the nearest to it for which no
        probability is below 0 or above 1.

    Returns
    -------
    table : ndarray of shape (3,) * n_interacting
        Indexed by the numbers of minor alleles.

    Examples
    --------
    >>> from widemargin.datasets import penetrance
    >>> penetrance(heritability=0.2, maf=0.5, prevalence=0.5).round(3)
    array([[0.724, 0.276, 0.724],
           [0.276, 0.724, 0.276],
           [0.724, 0.276, 0.724]])
    """
    return _penetrance("penetrance", heritability, maf, n_interacting, prevalence)


def _penetrance(
    who: str,
    heritability: float,
    maf: Any,
    n_interacting: int,
    prevalence: float | None,
) -> npt.NDArray[np.float64]:
    if n_interacting not in (2, 3):
        raise ValueError(f"{who} needs n_interacting of 2 or 3, got {n_interacting!r}.")
    if not isinstance(heritability, Real) or not 0 <= heritability <= 1:
        raise ValueError(
            f"{who} needs a heritability from 0 to 1, got {heritability!r}."
        )
    if prevalence is not None and not (
        isinstance(prevalence, Real) and 0 < prevalence < 1
    ):
        raise ValueError(
            f"{who} needs a prevalence between 0 and 1, got {prevalence!r}."
        )
    mafs = _mafs(who, maf, n_interacting)
    interaction = _outer([_factor(_genotypes(p)) for p in mafs])
    highest, lowest = float(interaction.max()), float(-interaction.min())
    if prevalence is None:
        K = _nearest_prevalence(heritability, highest, lowest)
        largest, given = 1 / (highest * lowest), ""
    else:
        # s may not carry a probability below 0 or above 1.
        K = float(prevalence)
        s = min((1 - K) / highest, K / lowest)
        largest, given = s**2 / (K * (1 - K)), f", prevalence={K}"
    largest = min(1.0, largest)
    if heritability > largest * (1 + 1e-12):
        shown = np.floor(largest * 1e4) / 1e4
        raise ValueError(
            f"{who}: heritability={heritability} is not possible with maf={maf}{given} "
            f"and {n_interacting} markers, without probabilities below 0 or above 1: "
            f"the largest possible is {shown:.4f}. "
            "With a prevalence of 0.5 and a maf near 0.29 or 0.5 it is 1."
        )
    table = K + np.sqrt(heritability * K * (1 - K)) * interaction
    return np.clip(table, 0.0, 1.0)  # rounding


def _nearest_prevalence(heritability: float, highest: float, lowest: float) -> float:
    """The prevalence nearest to EASY for which probabilities are from 0 to 1.

    With s² = h K (1 − K), K − s · lowest ≥ 0 says that the odds K / (1 − K) are at
    least h · lowest², and K + s · highest ≤ 1 that they are at most
    1 / (h · highest²).
    """
    odds = max(EASY / (1 - EASY), heritability * lowest**2)
    if heritability > 0:
        odds = min(odds, 1 / (heritability * highest**2))
    return odds / (1 + odds)


def _mafs(who: str, maf: Any, n_interacting: int) -> list[float]:
    given = [maf] * n_interacting if isinstance(maf, Real) else list(maf)
    if len(given) != n_interacting:
        raise ValueError(
            f"{who} needs one maf, or one for each of {n_interacting} markers, got "
            f"{len(given)}."
        )
    for p in given:
        if not isinstance(p, Real) or not 0 < float(p) <= 0.5:
            raise ValueError(f"{who} needs maf above 0 and up to 0.5, got {p!r}.")
    return [float(p) for p in given]


def _genotypes(maf: float) -> npt.NDArray[np.float64]:
    """Frequencies of 0, 1 and 2 minor alleles in Hardy-Weinberg proportions."""
    return np.array([(1 - maf) ** 2, 2 * maf * (1 - maf), maf**2])


def _factor(frequency: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Values of mean 0 and variance 1 over three genotypes, the largest at its least.

    They lie on a circle, on which each value is a sine: at the least maximum, two of
    the three are equal or opposite. So a few candidates are all there is to compare.
    """
    candidates = []
    for i, j in combinations(range(3), 2):
        third = 3 - i - j
        for sign in (1.0, -1.0):
            u = np.empty(3)
            u[i], u[j] = 1.0, sign
            u[third] = -(frequency[i] + sign * frequency[j]) / frequency[third]
            candidates.append(u / np.sqrt(frequency @ u**2))
    best = min(candidates, key=lambda u: float(np.abs(u).max()))
    return best if best[0] > 0 else -best


def _outer(factors: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    return reduce(np.multiply.outer, factors)
