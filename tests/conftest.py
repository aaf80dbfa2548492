import os

import pytest
from hypothesis import settings

import widemargin.base
from widemargin.engine import small

# The same examples every time where nobody is there to look at a new one.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(autouse=True)
def threads_on_small_data(monkeypatch):
    """Tests have small data, on which selectors would not use threads at all."""
    monkeypatch.setattr(widemargin.base, "SMALL", 0)


@pytest.fixture(autouse=True)
def search_in_small_data(monkeypatch):
    """Nor the compiled search."""
    monkeypatch.setattr(small, "ROWS", 0)
