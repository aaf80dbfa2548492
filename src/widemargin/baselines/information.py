"""Information gain: mutual information of a discretised feature and the class.

References
----------
J. R. Quinlan, *Induction of decision trees*, Machine Learning 1, 1986.
U. Fayyad, K. Irani, *Multi-interval discretization of continuous-valued attributes for
classification learning*, IJCAI 1993 (bins "mdl").
"""

from __future__ import annotations

from typing import Literal

from widemargin.base import About, MarginSelector
from widemargin.discrete import BIN_CONSTRAINTS, Discrete, counted_relevance
from widemargin.protocol import AnyTable
from widemargin.table import Floats, Table
from widemargin.threads import Workers


class InformationGain(MarginSelector):
    """Information gain: how much a feature tells about the class.

    The mutual information I(f; y) = H(y) − H(y | f), in nats, of the class and the
    feature cut into bins.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many features to keep, or which share of them; None keeps half. "auto"
        keeps the smallest top-k whose 1-NN accuracy is within one standard error of
        the best, cross-validated in ten stratified folds with the ranking inside them.
    bins : {"three", "equal-width", "quantile", "mdl"} or None, default="three"
        "three" cuts at μ ± σ; "mdl" where Fayyad and Irani's principle of minimal
        description length finds it worthwhile, which may be nowhere; None takes the
        values as they are, at most 256 different ones. On a Dask collection only
        "three" and "equal-width" are possible.
    n_bins : int, default=5
        For "equal-width" and "quantile"; a value on a limit belongs to the upper bin.
    redundancy : float, "auto" or None, default=None
        Similarity from which a feature is skipped because a better one is kept: |r|, or
        the symmetrical uncertainty if the table has nominal or missing values. "auto"
        lets the folds of ``n_features_to_select="auto"`` choose among none, 0.9 and
        0.7. Scores stay as they are.
    scale : {"minmax", "standard"} or None, default="minmax"
        No effect on the scores: bins move with the feature.
    n_jobs : int or None, default=None
        Threads; None uses all cores.
    verbose : int, default=0
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        I(f; y), higher is better.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
    n_features_ : int
        How many features are kept.
    prefix_scores_ : array of shape (n_features,) or None
        With ``n_features_to_select="auto"``, cross-validated accuracy of 1-NN with the
        best 1, 2, 3, … features, ranked by the training rows of each fold; all lowered
        by ``optimism_``.
    optimism_ : float or None
        What the score at the chosen size owes to being chosen: how much lower it is
        if the size for each fold is chosen by the other folds.
    redundancy_ : float or None
        The similarity in force; None if none was asked for, or chosen.
    redundant_with_ : array of shape (n_features,) or None
        With ``redundancy``, the kept feature that stands for a skipped one; −1 for
        features that are not skipped. Skipped features rank last.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.baselines import InformationGain
    >>> X, y = load_iris(return_X_y=True)
    >>> InformationGain(bins="mdl").fit(X, y).scores_.round(3)
    array([0.452, 0.267, 0.94 , 0.955])
    """

    _instead_on_dask = None
    _separable = True
    _about = About("Quinlan 1986", "n d")

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        **BIN_CONSTRAINTS,
    }

    def __init__(
        self,
        n_features_to_select: int | float | Literal["auto"] | None = None,
        *,
        bins: Literal["three", "equal-width", "quantile", "mdl"] | None = "three",
        n_bins: int = 5,
        redundancy: float | Literal["auto"] | None = None,
        scale: Literal["minmax", "standard"] | None = "minmax",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.bins = bins
        self.n_bins = n_bins
        self.redundancy = redundancy
        self.scale = scale
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        name = type(self).__name__
        if isinstance(table, Table):
            return Discrete(table, self.bins, self.n_bins, workers, name).relevance()
        return counted_relevance(table, self.bins, self.n_bins, workers, name)
