"""Side by side with other packages: time, memory, and distance from the oracle.

Every package works in a process of its own, on the same table, with two threads. Fits
take turns, ours and theirs, so that what else the machine does slows both; figures
are medians. A first fit of the same table, not counted, compiles what is to compile.
Measure on a quiet machine; ``--quick`` takes small tables, to try it.

``comparisons``, ``growth``, ``limits``   what is measured
``fits``    tables, and fits of every package
``worker``  one process: a fit whenever it is asked for one
``turns``   lets two workers take turns
``oracle``  scores by the naive implementations of the tests
``page``    makes docs/benchmarks.md
"""
