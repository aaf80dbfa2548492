"""Whether a claim holds by the results."""

from __future__ import annotations

from dataclasses import dataclass

HOLDS = "holds"
FAILS = "does not hold"
UNTESTED = "cannot be tested"


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim.

    Parameters
    ----------
    verdict : {"holds", "does not hold", "cannot be tested"}
    ours : str
        Our numbers, with the number of repeats they rest on.
    why : str
        What explains the verdict, or why there is none.
    claim : str
        The claim in words, where nothing else has them.
    """

    verdict: str
    ours: str = ""
    why: str = ""
    claim: str = ""

    def __post_init__(self) -> None:
        known = (HOLDS, FAILS, UNTESTED)
        if self.verdict not in known:
            raise ValueError(f"A verdict is one of {known}, got {self.verdict!r}.")

    @property
    def holds(self) -> bool:
        return self.verdict == HOLDS


def judged(holds: bool, ours: str, why: str = "") -> Verdict:
    """A verdict that decides."""
    return Verdict(HOLDS if holds else FAILS, ours, why)


def untested(why: str, ours: str = "") -> Verdict:
    """A verdict that cannot decide."""
    return Verdict(UNTESTED, ours, why)


def promise(claim: str, measured: str, holds: bool) -> Verdict:
    """The verdict on what we promise ourselves."""
    return Verdict(HOLDS if holds else FAILS, measured, claim=claim)
