"""Cross-fitting: rank in the training part of each fold, score in its test part.

An accuracy that is shown for k features comes from rows that had no part in ranking or
scaling them. The steps:

1. `folds` deals the rows out;
2. the caller ranks the features by the training rows of each fold;
3. `sweep` scores the best 1, 2, … features of the fold's ranking in its test rows, with
   or without near copies (`thinning`);
4. `scores` has the rule that picks a configuration, standard errors, and the correction
   of the score for having been picked.

For a numeric target, folds are not stratified, the judge is the mean of the five
nearest rows, and the score is R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)² over all test rows: 0 is
what predicting the mean ȳ scores.
"""
