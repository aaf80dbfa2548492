"""002: IPCMSR, prototypes within classes against the margin between them."""

from evidence.papers.frame import Paper
from evidence.papers.ipcmsr.halves import Halves

PAPER = Paper(
    key="002",
    alias="ipcmsr",
    authors="W. W. Y. Ng, J. Wang, D. S. Yeung",
    title="IPCM separability ratio for supervised feature selection",
    where="IEEE International Conference on Systems, Man and Cybernetics 2009",
    experiments=(Halves(),),
    about=(
        "Most accuracies of the paper are reproduced, but a random ranking comes "
        "within three points of them: an accuracy averaged over all numbers of "
        "features says little about a ranking. IPCMSR is the best method on two of "
        "four data sets."
    ),
)
