"""The text of docs/study.md."""

PAGE = """\
# The study: which ranking to take

CONCLUSION

The plan was [committed before the
run](https://github.com/widemargin/widemargin/blob/main/benchmarks/study/PROTOCOL.md):
tables, methods, measure, tests, and what would be recommended in which case.

![Points of accuracy that KernelRFE gains over forest importances on each \
table](pictures/study-gained.png)

*Gain of KernelRFE over forest importances on each table: mean over 1-NN, logistic
regression and boosting, with the top 5, 10 and 20 features. Dotted: mean over tables.*

## Against forest importances

Difference in accuracy from the impurity importances of a random forest, in percentage
points, and tables won : lost. Bold: significant at 5 % (Wilcoxon signed-rank test over
tables, Holm correction over the methods); the last column is not corrected.

### Fresh tables

{against_forest}
### Design tables

KernelRFE and `redundancy="auto"` were designed on these, so their lead here is what was
fitted. Methods of other packages are not affected.

{against_forest_design}
## KernelRFE against the others

Mean over the three classifiers. Bold: significant at 5 %, corrected by Holm's method
for all fresh tables, uncorrected in the columns for kinds of tables: wide has 60
features or more ({n_wide} fresh tables), mixed has fewer, of which some are nominal
({n_mixed}), narrow is the rest ({n_narrow}).

{against_others}
## Numeric targets

Difference in R² from forest importances, in points of 100, on 18 fresh tables; bold and
p as above. On the four tables of the package's own data sets (diabetes, Boston housing,
auto-mpg, CPU performance), KernelRFE is {known_mean} ahead of a forest.

{numeric_against_forest}
{numeric_against_others}
## Interactions

For Madelon, whose clusters lie at the corners of a hypercube: accuracy gained over
forest importances. For simulated tables, in which the class is the parity of 2 or 3 of
30 features: how many of these are in the top 5.

{interactions}
## Chance, stability, time

Accuracy gained over a random ranking; ✗ marks methods that are not significantly better
than it (Holm correction over all methods). *Stability* is the overlap of the top 10
features of two splits, corrected for chance (1: identical; – if there is one split).
*Redundancy* is the largest |r| of a feature with another of the top 10, averaged.
*Seconds* is the processor time of one ranking with one thread on the fresh tables,
averaged.

{everything}
No better than chance on both: {chance}. Use them only for the problems they were
designed for.

## How it was measured

A third of the rows of each table was held out, three times (once for AutoSelector,
permutation importance, Boruta, the HSIC lasso, forests with elimination or
`redundancy="auto"`, and methods that are only in the last table). Each method, with
its defaults, ranked the features on the training rows; the top 5, 10 and 20 were used
by 1-NN, logistic regression and gradient boosting (numeric targets: 5-NN, ridge,
boosting), fitted on the same rows and evaluated on the others. Tables are the units of
all tests. Large tables are cut to 600 rows (design tables: 1000) and 2500 features.
Details are in the plan.

{sources}
*Wide*: {names_wide}. *Narrow*: {names_narrow}. *Mixed*: {names_mixed}.

    python benchmarks/study/collect.py --data DIR --fresh FRESH
    WIDEMARGIN_FRESH=FRESH python benchmarks/study/run.py --data DIR
    python benchmarks/study/page.py             # this page

## What this does not show

- All methods ran with their defaults. Tuning may change the order.
- The tables are small, and a test set is a third of one. Differences on a single table
  are mostly noise.
- The recipe of KernelRFE was found with 58 other tables, whose names we do not have;
  some of them may be among the fresh ones. VARIANTS
- There is one text among the tables: nothing follows for texts.
- Boruta decides which features are relevant and was not designed to rank them. Here its
  ranks are used, with ties broken by a forest.
- CCM, whose loss KernelRFE uses, has no release that installs.
"""
