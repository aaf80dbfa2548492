"""What a paper consists of: experiments and claims."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evidence.data import Sets
from evidence.framework.results import NoResults, Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import UNTESTED, Verdict, untested
from evidence.papers.drawing import Figure


@dataclass(frozen=True)
class never:
    """A judge of what nobody can test."""

    why: str

    def __call__(self, results: Results) -> Verdict:
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
        ``judge(results)`` returns the `Verdict`. It may raise `NoResults`.
    criterion : str, default=""
        When the claim is reproduced, by the protocol of the paper, to be read after "It
        holds if": "the mean is above 0.9". Needed unless nobody can test the claim.
    honest : str, default=""
        When it survives an honest choice, to be read likewise; empty where the paper
        chooses nothing.
    changed : str, default=""
        Date of a change of a criterion after first results, and the reason.
    """

    where: str
    text: str
    published: str
    judge: Callable[[Results], Verdict]
    criterion: str = ""
    honest: str = ""
    changed: str = ""

    def __post_init__(self) -> None:
        if not self.criterion and not isinstance(self.judge, never):
            raise ValueError(
                f"The claim {self.text!r} can be judged, so it needs a criterion: say "
                "in words when it holds."
            )

    def find(self, results: Results, missing: Sequence[str] = ()) -> Verdict:
        """The verdict; without the results it needs, why they are not there."""
        try:
            if not len(results) and not isinstance(self.judge, never):
                raise NoResults("there are no results")
            found = self.judge(results)
        except NoResults as error:
            why = " ".join(missing) or f"It has not been run ({error})."
            return Verdict(UNTESTED, why=why, honest=self.honest and UNTESTED)
        if found.verdict != UNTESTED and bool(found.honest) != bool(self.honest):
            raise ValueError(
                f"The claim {self.text!r} needs a second verdict and its criterion, or "
                "neither."
            )
        return found


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
    on_page : bool, default=False
        Whether the documentation shows it, too, and not only the page of a run.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    on_page: bool = False


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
    def measure(self, case: Case, data: Sets) -> Result:
        """Measure one case."""

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
    unimplemented : sequence of (str, str, str)
        Remarks that have no code: the place in the paper, the remark, the reason.
    """

    key: str
    alias: str
    authors: str
    title: str
    where: str
    experiments: Sequence[Experiment] = field(default_factory=tuple)
    about: str = ""
    unimplemented: Sequence[tuple[str, str, str]] = ()

    @property
    def citation(self) -> str:
        """Authors, title, where it appeared."""
        return f"{self.authors}, {self.title}, {self.where}"
