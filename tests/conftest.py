import os

import pytest
from hypothesis import settings

from settings_tools import changed_settings

# Written for other packages, and run with another import by test_compat.py.
collect_ignore = ["scripts", "typing"]

# The same examples every time where nobody is there to look at a new one.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(autouse=True)
def small_data_like_large():
    """Use threads and the compiled search for the small data of tests, too."""
    with changed_settings(single_thread_work=0, small_table_rows=0):
        yield
