"""001: Simba and G-flip, and the margin that they climb."""

from functools import partial

from evidence.papers.frame import Paper
from evidence.papers.growth import Cost, Growth
from evidence.papers.simba.challenge import Challenge
from evidence.papers.simba.classes import Classes
from evidence.papers.simba.copies import Copies
from evidence.papers.simba.faces import Faces
from evidence.papers.simba.size import Size
from evidence.papers.simba.xor import Xor
from widemargin import GFlip, Relief, Simba

COST = Growth(
    {
        "G-flip": partial(GFlip, n_jobs=1, random_state=0),
        "Simba": partial(Simba, n_starts=1, n_jobs=1, random_state=0),
        "Relief": partial(Relief, n_jobs=1),
    },
    [
        Cost(
            "Section 3.1",
            "A pass of G-flip over all N features of m rows takes time of order N² m².",
            "N² m²",
            {"G-flip": {"rows": 2, "features": 2}},
        ),
        Cost(
            "Section 3.2",
            "Simba, visiting all m rows, takes time of order N m².",
            "N m²",
            {"Simba": {"rows": 2, "features": 1}},
        ),
        Cost(
            "Section 3.3",
            "In terms of complexity Relief and Simba are equivalent.",
            "N m²",
            {
                "Simba": {"rows": 2, "features": 1},
                "Relief": {"rows": 2, "features": 1},
            },
        ),
    ],
)

UNIMPLEMENTED = (
    (
        "Section 1",
        "Other searches: genetic algorithms, wrappers.",
        "G-flip is the search by hill climbing. Sequential wrappers of any estimator "
        "are in scikit-learn.",
    ),
    (
        "Definition 3",
        "Training errors counted by the sample margin.",
        "The bound counts by the hypothesis margin, which is never larger and is "
        "cheap, as footnote 3 allows. margin.sample_margins has the other.",
    ),
    (
        "Section 6",
        "A better optimiser of the evaluation function.",
        "Two were tried (evidence/optimisers.py). Annealing of G-flip ended above "
        "restarts of the same time in 7 of 40 runs and below in 3, on xor in 9 and 19 "
        "of 50. L-BFGS reached a higher e(w) than Simba on 8 of 8 tables, but 62 to "
        "100 % of its weights are above 0.9, so that it selects nothing.",
    ),
    (
        "Section 6",
        "Learn distance measures.",
        "A diagonal one is learnt; a full matrix selects no features.",
    ),
    (
        "Footnote 1",
        "The wrapper for SVM of Weston et al.",
        "Another paper's method, which is not compared with.",
    ),
)

PAPER = Paper(
    key="001",
    alias="simba",
    authors="R. Gilad-Bachrach, A. Navot, N. Tishby",
    title="Margin based feature selection: theory and algorithms",
    where="ICML 2004",
    experiments=(Xor(), Copies(), Faces(), Challenge(), Classes(), Size(), COST),
    about=(
        "Simba increases the margin as the paper shows, and is better than Relief: "
        "on the xor problem in every draw, on faces with few pixels. The features that "
        "G-flip selects on MADELON are reproduced; those on ARCENE are not."
    ),
    unimplemented=UNIMPLEMENTED,
)
