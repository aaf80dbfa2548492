"""What a reader chooses a method by."""

from __future__ import annotations

from typing import NamedTuple


class About(NamedTuple):
    """What a reader chooses a method by; see `widemargin.methods`."""

    paper: str
    cost: str  # for n samples and d features
    needs: str = "classes"
    gives: str = "ranking"
