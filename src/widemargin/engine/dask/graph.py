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
from typing import Any
from uuid import uuid4

from widemargin.engine.dask import _dask

_session, _numbers = uuid4().hex, count()


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Stands for the result of another task among the arguments."""

    number: int


# Recursive functions are not nested in others: a closure would refer to itself, and
# keep blocks of rows in memory until the next garbage collection.


def run(function: Callable[..., Any], args: tuple[Any, ...], *results: Any) -> Any:
    """Make a call, given the results that it has waited for."""
    return function(*_filled(args, results))


def _filled(value: Any, results: tuple[Any, ...]) -> Any:
    kind = type(value)
    if kind is Placeholder:
        return results[value.number]
    if kind is list or kind is tuple:
        return kind(_filled(v, results) for v in value)
    return value


class Task:
    """A call that is to be made somewhere, and whose result others may use.

    Parameters
    ----------
    function : callable
    args : tuple
        Tasks, and partitions of a collection, are waited for; so are those in lists and
        tuples.
    """

    __slots__ = ("entry", "key", "needs")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        plain = function.func if isinstance(function, partial) else function
        name = getattr(plain, "__name__", "task").strip("_<>")
        # Copies of this process would number theirs in the same way.
        self.key: Any = f"{name}-{_session}-{os.getpid()}-{next(_numbers)}"
        self.needs: list[Any] = []
        keys: dict[Any, Placeholder] = {}
        call = partial(run, function, self._with_placeholders(args, keys))
        self.entry: Any = (call, *keys)  # what a graph of Dask has under the key

    def _with_placeholders(self, value: Any, keys: dict[Any, Placeholder]) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            return kind(self._with_placeholders(v, keys) for v in value)
        if not isinstance(value, Task | _dask.Delayed):
            return value
        if value.key not in keys:
            keys[value.key] = Placeholder(len(keys))
            self.needs.append(value)
        return keys[value.key]

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
    """All tasks that some results need, and the partitions that these need."""
    known: dict[int, Any] = {}
    left = list(results)
    while left:
        value = left.pop()
        if id(value) not in known:
            known[id(value)] = value
            left += value.needs if isinstance(value, Task) else ()
    tasks = [value for value in known.values() if isinstance(value, Task)]
    return tasks, [value for value in known.values() if not isinstance(value, Task)]
