"""Numbers in text, read to the last digit by every supported release of pandas."""

from __future__ import annotations


def exact_numbers() -> dict[str, str]:
    """What `pandas.read_csv` has to be told to return the nearest number.

    Until pandas 3.1 the default may be wrong in the last digit. From then on it is
    exact, and the option is deprecated.
    """
    import pandas as pd

    major, minor = pd.__version__.split(".")[:2]
    if (int(major), int(minor)) >= (3, 1):
        return {}
    return {"float_precision": "round_trip"}
