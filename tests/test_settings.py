"""Settings are read when a fit begins, and belong to whoever put them in force."""

import re
import threading
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from settings_tools import changed_settings
from widemargin import ReliefF, settings
from widemargin.engine import nearest_rows
from widemargin.settings import (
    DistributedSettings,
    EffortSettings,
    Settings,
    current,
    using,
)


@pytest.mark.parametrize("kind", [Settings, DistributedSettings, EffortSettings])
def test_every_setting_is_documented_with_its_default(kind):
    documented = {}
    for names, defaults in re.findall(
        r"^    (\w+(?:, \w+)*) : \w+, default=(.+)$", kind.__doc__, re.MULTILINE
    ):
        values = [eval(text, vars(settings)) for text in defaults.split(" and ")]
        documented |= zip(names.split(", "), values, strict=True)
    assert documented == {f.name: getattr(kind(), f.name) for f in fields(kind)}


def test_settings_in_force_end_with_their_block():
    before = current()
    with using(Settings(search_bytes=1)):
        assert current().search_bytes == 1
    assert current() is before


def test_settings_do_not_reach_other_threads():
    seen = []
    with using(Settings(search_bytes=1)):
        other = threading.Thread(target=lambda: seen.append(current().search_bytes))
        other.start()
        other.join()
    assert seen == [Settings().search_bytes]


def test_settings_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        current().search_bytes = 1


@pytest.mark.parametrize(("d", "small"), [(32, True), (33, False)])
def test_a_small_table_has_few_cells_in_all_pairs_of_rows(d, small):
    assert Settings().is_small_table(256, d) == small
    assert not Settings().is_small_table(257, 1)


def test_the_users_settings_search_small_tables_by_numpy(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 5)), rng.integers(0, 2, 40)
    expected = ReliefF().fit(X, y).scores_
    with using(Settings()):
        monkeypatch.setattr(nearest_rows, "Search", None)  # the compiled search
        np.testing.assert_allclose(ReliefF().fit(X, y).scores_, expected, rtol=1e-12)
        with changed_settings(small_table_rows=10), pytest.raises(TypeError):
            ReliefF().fit(X, y)
