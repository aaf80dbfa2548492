"""001: Simba and G-flip, and the margin that they climb."""

from evidence.papers.frame import Paper
from evidence.papers.simba.challenge import Challenge
from evidence.papers.simba.faces import Faces
from evidence.papers.simba.size import Size
from evidence.papers.simba.xor import Xor

PAPER = Paper(
    key="001",
    alias="simba",
    authors="R. Gilad-Bachrach, A. Navot, N. Tishby",
    title="Margin based feature selection: theory and algorithms",
    where="ICML 2004",
    experiments=(Xor(), Faces(), Challenge(), Size()),
    about=(
        "Simba increases the margin as the paper shows, and beats Relief with few "
        "pixels, but not always with a fifth of them. On the xor problem Relief "
        "finds the right features, too, and the linear relation between margin and "
        "angle is slightly weaker than our criterion requires. The features that "
        "G-flip selects on MADELON are reproduced; those on ARCENE are not."
    ),
)
