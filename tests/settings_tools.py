"""Other settings for a test."""

from contextlib import contextmanager
from dataclasses import replace

from widemargin.settings import current, using


@contextmanager
def distributed_settings(**changed):
    """Put settings for Dask collections in force that differ in some values."""
    new = replace(current().distributed, **changed)
    with using(replace(current(), distributed=new)):
        yield
