"""The sentences of docs/study.md that are written by hand."""

TAKE_AWAY = """\
**What to take from it: leave near copies out, and take a ranking that sees
interactions.** On average, `MultiSURF(redundancy="auto")` was {nn} points more accurate
than the importances of a random forest with 1-NN, {lr} with logistic regression and
{gb} with boosting, in {time} of its time. On Madelon it was {madelon} points ahead of
the forest; recursive elimination was {madelon_rfe}, mRMR {madelon_mrmr} and L1
{madelon_l1}.

- **There is no overall winner.** Recursive elimination (RFE), mRMR, `AutoSelector`, and
  MultiSURF or a forest with `redundancy="auto"`, share the top and cannot be told
  apart.
- **Which methods are better than forest importances beyond chance?** By
  [Wilcoxon's test with Holm's correction](#against-forest-importances): {above}. Many
  are worse.
- **Our margin methods with their defaults lose to a forest**: MultiSURF by {multisurf}
  points, ReliefF by {relieff}, Simba by {simba} (mean of the three classifiers). They
  rank near copies side by side, and the default is `redundancy=None`. With
  `redundancy="auto"` MultiSURF gains {thinned} points, ReliefF {thinned_relieff} and
  the forest itself {thinned_forest}.
- **Up to 34 features there is little to win.** The best method is {narrow} points ahead
  of a forest on {n_narrow} such tables. Over 1000 features RFE gains {wide_rfe} points,
  MultiSURF with `redundancy="auto"` {wide}, mRMR {wide_mrmr}.
- **No better than a random ranking**, by mean accuracy and within one point: {random}.
  Take them for the problems they were made for, or not at all.
"""

HOW = """\
## How it was measured

**Tables.** {n_tables} public tables with classes (number of features in parentheses):
{tables}. Large tables take part with at most 1000 rows and wide ones with at most 2500
features (`benchmarks/study/tables.py`).

**Splits.** Each table is split at random into two thirds of its rows and one third,
{splits} times, stratified by class, with groups kept together. Each of {n_ways} methods
ranks the features by the two thirds, with its defaults. The best 5, 10 and 20 features
are handed to 1-NN, logistic regression and gradient boosting (15 rounds of trees of
depth 3), which are trained on the same two thirds and tested on the third. Tables are
the units of all tests: splits are averaged first.

**Costly methods.** `AutoSelector`, Boruta and the forest with `redundancy="auto"` take
seconds and were run on {costly} of the splits. Splits differ in difficulty, so their
difference to the other methods on the same splits is what counts.

**Not planned beforehand.** MultiSURF, FisherScore and the forest with
`redundancy="auto"` were added after the first split of most tables had been seen,
since ReliefF had gained so much by it. That MultiSURF leads is a finding to confirm on
other tables.

**`AutoSelector`** was asked for {asked} features, and its ranking was cut at 5 and
continued to 20: asked for 5 or 20 it might have chosen another method. It compares
methods in folds of the training rows, by 1-NN, and does not know which classifier will
be trained on its choice.

    python benchmarks/study/run.py --data DIR   # resumes where it was stopped
    python benchmarks/study/page.py             # this page
"""

LIMITS = """\
## What this does not show

- All methods ran with their defaults. Tuning the number of neighbours, the penalty or
  the trees may change the order.
- The tables are small, and most of those with many features are images. The test set is
  a third of a small table, which is why there are several splits, and why tables are
  the units.
- Boruta decides which features matter and was not made to rank them. Here its ranks
  count, and a forest breaks their ties.
- In [another comparison](truth.md#usefulness), of fewer methods on 15 mostly wide
  tables with 10 and 20 features, `AutoSelector` was first. The tables with few features
  are what it loses by here.
- The training rows of two splits overlap. Stability can be compared between methods;
  on new rows it would be lower.
"""
