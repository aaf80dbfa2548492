"""002: IPCMSR, prototypes within classes against the margin between them."""

from widemargin.papers.frame import Paper
from widemargin.papers.ipcmsr.halves import Halves

PAPER = Paper(
    key="002",
    alias="ipcmsr",
    authors="W. W. Y. Ng, J. Wang, D. S. Yeung",
    title="IPCM separability ratio for supervised feature selection",
    where="IEEE International Conference on Systems, Man and Cybernetics 2009",
    experiments=(Halves(),),
)
