"""Results of an earlier implementation, by the same kind of measurement."""

BEFORE = {
    'n_features_to_select="auto"': (
        "ranked and evaluated on the same rows. With random labels, 60 × 10 000: "
        "claimed an accuracy of 1.00 (truth .50) and kept 184 features; 200 × 2 000: "
        "claimed .82, kept 786. make_classification, 250 × 5 000 with 10 informative "
        "features: kept 330, claimed .77, test accuracy .56; with the ranking inside "
        "ten folds it kept 4, claimed .70, test accuracy .71"
    ),
    "evaluation by 1-NN": (
        "broke ties between nearest rows by row order. Credit data (crx), one "
        "feature: .781 .794 .707 .480 .652 for five orders of the same rows; with ties "
        "averaged, the best single column gives .855"
    ),
    "`compare`'s recommendation": (
        "10 real data sets, random halves: the claimed accuracy was 2.9 points above "
        "that on the held-out half; worse than all features on 7 of 10; the two "
        "halves agreed on the method in 31 % of cases, with a Jaccard index of .35. "
        "On noise it reported no signal, yet kept 3 features"
    ),
    "`signal`": (
        "called 2 of 10 random tables of 80 × 100 signal; never found signal in german "
        "credit, where the F-test does"
    ),
    "`significance`": (
        "valid, but its default of 100 permutations could not detect 5 of 100 "
        "features: power 0 in seven of eight designs where 2 000 permutations reach "
        ".28 to 1.0; no power for Simba, LMBA and MRMR, without a warning"
    ),
    "`stability`'s interval": (
        "nominally 95 %, covered .76 at M = 20, Φ = .98; with `resample` on one table, "
        ".20 to .58"
    ),
    "redundancy": (
        "8 of ReliefF's top 20 features were near copies (mean of 13 real data "
        "sets; 18 on an image data set). One feature per group at |r| ≥ .7 gained 6.1 "
        "points for 1-NN and 8.0 for logistic regression at k = 20, but lost 19 on "
        "Madelon"
    ),
    "usefulness": (
        "14 real data sets, k = 20, mean accuracy of 1-NN: forest .805, mRMR .770, "
        "LMBA .757, ReliefF .741"
    ),
}
