"""002: IPCMSR, prototypes within classes against the margin between them."""

from evidence.papers.frame import Paper
from evidence.papers.ipcmsr.halves import Halves

UNIMPLEMENTED = (
    (
        "Section I",
        "IPICSR for semi-supervised problems.",
        "Its paper, reference [1], has the formula for rows without labels; this one "
        "has not. IPICSR of widemargin needs labels.",
    ),
    (
        "Section I",
        "LSDF; branch and bound, floating search; wrappers that leave one feature out.",
        "Named as related work, not compared with. Wrappers are in scikit-learn.",
    ),
    (
        "Section I",
        "A toy example of the class margin.",
        "Announced, but not in the paper.",
    ),
    (
        "Section I",
        "Seven UCI data sets and two face recognition problems.",
        "The paper reports four sets; Vehicle, WDBC and Wine are only in a caption.",
    ),
    (
        "Section II",
        "The knee by references [18] and [24].",
        "By the L-method of [18], without its iterative refinement.",
    ),
    (
        "Section IV",
        "A stopping criterion by the localised generalisation error.",
        "Further work of the authors, about RBF networks. The number of features is "
        "chosen in folds: n_features_to_select='auto'.",
    ),
)

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
        "features says little about a ranking. IPCMSR is the best method on Mushroom, "
        "and on most readings of Glass, whose four classes are not explained; with "
        "two standard errors asked for, on Mushroom only."
    ),
    unimplemented=UNIMPLEMENTED,
)
