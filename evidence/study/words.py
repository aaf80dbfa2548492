"""The text of docs/study.md."""

# How many variants of KernelRFE were tried on the design tables: a sentence.
VARIANTS = (
    " Four variants of KernelRFE were tried on the design tables and none was adopted, "
    "since they gained nothing: λ = 2 (+0.2 points), λ = 2 as long as more than 40 "
    "features are left (0.0), exact deletion in narrow tables only (-0.1), and targets "
    "that are not divided by √p (-0.1)."
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

The plan, `evidence/study/PROTOCOL.md`, was committed before the run: tables, methods,
measure, tests, and what would be recommended in which case.

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
auto-mpg, CPU performance), the difference between KernelRFE and a forest is
{known_mean}.

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
Not significantly better than a random ranking on either: {chance}. Use them only for
the problems they were designed for.

## How it was measured

A third of the rows of each table was held out, three times (once for AutoSelector,
permutation importance, Boruta, the HSIC lasso, forests with elimination or
`redundancy="auto"`, and methods that are only in the last table). AutoSelector is that
of the day of the run, which let several methods compete; [today's](truth.md) was
measured on other splits. Each method, with
its defaults, ranked the features on the training rows; the top 5, 10 and 20 were used
by 1-NN, logistic regression and gradient boosting (numeric targets: 5-NN, ridge,
boosting), fitted on the same rows and evaluated on the others. Tables are the units of
all tests. Large tables are cut to 600 rows (design tables: 1000) and 2500 features.
Details are in the plan.

{sources}
*Wide*: {names_wide}. *Narrow*: {names_narrow}. *Mixed*: {names_mixed}.

    python -m evidence.study.collect --data DIR --fresh FRESH
    WIDEMARGIN_FRESH=FRESH python -m evidence.study --data DIR
    python -m evidence.study --page             # this page

## What this does not show

- All methods ran with their defaults. Tuning may change the order.
- The tables are small, and a test set is a third of one. Differences on a single table
  are mostly noise.
- The recipe of KernelRFE was found with 58 other tables, whose names we do not have;
  some of them may be among the fresh ones.{variants}
- There is one text among the tables: nothing follows for texts.
- Boruta decides which features are relevant and was not designed to rank them. Here its
  ranks are used, with ties broken by a forest.
- CCM, whose loss KernelRFE uses, was not run: we know of no package. The HSIC lasso
  failed on two tables (wa_churn, soybean): it uses a name that NumPy no longer has.
"""
