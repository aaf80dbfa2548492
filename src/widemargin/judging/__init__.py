"""Cross-fitting: rank in the training part of each fold, judge in its test part.

An accuracy that is shown for k features comes from rows that had no part in ranking or
scaling them. The steps, each of its own use:

1. `fold_rows` deals the rows out to ten stratified folds;
2. the caller ranks the features by the training rows of each fold;
3. `judge` counts the test rows that 1-NN gets right with the best 1, 2, … features of
   the fold's ranking, thinned out or not (`widemargin.judging.thinning`);
4. `choose` picks the size, and how redundant features are treated; `optimism` says how
   much the accuracy of what was picked owes to that (`excess`, if each fit names a
   size of its own).

For a numeric target, folds are dealt without classes, the judge is the mean of the five
nearest rows, and the score is R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)² over all test rows: 0 is
what predicting the mean ȳ scores.
"""
