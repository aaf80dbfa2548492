"""Calls that are to be made somewhere, and the graph that they are to one another.

Dask's own `delayed` looks through all arguments for others of its kind, and merges and
names graphs at every call: with blocks of rows that are searched in a fraction of a
second, that would be a good part of the time. Here, a graph is written down once, when
it is sent, and what a call is given besides results of other calls is opaque to Dask.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import count
from operator import getitem
from typing import Any
from uuid import uuid4

_session, _numbers = uuid4().hex, count()


@dataclass(frozen=True, slots=True)
class Hole:
    """Where the result of another call goes."""

    number: int


@dataclass(frozen=True, slots=True)
class Work:
    """A function and its arguments, some of which are not there yet."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


# Functions that call themselves are not made inside of others: they would refer to
# themselves, and blocks of rows that they know of would stay until Python looks for
# such circles.


def run(work: Work, *results: Any) -> Any:
    """Do some work, given what it has waited for."""
    return work.function(*(_filled(value, results) for value in work.args))


def _filled(value: Any, results: tuple[Any, ...]) -> Any:
    kind = type(value)
    if kind is Hole:
        return results[value.number]
    if kind is list or kind is tuple:
        return kind(_filled(v, results) for v in value)
    return run(value, *results) if kind is Work else value


class Call:
    """A call that is to be made somewhere, and whose result others may use.

    Parameters
    ----------
    function : callable
    args : tuple
        Calls, or what ``foreign`` says to come from elsewhere, are waited for; so are
        those in lists and tuples.
    foreign : function
        The key of what another library computes, None for anything else.
    """

    __slots__ = ("entry", "key", "needs")

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        foreign: Callable[[Any], Any] = lambda value: None,
    ) -> None:
        plain = function.func if isinstance(function, partial) else function
        name = getattr(plain, "__name__", "task").strip("_<>")
        # Copies of this process would number theirs in the same way.
        self.key: Any = f"{name}-{_session}-{os.getpid()}-{next(_numbers)}"
        self.needs: list[Any] = []
        keys: dict[Any, Hole] = {}
        work = Work(function, self._with_holes(args, keys, foreign))
        self.entry: Any = (run, work, *keys)  # what a graph of Dask has under the key

    def _with_holes(
        self, value: Any, keys: dict[Any, Hole], foreign: Callable[[Any], Any]
    ) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            return kind(self._with_holes(v, keys, foreign) for v in value)
        if kind is Work:
            args = self._with_holes(value.args, keys, foreign)
            return Work(value.function, args)
        key = value.key if kind is Call else foreign(value)
        if key is None:
            return value
        if key not in keys:
            keys[key] = Hole(len(keys))
            self.needs.append(value)
        return keys[key]

    def __getitem__(self, place: int) -> Work:
        """A part of the result, to be taken where it is used."""
        return Work(getitem, (self, place))

    def become(self, entry: Any) -> Call:
        """The same with something else in the graph, which needs nothing."""
        self.entry, self.needs = entry, []
        return self


def result(key: Any, future: Any) -> Call:
    """What is being computed already, as if it were a call."""
    call = constant(None)
    call.key = key
    return call.become(future)


def constant(value: Any) -> Call:
    """A value that several calls use."""
    return Call(partial(_same, value), ())


def _same(value: Any) -> Any:
    return value


def closure(results: Iterable[Any]) -> tuple[list[Call], list[Any]]:
    """All calls that some results need, and what comes from elsewhere."""
    known: dict[int, Any] = {}
    left = list(results)
    while left:
        value = left.pop()
        if id(value) not in known:
            known[id(value)] = value
            left += value.needs if isinstance(value, Call) else ()
    calls = [value for value in known.values() if isinstance(value, Call)]
    return calls, [value for value in known.values() if not isinstance(value, Call)]
