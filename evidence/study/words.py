"""The text of docs/study.md."""

# How many variants of KernelRFE were tried on the design tables: a sentence.
VARIANTS = (
    "Four variants were tried on the design tables and none was adopted, since they "
    "gained nothing: λ = 2 (+0.2 points), λ = 2 as long as more than 40 features are "
    "left (0.0), exact deletion in narrow tables only (-0.1), and targets that are not "
    "divided by √p (-0.1)."
)

PAGE = """\
# The study: which ranking to take

**Take `KernelRFE`, above all if there are many features.** On 39 tables that nobody
here had used, the features that it selected were more accurate than those of random
forest importances by {fresh_mean} points: with 1-NN {fresh_1NN}, with logistic
regression {fresh_logistic}, with boosting {fresh_boosting}.

- **The gain is in wide tables**: with 60 features or more {wide_mean}; with fewer
  {narrow_mean}, and {mixed_mean} if some are nominal, too little to tell from chance.
- **It is significantly ahead of {n_behind} of {n_others} other methods**, but not of
  {level}. None is significantly ahead of it, overall or in a kind of table. RFE with a
  linear model misses interactions: on Madelon, with 1-NN, it is at {madelon_rfe} points
  from a forest, KernelRFE at {madelon}.
- **`MultiSURF(redundancy="auto")`, our earlier recommendation, is level with a forest**
  on the fresh tables ({earlier}).
- **Numeric targets**: KernelRFE is ahead of a forest by {numeric_mean} points of R² on
  18 fresh tables, but the evidence is thin: without one table ({largest}) it is
  {without_largest}, and linear methods are as good.
- **Time and stability**: a ranking took {seconds} s, a forest {seconds_forest} s, RFE
  with a forest {seconds_rfe_forest} s; selections of KernelRFE are less stable than a
  forest's ({stability} against {stability_forest}).

![Points of accuracy that KernelRFE gains over forest importances on each \
table](pictures/study-gained.png)

*Gain of KernelRFE over forest importances on each table: mean over 1-NN, logistic
regression and boosting, with the top 5, 10 and 20 features. Dotted: mean over tables.*

## Against forest importances

Points of accuracy above the impurity importances of a random forest, and fresh tables
won:lost. Bold: significant at 5 % (Wilcoxon signed-rank test over tables, Holm
correction over the methods); p is that of the mean, not corrected. KernelRFE and
`redundancy="auto"` were made on the design tables: their lead there is what was fitted.

{against_forest}
## KernelRFE against the others

Mean over the three classifiers; bold as above, but uncorrected in the columns for
kinds of tables: wide has 60 features or more ({n_wide} fresh tables), mixed has fewer,
some of them nominal ({n_mixed}), narrow is the rest ({n_narrow}).

:::{{dropdown}} All methods, by kind of table

{against_others}
:::

## Numeric targets

Points of R² above forest importances on 18 fresh tables; the last column is the lead of
KernelRFE. On the package's own four data sets it is ahead of a forest by {known_mean}.

:::{{dropdown}} All methods

{numeric}
:::

## Interactions

:::{{dropdown}} Madelon and parity

For Madelon, whose clusters lie at the corners of a hypercube: accuracy of 1-NN gained
over forest importances. For simulated tables, in which the class is the parity of 2 or
3 of 30 features: how many of these are in the top 5.

{interactions}
:::

## Chance, stability, time

Not significantly better than a random ranking, on fresh nor on design tables: {chance}.
Use them only for the problems they were designed for.

:::{{dropdown}} All methods

Accuracy gained over a random ranking; ✗: not significantly (Holm correction over all
methods). *Stability* is the overlap of the top 10 features of two splits, corrected for
chance (1: identical; – if there is one split). *Seconds* are processor time of
one ranking in one thread. Both are means over the fresh tables.

{everything}
:::

## How it was measured

A third of the rows of each table was held out, three times (once for AutoSelector,
permutation importance, Boruta, the HSIC lasso, forests with elimination or
`redundancy="auto"`, and methods that are only in the last table). Each method, with its
defaults, ranked the features on the training rows; the top 5, 10 and 20 were used by
three classifiers (numeric targets: 5-NN, ridge, boosting), fitted on the same rows and
evaluated on the others. Tables are the units of all tests. Large tables are cut to 600
rows (design tables: 1000) and 2500 features. The plan, `evidence/study/PROTOCOL.md`,
was committed before the run. AutoSelector was measured again on 2026-11-19, when its
rule had changed; in the run, where several methods competed in it, it was at +0.8
(23:14).

:::{{dropdown}} Sources, and how to run it

{sources}
*Mixed*: {names_mixed}.

    python -m evidence.study.collect --data DIR --fresh FRESH
    WIDEMARGIN_FRESH=FRESH python -m evidence.study --data DIR
    python -m evidence.study --page             # this page

:::

## What this does not show

- Tuning may change the order: all methods ran with their defaults.
- Differences on a single table are mostly noise; one table is a text, too few.
- The recipe of KernelRFE was found with 58 other tables, whose names we do not have;
  some may be among the fresh ones. {variants}
- Boruta decides which features are relevant and was not designed to rank them: its
  ranks are used, with ties broken by a forest.
- CCM, whose loss KernelRFE uses, was not run: we know of no package. The HSIC lasso
  failed on wa_churn and soybean: it uses a name that NumPy no longer has.
"""
