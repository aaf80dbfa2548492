"""The command line.

``main.py`` is the way in, ``group.py`` lists the commands and the files of
``commands/`` that they are in; ``options.py`` has the options they share. A file on
disk becomes a frame in ``reading/``, in memory or, by ``reading/lazy.py``, on Dask, and
a data set in ``prepare/``; from there on everything is the public Python interface.
Whatever the user can put right is a `Problem`: one line, exit code 2.

Click is imported at the top of these files; numpy, pandas, scikit-learn, numba and rich
inside functions, so that help, version and shell completion answer at once.
"""
