"""Which method wins where: our methods and what people use instead, on public tables.

Each case is a table, a split of its rows into two thirds and one third, and a method.
The method ranks the features by the training rows; the best 5, 10 and 20 of them are
judged by three classifiers on the test rows, which had no part in the ranking.

``tables``   the public tables, large ones cut down to some rows
``ways``     the methods, ours and others
``judge``    the classifiers
``run``      measures what is not stored yet in ``results/``
``analysis`` mean ranks, critical differences, stability, redundancy
``pictures`` critical-difference diagrams, accuracy against time
``figures``  the numbers that the text quotes
``words``    the text
``page``     writes docs/study.md and its pictures from what is stored

    python benchmarks/study/run.py --data DIR [--minutes M] [--splits N] [--tables T …]
    python benchmarks/study/page.py
"""
