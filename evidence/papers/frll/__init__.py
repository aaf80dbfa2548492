"""004: FRLL, features ranked by two graphs of neighbours."""

from evidence.papers.frame import Paper
from evidence.papers.frll.faces import Faces
from evidence.papers.frll.times import Times

PAPER = Paper(
    key="004",
    alias="frll",
    authors="F. Pan, J. Wang, G. Song, B. Niu, Q. Gu",
    title="Fast feature ranking and its application to face recognition",
    where="2013",
    experiments=(Faces(), Times()),
    about=(
        "FRLL-Q is better than ReliefF on Yale and YaleB, but on each data set mRMR "
        "or the trace ratio is as good or better, and on Yale a random ranking is "
        "not far behind. At these sizes, running times say little."
    ),
)
