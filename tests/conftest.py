import pytest

import widemargin.base


@pytest.fixture(autouse=True)
def threads_on_small_data(monkeypatch):
    """Tests have small data, on which selectors would not use threads at all."""
    monkeypatch.setattr(widemargin.base, "SMALL", 0)
