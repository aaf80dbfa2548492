"""Budgets come from the memory that is available, and too little is said at once."""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from settings_tools import changed_settings
from widemargin import IPCMSR, IPICSR, GFlip, memory
from widemargin.base import prototypes
from widemargin.datasets import make_gaussian_relevant
from widemargin.evaluation import selection_curve
from widemargin.selectors import gflip
from widemargin.settings import Settings, current

MEMINFO = "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\nSwapFree: 99000000 kB\n"


def write(root, files):
    """Files that a system tells about itself by."""
    for name, text in {"proc/meminfo": MEMINFO, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture(autouse=True)
def nothing_stated(monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_MEMORY", raising=False)


V2 = "sys/fs/cgroup/"
V1 = "sys/fs/cgroup/memory/"


class TestWhatIsAvailable:
    def test_without_groups_it_is_what_the_machine_has_left(self, tmp_path):
        assert memory.available(write(tmp_path, {})) == 8_000_000 * 1024

    def test_a_group_of_version_2_with_what_it_could_forget(self, tmp_path):
        files = {
            "proc/self/cgroup": "0::/job\n",
            V2 + "job/memory.max": "3000000\n",
            V2 + "job/memory.current": "1000000\n",
            V2 + "job/memory.stat": "anon 600000\ninactive_file 400000\n",
        }
        assert memory.available(write(tmp_path, files)) == 2_400_000

    def test_the_tightest_of_nested_groups(self, tmp_path):
        files = {
            "proc/self/cgroup": "0::/slice/job\n",
            V2 + "slice/memory.max": "3000000\n",
            V2 + "slice/memory.current": "2500000\n",
            V2 + "slice/job/memory.max": "max\n",
            V2 + "slice/job/memory.current": "100\n",
        }
        assert memory.available(write(tmp_path, files)) == 500_000

    def test_a_group_of_version_1(self, tmp_path):
        files = {
            "proc/self/cgroup": "5:cpu,cpuacct:/job\n4:memory:/job\n0::/\n",
            V1 + "memory.limit_in_bytes": "9223372036854771712\n",
            V1 + "memory.usage_in_bytes": "5000000\n",
            V1 + "job/memory.limit_in_bytes": "3000000\n",
            V1 + "job/memory.usage_in_bytes": "1000000\n",
            V1 + "job/memory.stat": "inactive_file 7\ntotal_inactive_file 8\n",
        }
        assert memory.available(write(tmp_path, files)) == 2_000_008

    def test_in_a_container_that_sees_the_path_outside(self, tmp_path):
        files = {
            "proc/self/cgroup": "4:memory:/docker/0123\n",
            V1 + "memory.limit_in_bytes": "3000000\n",
            V1 + "memory.usage_in_bytes": "1000000\n",
        }
        assert memory.available(write(tmp_path, files)) == 2_000_000

    def test_a_group_over_its_limit_has_nothing_left(self, tmp_path):
        files = {
            "proc/self/cgroup": "0::/\n",
            V2 + "memory.max": "1000\n",
            V2 + "memory.current": "2000\n",
        }
        assert memory.available(write(tmp_path, files)) == 0

    def test_without_proc_the_system_is_asked(self, tmp_path):
        left = memory.available(tmp_path)
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        assert left is not None
        assert 0 < left <= pages

    @pytest.mark.processes
    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
    def test_a_limit_on_the_address_space(self):
        code = (
            "import resource\n"
            "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
            "from widemargin import memory\n"
            "print(memory.available())"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True)
        assert run.returncode == 0, run.stderr
        assert 0 < int(run.stdout) < 2**30

    @pytest.mark.parametrize(
        ("text", "n_bytes"),
        [("12345", 12345), ("6GiB", 6 * 2**30), ("1.5 gb", 1.5 * 2**30), ("8M", 2**23)],
    )
    def test_a_stated_amount_replaces_it(self, text, n_bytes, monkeypatch):
        monkeypatch.setenv("WIDEMARGIN_MEMORY", text)
        assert memory.available() == n_bytes

    @pytest.mark.parametrize("text", ["plenty", "6XB", "-1", "GB"])
    def test_a_stated_amount_that_is_none_is_named(self, text, monkeypatch):
        monkeypatch.setenv("WIDEMARGIN_MEMORY", text)
        with pytest.raises(ValueError, match=f"such as 6000000000 or 6G, got '{text}'"):
            memory.available()


class TestGFlip:
    @pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
    def test_the_result_does_not_depend_on_the_memory(self, utility):
        X, y = load_breast_cancer(return_X_y=True)
        X, y = X[:200, :12], y[:200]
        selector = GFlip(utility=utility, n_starts=2, random_state=0)
        ample = clone(selector).fit(X, y)
        with changed_settings(kept_distance_bytes=8 * 200**2 - 1):
            assert not gflip._is_kept(8 * 200**2, current())
            scarce = selector.fit(X, y)
        np.testing.assert_array_equal(ample.scores_, scarce.scores_)
        np.testing.assert_array_equal(ample.support_, scarce.support_)
        assert ample.margin_ == scarce.margin_

    def test_a_large_matrix_is_not_kept_in_any_memory(self, monkeypatch):
        monkeypatch.setenv("WIDEMARGIN_MEMORY", "1TiB")
        assert gflip._is_kept(2**32, Settings())
        assert not gflip._is_kept(2**32 + 1, Settings())

    def test_a_matrix_is_kept_if_half_of_the_memory_is_enough(self, monkeypatch):
        monkeypatch.setenv("WIDEMARGIN_MEMORY", "2000")
        assert gflip._is_kept(1000, Settings())
        assert not gflip._is_kept(1001, Settings())

    def test_one_matrix_at_a_time(self):
        # Of 700 rows it takes 3.7 MiB, and the rest a fraction of it.
        X, y = make_gaussian_relevant(700, 6, random_state=0)
        GFlip(max_epochs=50, random_state=0).fit(X, y)  # compiles
        tracemalloc.start()
        GFlip(n_starts=4, random_state=0, max_epochs=50).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert 8 * 700**2 <= peak < 1.9 * 8 * 700**2


@pytest.mark.parametrize("selector", [IPCMSR, IPICSR])
class TestSeparabilityRatios:
    def test_too_large_a_class_is_refused_before_the_work(self, selector, monkeypatch):
        X = np.random.default_rng(0).random((1100, 3))
        y = np.repeat(["a", "b"], [1000, 100])
        monkeypatch.setenv("WIDEMARGIN_MEMORY", "7MiB")
        expected = (
            f"^{selector.__name__} needs about 7.6 MiB of memory for the distances "
            r"within class 'a' \(1000 rows\), and 7.0 MiB are available. Fit it to a "
            "sample of the rows, or use FRLL, which keeps no distances.$"
        )
        tracemalloc.start()
        with pytest.raises(memory.NotEnoughMemoryError, match=expected) as caught:
            selector().fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**20  # not even the distances within the small class
        assert isinstance(caught.value, MemoryError)
        assert isinstance(caught.value, ValueError)

    def test_what_fits_has_the_same_scores_in_any_memory(self, selector, monkeypatch):
        X, y = np.random.default_rng(0).random((50, 3)), np.repeat(["a", "b"], [40, 10])
        ample = selector().fit(X, y).scores_
        monkeypatch.setenv("WIDEMARGIN_MEMORY", f"{8 * 40**2}")
        np.testing.assert_array_equal(selector().fit(X, y).scores_, ample)
        with pytest.raises(MemoryError, match=r"needs about 25\.0 KiB"):
            selector(linkage="average").fit(X, y)

    def test_a_curve_says_which_method_it_was(self, selector, monkeypatch):
        X, y = np.random.default_rng(0).random((50, 3)), np.repeat(["a", "b"], 25)
        monkeypatch.setenv("WIDEMARGIN_MEMORY", "1KiB")
        with pytest.raises(ValueError, match=r"KiB are available\. Fit it to a sample"):
            selection_curve(selector(), X, y)


@pytest.mark.parametrize("linkage", ["summed", "average", "complete", "ward"])
def test_the_estimate_for_a_class_is_what_it_takes(linkage):
    X = np.random.default_rng(0).random((600, 2))
    y = np.repeat([0, 1], [580, 20])
    selector = IPICSR(linkage=linkage, delta=0.5, n_jobs=1)
    with changed_settings(prototype_pairs=2**10):  # little, as in a large class
        selector.fit(X, y)  # compiles
        tracemalloc.start()
        selector.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    estimate = prototypes.linkage_bytes(580, linkage)
    # SciPy's own copy, a quarter, is made where nobody traces it.
    assert 0.7 * estimate < peak < 1.2 * estimate
