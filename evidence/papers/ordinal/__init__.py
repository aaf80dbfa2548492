"""003: O-ReliefF and O-Simba, margins between ordered classes."""

from functools import partial

from evidence.papers.frame import Paper
from evidence.papers.growth import Cost, Growth
from evidence.papers.ordinal.noise import Noise
from evidence.papers.ordinal.synthetic import Synthetic
from evidence.papers.ordinal.trees import Trees
from widemargin import OReliefF, OSimba

COST = Growth(
    {
        "O-ReliefF": partial(OReliefF, n_jobs=1),
        "O-Simba": partial(OSimba, n_starts=1, n_jobs=1, random_state=0),
    },
    [
        Cost(
            "Section 3",
            "O-ReliefF and O-Simba, visiting all m rows, take time of order m² I.",
            "T m I, with T = m",
            {
                "O-ReliefF": {"rows": 2, "features": 1},
                "O-Simba": {"rows": 2, "features": 1},
            },
        )
    ],
)

UNIMPLEMENTED = (
    (
        "Equations (4) and (5)",
        "Distances with weights, and with any power p.",
        "p is 1 or 2 (metric). With p = ½, 1, 2 and 4, 1-NN on ReliefF's best 5 to 20 "
        "features of nine tables is right in 75.1, 75.1, 75.0 and 75.6 % "
        "(evidence/neighbourhoods.py), too little for a search of its own. Weights: "
        "multiply scaled columns by them, set scale=None, and divide the scores.",
    ),
    (
        "References [19-21]",
        "Rank mutual information as a score of features.",
        "No better than Spearman's correlation: 27.4 % error with the best quarter of "
        "the features, 27.1 % (evidence/rank_information.py). Its tree is "
        "RankingTree(criterion='information').",
    ),
    (
        "Section 1",
        "Other classifiers: ordinal and repaired trees, rules, MOCA, SVM by data "
        "replication, reduction to binary problems.",
        "Other papers' methods, which this one does not compare with.",
    ),
    (
        "Section 1",
        "Dominance-based rough sets; features by approximation quality.",
        "Other papers' methods, too, for which no result is given here.",
    ),
    (
        "Section 4.2",
        "C4.5.",
        "An entropy tree of scikit-learn, not pruned, takes its place.",
    ),
)

PAPER = Paper(
    key="003",
    alias="ordinal",
    authors="Q. Hu, W. Pan, Y. Song, D. Yu",
    title="Large-margin feature selection for monotonic classification",
    where="Knowledge-Based Systems 31, 2012",
    experiments=(Synthetic(), Noise(), Trees(), COST),
    about=(
        "With directed differences both methods rank the monotone feature first; with "
        "absolute differences, as printed, they do not. On real data, by the paper's "
        "own protocol, 10 of the 12 comparisons of Tables 2, 3 and 5 to 8 come out as "
        "published; once features and their number are chosen on training rows, 7 do, "
        "all of O-Simba against Simba among them. That O-ReliefF separates real "
        "features from uniform columns is partly an artefact: directed differences "
        "reward a narrow spread, even with shuffled labels. Our default signs the "
        "differences to hits, too: shuffled labels then gain nothing (AUC 0.46 to "
        "0.47), and real features stand out less (0.59 to 0.74)."
    ),
    unimplemented=UNIMPLEMENTED,
)
