"""000: LMBA, the loss margin of nearest neighbours."""

from evidence.papers.frame import Paper
from evidence.papers.lmba.accuracy import Accuracy
from evidence.papers.lmba.faces import Faces
from evidence.papers.lmba.relevant import Relevant

PAPER = Paper(
    key="000",
    alias="lmba",
    authors="Y. Li, B.-L. Lu",
    title="Feature selection based on loss-margin of nearest neighbor classification",
    where="Pattern Recognition 42, 2009",
    experiments=(Relevant(), Accuracy(), Faces()),
    about=(
        "LMBA ranks the relevant features first, and leads where there are many "
        "features; where there are few, Simba is as good or better. With k chosen "
        "on training rows, no method is far from a random ranking on these data "
        "sets, because the first few features account for most of the accuracy."
    ),
)
