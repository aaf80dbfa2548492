"""004: FRLL, features ranked by two graphs of neighbours."""

from widemargin.papers.frame import Paper
from widemargin.papers.frll.faces import Faces
from widemargin.papers.frll.times import Times

PAPER = Paper(
    key="004",
    alias="frll",
    authors="F. Pan, J. Wang, G. Song, B. Niu, Q. Gu",
    title="Fast feature ranking and its application to face recognition",
    where="2013",
    experiments=(Faces(), Times()),
)
