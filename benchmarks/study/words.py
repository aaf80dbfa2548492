"""The sentences of docs/study.md that are written by hand."""

TAKE_AWAY = """\
**The main lesson: skip near copies, and use a ranking that finds interactions.** On
average, features selected by `MultiSURF(redundancy="auto")` were {nn} points more
accurate than those selected by random forest importances with 1-NN, {lr} points with
logistic regression and {gb} points with boosting, in {time} of the forest's time. On
Madelon, which has interactions, it was {madelon} points ahead of the forest, whereas
recursive feature elimination was {madelon_rfe}, mRMR {madelon_mrmr} and L1
{madelon_l1}.

- **There is no overall winner.** Recursive feature elimination (RFE), mRMR,
  `AutoSelector`, and MultiSURF or a forest with `redundancy="auto"` share the top; the
  differences between them are not significant.
- **Significantly better than forest importances**, by [Wilcoxon's test with Holm's
  correction](#against-forest-importances): {above}. Many methods are significantly
  worse.
- **With their defaults, our margin methods are worse than a forest**: MultiSURF by
  {multisurf} points, ReliefF by {relieff} and Simba by {simba} (means over the three
  classifiers). They rank near copies next to each other, and the default is
  `redundancy=None`. With `redundancy="auto"`, MultiSURF gains {thinned} points, ReliefF
  {thinned_relieff} and the forest itself {thinned_forest}.
- **With up to 34 features there is little to gain.** On {n_narrow} such tables, the
  best method is {narrow} points ahead of a forest. With over 1000 features, RFE gains
  {wide_rfe} points, MultiSURF with `redundancy="auto"` {wide}, and mRMR {wide_mrmr}.
- **No better than a random ranking**, by mean accuracy and within one point: {random}.
  Use them only for the problems they were designed for.
"""

HOW = """\
## How it was measured

**Tables.** {n_tables} public tables with classes (number of features in parentheses):
{tables}. Large tables are subsampled to at most 1000 rows, and wide ones to at most
2500 features (`benchmarks/study/tables.py`).

**Splits.** The rows of each table are split at random into two thirds for training and
one third for testing, {splits} times, stratified by class and with groups kept
together. Each of {n_ways} methods, with its defaults, ranks the features on the
training rows. The top 5, 10 and 20 features are used by 1-NN, logistic regression and
gradient boosting (15 rounds of trees of depth 3), which are trained on the same rows
and evaluated on the test rows. All statistical tests treat the table as the unit:
splits are averaged first.

**Expensive methods.** `AutoSelector`, Boruta and the forest with `redundancy="auto"`
take seconds and were run on {costly} of the splits only. Splits differ in difficulty,
so these methods are compared with the others on the same splits.

**Not planned in advance.** MultiSURF, FisherScore and the forest with
`redundancy="auto"` were added after we had seen the results of the first split of most
tables, because ReliefF had gained so much from it. That MultiSURF leads should be
confirmed on other tables.

**`AutoSelector`** was asked for {asked} features. Its ranking was truncated to 5 and
extended to 20; asked for 5 or 20, it might have chosen another method. It compares
methods by 1-NN, in folds of the training rows, and does not know which classifier will
use its features.

    python benchmarks/study/run.py --data DIR   # resumes an interrupted run
    python benchmarks/study/page.py             # this page
"""

LIMITS = """\
## What this does not show

- All methods ran with their defaults. Tuning the number of neighbours, the penalty or
  the trees may change the order.
- The tables are small, and most of those with many features are images. Each test set
  is a third of a small table, which is why there are several splits and why tables are
  the units of the tests.
- Boruta decides which features are relevant and was not designed to rank them. Here its
  ranks are used, with ties broken by a forest.
- In [another comparison](truth.md#usefulness), with fewer methods, 15 mostly wide
  tables and 10 and 20 features, `AutoSelector` was first. Here it loses on the tables
  with few features.
- The training rows of two splits overlap. Stability can be compared between methods,
  but it would be lower on independent samples.
"""
