"""Tasks, and the graph that they form.

Dask's own `delayed` searches all arguments for others of its kind, and merges and names
graphs at every call. With blocks of rows that are searched in a fraction of a second,
that would be a good part of the time. Here a graph is written once, when it is sent,
and the arguments of a task that are not results of other tasks are opaque to Dask.
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
class Placeholder:
    """Stands for the result of another task among the arguments."""

    number: int


@dataclass(frozen=True, slots=True)
class DeferredCall:
    """A function and its arguments, some of which are placeholders."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


# Recursive functions are not nested in others: a closure would refer to itself, and
# keep blocks of rows in memory until the next garbage collection.


def run(call: DeferredCall, *results: Any) -> Any:
    """Make a call, given the results that it has waited for."""
    return call.function(*(_filled(value, results) for value in call.args))


def _filled(value: Any, results: tuple[Any, ...]) -> Any:
    kind = type(value)
    if kind is Placeholder:
        return results[value.number]
    if kind is list or kind is tuple:
        return kind(_filled(v, results) for v in value)
    return run(value, *results) if kind is DeferredCall else value


class Task:
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
        keys: dict[Any, Placeholder] = {}
        call = DeferredCall(function, self._with_placeholders(args, keys, foreign))
        self.entry: Any = (run, call, *keys)  # what a graph of Dask has under the key

    def _with_placeholders(
        self, value: Any, keys: dict[Any, Placeholder], foreign: Callable[[Any], Any]
    ) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            return kind(self._with_placeholders(v, keys, foreign) for v in value)
        if kind is DeferredCall:
            args = self._with_placeholders(value.args, keys, foreign)
            return DeferredCall(value.function, args)
        key = value.key if kind is Task else foreign(value)
        if key is None:
            return value
        if key not in keys:
            keys[key] = Placeholder(len(keys))
            self.needs.append(value)
        return keys[key]

    def __getitem__(self, place: int) -> DeferredCall:
        """An item of the result, taken inside the task that uses it."""
        return DeferredCall(getitem, (self, place))

    def become(self, entry: Any) -> Task:
        """The same task with another entry in the graph, which needs nothing."""
        self.entry, self.needs = entry, []
        return self


def result(key: Any, future: Any) -> Task:
    """The task of a result that is being computed already."""
    task = constant(None)
    task.key = key
    return task.become(future)


def constant(value: Any) -> Task:
    """A task whose result is a given value."""
    return Task(partial(_identity, value), ())


def _identity(value: Any) -> Any:
    return value


def closure(results: Iterable[Any]) -> tuple[list[Task], list[Any]]:
    """All tasks that some results need, and what other libraries compute for them."""
    known: dict[int, Any] = {}
    left = list(results)
    while left:
        value = left.pop()
        if id(value) not in known:
            known[id(value)] = value
            left += value.needs if isinstance(value, Task) else ()
    tasks = [value for value in known.values() if isinstance(value, Task)]
    return tasks, [value for value in known.values() if not isinstance(value, Task)]
