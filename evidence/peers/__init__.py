"""Side by side with other packages: time, memory, and distance from the oracle.

    python -m evidence.peers                 all of it (best on a quiet machine)
    python -m evidence.peers --sizes small   one small size, to try it
    python -m evidence.peers --page                docs/benchmarks.md from the results

Every package works in a process of its own, on the same table, with two threads. Fits
take turns, ours and theirs, so that what else the machine does slows both; figures
are medians. A first fit of the same table, not counted, compiles what is to compile.

cases.py   what is compared with what, at which sizes
worker.py  one process: a fit whenever it is asked for one
run.py     lets two workers take turns, and stores what they say in results.json
page.py    writes the page
"""
