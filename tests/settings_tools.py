"""Other settings for a test."""

from contextlib import contextmanager
from dataclasses import replace

from widemargin.settings import current, using


@contextmanager
def changed_settings(**changed):
    """Put settings in force that differ in some values."""
    with using(replace(current(), **changed)):
        yield


@contextmanager
def effort_settings(**changed):
    """The same for what work is worth its time."""
    with changed_settings(effort=replace(current().effort, **changed)):
        yield


@contextmanager
def distributed_settings(**changed):
    """The same for settings of fits to Dask collections."""
    with changed_settings(distributed=replace(current().distributed, **changed)):
        yield
