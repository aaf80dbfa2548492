"""What a paper consists of: experiments, claims, findings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evidence.papers.drawing import Figure

HOLDS = "holds"
FAILS = "does not hold"
UNTESTED = "cannot be tested"
VERDICTS = (HOLDS, FAILS, UNTESTED)

Case = dict[str, Any]  # what tells one run from others, with its seed; JSON can hold it
Result = dict[str, Any]  # what it found; JSON can hold it
Row = dict[str, Any]  # case and result in one
Data = Callable[[str], Any]  # a public data set by name


class Missing(Exception):
    """Data that a case needs are not there; the message says how to supply them."""


class NoResults(LookupError):
    """There is no result that a claim, a table or a figure needs."""


class Results:
    """The rows of an experiment: case and result in one dictionary each."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, **fields: Any) -> Results:
        """Those with these values.

        Raises
        ------
        NoResults
            If there are none.
        """
        found = [r for r in self.rows if all(r.get(k) == v for k, v in fields.items())]
        if not found:
            raise NoResults(", ".join(f"{k} {v}" for k, v in fields.items()))
        return Results(found)

    def has(self, **fields: Any) -> bool:
        """Whether there are any with these values."""
        return any(all(r.get(k) == v for k, v in fields.items()) for r in self.rows)

    def values(self, name: str) -> list[Any]:
        """One field of every row that has it, in the order of the rows."""
        return [row[name] for row in self.rows if name in row]


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim.

    Parameters
    ----------
    verdict : {"holds", "does not hold", "cannot be tested"}
    ours : str
        Our numbers, with the number of repeats they rest on.
    why : str
        What explains the verdict, or why there is none.
    """

    verdict: str
    ours: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(
                f"The verdict of a Finding is one of {VERDICTS}, got {self.verdict!r}."
            )


def judged(holds: bool, ours: str, why: str = "") -> Finding:
    """A finding that decides."""
    return Finding(HOLDS if holds else FAILS, ours, why)


def untested(why: str, ours: str = "") -> Finding:
    """A finding that cannot decide."""
    return Finding(UNTESTED, ours, why)


@dataclass(frozen=True)
class never:
    """A judge of what nobody can test."""

    why: str

    def __call__(self, results: Results) -> Finding:
        """Say why."""
        return untested(self.why)


@dataclass(frozen=True)
class Claim:
    """What a paper says.

    Parameters
    ----------
    where : str
        The table or figure, or the section: "Figure 1", "Section 5.3".
    text : str
        The claim, in a sentence.
    published : str
        The paper's number, if it gives one.
    judge : callable
        ``judge(results)`` returns the `Finding`. It may raise `NoResults`.
    criterion : str, default=""
        When the claim holds, to be read after "It holds if": "the mean is above 0.9".
        Needed unless nobody can test the claim.
    """

    where: str
    text: str
    published: str
    judge: Callable[[Results], Finding]
    criterion: str = ""

    def __post_init__(self) -> None:
        if not self.criterion and not isinstance(self.judge, never):
            raise ValueError(
                f"The claim {self.text!r} can be judged, so it needs a criterion: say "
                "in words when it holds."
            )

    def find(self, results: Results, missing: Sequence[str] = ()) -> Finding:
        """The finding; without the results it needs, why they are not there."""
        try:
            if not len(results) and not isinstance(self.judge, never):
                raise NoResults("there are no results")
            return self.judge(results)
        except NoResults as error:
            why = " ".join(missing) or f"It has not been run ({error})."
            return untested(why)


@dataclass(frozen=True)
class Table:
    """A table of the page.

    Parameters
    ----------
    title : str
    header : sequence of str
    rows : sequence of sequences
        Text, or numbers, which are right-aligned.
    note : str, default=""
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


class Experiment(ABC):
    """A part of a paper that is run by itself.

    Attributes
    ----------
    key : str
        Name of its file of results: "xor".
    covers : tuple of str
        Tables and figures that it is about: ("Figure 1", "Table 2").
    title : str
    how : str
        What is done, in a few sentences; where it differs from the paper, and why.
    """

    key: str
    covers: tuple[str, ...]
    title: str
    how: str

    @abstractmethod
    def cases(self, quick: bool) -> Sequence[Case]:
        """What to run; ``quick`` asks for a few small cases that take seconds."""

    @abstractmethod
    def run(self, case: Case, data: Data) -> Result:
        """Run one case."""

    @abstractmethod
    def claims(self) -> Sequence[Claim]:
        """What the paper says, and how it is judged."""

    def tables(self, results: Results) -> Sequence[Table]:
        """Tables of the page. May raise `NoResults`."""
        return ()

    def figures(self, results: Results) -> Sequence[Figure]:
        """Figures of the page. May raise `NoResults`."""
        return ()


@dataclass(frozen=True)
class Paper:
    """A paper, and what can be reproduced of it.

    Parameters
    ----------
    key, alias : str
        "001" and "simba".
    authors, title, where : str
        The citation.
    experiments : sequence of Experiment
    about : str
        A paragraph for the top of its page: what was found, in general.
    """

    key: str
    alias: str
    authors: str
    title: str
    where: str
    experiments: Sequence[Experiment] = field(default_factory=tuple)
    about: str = ""

    @property
    def citation(self) -> str:
        """Authors, title, where it appeared."""
        return f"{self.authors}, {self.title}, {self.where}"
