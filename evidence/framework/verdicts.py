"""Whether a claim holds by the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

HOLDS = "holds"
FAILS = "does not hold"
UNDECIDED = "undecided, compatible"
UNTESTED = "cannot be tested"
KINDS = (HOLDS, FAILS, UNDECIDED, UNTESTED)
NOTHING_CHOSEN = "–"  # instead of a second verdict
STAND_INS = f"{UNTESTED}; on stand-ins: "


@dataclass(frozen=True)
class Verdict:
    """The verdicts on a claim.

    Parameters
    ----------
    verdict : {"holds", "does not hold", "undecided, compatible", "cannot be tested"}
        By the protocol of those who made the claim.
    ours : str
        Our numbers, with the number of repeats they rest on.
    why : str
        What explains the verdict, or why there is none.
    claim : str
        The claim in words, where nothing else has them.
    honest : str, default=""
        One of the same words: whether the claim survives an honest choice. Empty where
        the protocol chooses nothing that could be chosen otherwise.
    on_stand_ins : bool, default=False
        Whether other data than those of the claim were used, which cannot refute it.
    """

    verdict: str
    ours: str = ""
    why: str = ""
    claim: str = ""
    honest: str = ""
    on_stand_ins: bool = False

    def __post_init__(self) -> None:
        for verdict in (self.verdict, self.honest or HOLDS):
            if verdict not in KINDS:
                raise ValueError(f"A verdict is one of {KINDS}, got {verdict!r}.")

    @property
    def holds(self) -> bool:
        return self.verdict == HOLDS

    @property
    def reproduced(self) -> str:
        """The first verdict in words."""
        return STAND_INS + self.verdict if self.on_stand_ins else self.verdict

    @property
    def survives(self) -> str:
        """The second verdict in words."""
        if not self.honest:
            return NOTHING_CHOSEN
        return STAND_INS + self.honest if self.on_stand_ins else self.honest


def judged(
    holds: bool, ours: str, why: str = "", *, honest: bool | None = None
) -> Verdict:
    """A verdict that decides; ``honest`` tells whether an honest choice agrees."""
    second = "" if honest is None else _word(honest)
    return Verdict(_word(holds), ours, why, honest=second)


def by_readings(
    found: Sequence[tuple[bool, bool | None]], ours: str, why: str = ""
) -> Verdict:
    """A verdict on what may mean several things, with both judgements of each.

    Where these disagree, it is undecided.
    """
    first, second = zip(*found, strict=True)
    honest = "" if None in second else _common(second)
    return Verdict(_common(first), ours, why, honest=honest)


def untested(why: str, ours: str = "") -> Verdict:
    """A verdict that cannot decide."""
    return Verdict(UNTESTED, ours, why)


def with_stand_ins(found: Verdict, which: str) -> Verdict:
    """The same of a claim whose data are not public; ``which`` took their place."""
    why = ". ".join(text for text in (found.why, which) if text)
    return replace(found, why=why, on_stand_ins=True)


def promise(claim: str, measured: str, holds: bool) -> Verdict:
    """The verdict on what we promise ourselves."""
    return Verdict(_word(holds), measured, claim=claim)


def _word(holds: bool) -> str:
    return HOLDS if holds else FAILS


def _common(found: Sequence[bool | None]) -> str:
    return _word(all(found)) if all(found) or not any(found) else UNDECIDED
