"""What was seen of each promise before it was kept, by the same kind of measurement."""

BEFORE = {
    'n_features_to_select="auto"': (
        "ranked and judged on the same rows. Random labels, 60 × 10 000: claims 1.00 "
        "(truth .50) and keeps 184 features; 200 × 2 000: .82, 786 kept. "
        "make_classification 250 × 5 000, 10 informative: keeps 330, claims .77, tests "
        ".56; with the ranking inside ten folds 4 kept, .70 claimed, .71 tested"
    ),
    "the judge, 1-NN": (
        "took one of the tied nearest rows by row order. Credit data (crx), one "
        "feature: .781 .794 .707 .480 .652 for five orders of the same rows; one "
        "column alone gives .855"
    ),
    "`compare`'s recommendation": (
        "10 real sets, random halves: 2.9 points above the untouched half; loses to "
        "all features on 7 of 10; two halves agree on the method in 31 %, Jaccard of "
        "the sets .35. On noise it said no signal and, below, 3 features kept"
    ),
    "`signal`": (
        "2 of 10 random tables of 80 × 100 called signal; german credit never reaches "
        "the threshold although the F-test finds signal"
    ),
    "`significance`": (
        "valid, but its default of 100 permutations cannot report 5 of 100 features; "
        "power 0 in seven of eight designs where 2 000 permutations reach .28 to 1.0; "
        "Simba, LMBA and MRMR silently powerless"
    ),
    "`stability`'s interval": (
        "called 95 %, covers .76 at M = 20, Φ = .98; with `resample` on one table .20 "
        "to .58"
    ),
    "redundancy": (
        "8 of ReliefF's top 20 are near copies (mean of 13 real sets; 18 on an image "
        "set). One per group at |r| ≥ .7 gains 6.1 points for 1-NN and 8.0 for "
        "logistic regression at k = 20, but Madelon loses 19"
    ),
    "usefulness": (
        "14 real sets, k = 20, mean accuracy of 1-NN: forest .805, mRMR .770, LMBA "
        ".757, ReliefF .741"
    ),
}
