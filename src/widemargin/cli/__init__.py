"""The command line.

``main.py`` is the way in, ``group.py`` lists the commands, and each command has a file
named after it. Click is imported at the top of those files; numpy, scikit-learn, numba
and rich inside functions, so that help, version and shell completion answer at once.
"""
