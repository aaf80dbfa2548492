"""The command line.

``main.py`` is the way in, ``group.py`` lists the commands and the files of
``commands/`` that they are in; ``options.py`` has the options they share. A file on
disk becomes a frame in ``reading/``, in memory or, by ``reading/lazy.py``, on Dask, and
a data set in ``prepare/``; from there on everything is the public Python interface.
Whatever the user can put right is a `Problem`: one line, exit code 2.

The commands import Click, and what needs no data; the rest they import once it is sure
that there is work. So help, completion and the usual mistakes are answered at once.
"""
