"""000: LMBA, the loss margin of nearest neighbours."""

from functools import partial

from evidence.papers.frame import Paper
from evidence.papers.growth import Cost, Growth
from evidence.papers.lmba.accuracy import Accuracy
from evidence.papers.lmba.faces import Faces
from evidence.papers.lmba.noise import Noise
from evidence.papers.lmba.proposition import Proposition
from evidence.papers.lmba.relevant import Relevant
from widemargin import LMBA, Simba
from widemargin.baselines import FeatureSimilarity

COST = Growth(
    {
        "LMBA": partial(LMBA, n_jobs=1, random_state=0),
        "Simba": partial(Simba, n_starts=1, n_jobs=1, random_state=0),
        "Mitra": partial(FeatureSimilarity, n_neighbors=10, n_jobs=1),
    },
    [
        Cost(
            "Section 3.1",
            "LMBA takes time of order N² n for N rows of n features.",
            "N² n",
            {"LMBA": {"rows": 2, "features": 1}},
        ),
        Cost(
            "Section 3.2",
            "Simba takes time of order N² n, Mitra's method n² N.",
            "N² n; n² N",
            {
                "Simba": {"rows": 2, "features": 1},
                "Mitra": {"rows": 1, "features": 2},
            },
        ),
    ],
)

UNIMPLEMENTED = (
    (
        "Section 3.1",
        "Search for the subset of least loss: sequential, floating, genetic, branch "
        "and bound.",
        "The paper prefers weights, too: such a search takes time of order N² n² at "
        "least. Sequential search with any estimator is in scikit-learn.",
    ),
    (
        "Section 3.1",
        "k and c can be tuned by cross-validation.",
        "GridSearchCV of scikit-learn does it, with LMBA in a pipeline.",
    ),
    (
        "Section 3.1",
        "Features are ranked by w.",
        "By w²: distances contain w only as w², so that a weight below 0 counts by its "
        "size.",
    ),
    (
        "Section 5",
        "Other optimisers of the criterion; more attention to outliers.",
        "Further work of the authors, without a method. Batches (batch_size) reach a "
        "lower e(w) than single rows.",
    ),
)

PAPER = Paper(
    key="000",
    alias="lmba",
    authors="Y. Li, B.-L. Lu",
    title="Feature selection based on loss-margin of nearest neighbor classification",
    where="Pattern Recognition 42, 2009",
    experiments=(Relevant(), Accuracy(), Noise(), Faces(), Proposition(), COST),
    about=(
        "LMBA ranks the relevant features first, and leads where there are many "
        "features; where there are few, Simba is as good or better. With k chosen "
        "on training rows, no method is far from a random ranking on these data "
        "sets, because the first few features account for most of the accuracy."
    ),
    unimplemented=UNIMPLEMENTED,
)
