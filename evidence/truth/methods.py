"""Selectors by name, so that a case can be JSON."""

from __future__ import annotations

from typing import Any

from widemargin import LMBA, Relief, ReliefF, Simba
from widemargin.baselines import MRMR, FisherScore


def selector(name: str, **options: Any) -> Any:
    """A new selector."""
    made = {
        "Relief": lambda: Relief(),
        "ReliefF": lambda: ReliefF(),
        "Simba": lambda: Simba(random_state=0, n_starts=1),
        "LMBA": lambda: LMBA(random_state=0),
        "FisherScore": lambda: FisherScore(),
        "MRMR": lambda: MRMR(),
    }[name]()
    return made.set_params(**options)
