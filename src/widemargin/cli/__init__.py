"""The command line.

``main.py`` is the way in, ``group.py`` lists the commands, and each command has a file
named after it; ``options.py`` has the options they share. A file on disk becomes a
frame in ``reading/`` and a data set in ``dataset.py``, or, part by part, a Dask frame
in ``reading/lazy.py`` and a data set in ``lazy.py``; from there on everything is the
public Python interface. Whatever the user can put right is a `Problem`: one line, exit
code 2.

Click is imported at the top of these files; numpy, pandas, scikit-learn, numba and rich
inside functions, so that help, version and shell completion answer at once.
"""
