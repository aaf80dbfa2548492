"""004: FRLL, features ranked by two graphs of neighbours."""

from evidence.papers.frame import Paper
from evidence.papers.frll.faces import Faces
from evidence.papers.frll.times import Times, methods
from evidence.papers.growth import Cost, Growth

COST = Growth(
    methods(),
    [
        Cost(
            "Section 2",
            "FRLL takes time of order N² d, and so does ReliefF.",
            "3/2 N² d; 1/2 N² d",
            {
                "FRLL-Q": {"rows": 2, "features": 1},
                "ReliefF": {"rows": 2, "features": 1},
            },
        ),
        Cost(
            "Section 2",
            "FCBF takes time between the orders of d and of d².",
            "d to d²",
            {"FCBF": {"rows": 1, "features": 2}},
        ),
    ],
)

UNIMPLEMENTED = (
    (
        "Introduction",
        "HSIC, SPEC, and SVM as a wrapper.",
        "Named as related work, not compared with.",
    ),
    (
        "Section 1",
        "Dense matrices of the graphs, and their eigenvectors.",
        "The weights are sums over edges, as the paper derives.",
    ),
    (
        "Section 1",
        "Features that are the same within each neighbourhood are to be removed.",
        "They are kept: constant within and different between classes is perfect.",
    ),
    (
        "Section 4",
        "Redundant features should be removed.",
        "Further work of the authors. The parameter redundancy of FRLL, and of all "
        "rankings, skips near copies.",
    ),
)

PAPER = Paper(
    key="004",
    alias="frll",
    authors="F. Pan, J. Wang, G. Song, B. Niu, Q. Gu",
    title="Fast feature ranking and its application to face recognition",
    where="2013",
    experiments=(Faces(), Times(), COST),
    about=(
        "FRLL-Q is better than ReliefF on Yale and YaleB, but on each data set mRMR "
        "or the trace ratio is as good or better, and on Yale a random ranking is "
        "not far behind. At the paper's sizes, running times say little; with more "
        "rows they grow as it says."
    ),
    unimplemented=UNIMPLEMENTED,
)
