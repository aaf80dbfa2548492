"""Compiled code is kept where it can be, read with care, and never needed."""

import gc
import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest

import widemargin
from waiting import LONG
from widemargin import Simba
from widemargin.kernels import when_compiling
from widemargin.kernels._cache import private_folder

pytestmark = pytest.mark.processes

KERNELS = """
from widemargin.kernels._jit import cached_njit

@cached_njit
def twice(x):
    return x + x

@cached_njit
def square(x):
    return x * x
"""
# Prints both results for two types, the folder, hits and misses.
SCRIPT = """
import small_kernels as k
print([f(x) for f in (k.twice, k.square) for x in (3, 0.5)])
stats = [f.stats for f in (k.twice, k.square)]
print(stats[0].cache_path)
print(*(sum(sum(s[i].values()) for s in stats) for i in (1, 2)))
"""
RESULTS = "[6, 1.0, 9, 0.25]"
PACKAGE = Path(widemargin.__file__).parent
NOBODY = 65534

posix = pytest.mark.skipif(os.name != "posix", reason="folders have owners on POSIX")


@pytest.fixture
def folder(tmp_path):
    """Some compiled functions, and a folder for temporary files."""
    (tmp_path / "small_kernels.py").write_text(KERNELS)
    (tmp_path / "tmp").mkdir(mode=0o700)
    return tmp_path


def start(folder, script=SCRIPT, flags=("-W", "error"), **variables):
    dropped = {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}
    kept = {k: v for k, v in os.environ.items() if k not in dropped}
    path = os.pathsep.join([str(folder), str(PACKAGE.parent)])
    places = {"PYTHONPATH": path, "TMPDIR": str(folder / "tmp")}
    return subprocess.Popen(
        [sys.executable, "-B", *flags, "-c", script],
        env=kept | places | variables,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == 0, err
    return out.splitlines(), err


def run(folder, script=SCRIPT, **options):
    return finish(start(folder, script, **options))


def nowhere(folder):
    """Neither the folder of the source nor HOME can be written to, by root either."""
    (folder / "__pycache__").write_text("a file where Numba would make a folder")
    return {"HOME": os.devnull}


@posix
class TestWithoutAPlace:
    def test_a_private_temporary_folder_is_used(self, folder):
        again = f"\nimport sys\ndel sys.modules['small_kernels']\n{SCRIPT}"
        lines, _ = run(folder, SCRIPT + again, **nowhere(folder))
        results, place, counts = lines[:3]
        assert (results, counts) == (RESULTS, "0 4")
        private = folder / "tmp" / f"widemargin-{os.geteuid()}"
        assert Path(place).parent == private
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert lines[3:] == [RESULTS, place, "4 0"]

    def test_without_any_there_is_one_notice_and_the_same_results(self, folder):
        variables = nowhere(folder)
        (folder / "tmp" / f"widemargin-{os.geteuid()}").mkdir(mode=0o777)
        (folder / "tmp" / f"widemargin-{os.geteuid()}").chmod(0o777)
        (results, _, counts), err = run(folder, flags=(), **variables)
        assert (results, counts) == (RESULTS, "0 4")
        assert (
            err.count("Warning") == err.count("every new process compiles again") == 1
        )
        assert list((folder / "tmp").rglob("*.nb*")) == []

    def test_without_a_home_nothing_is_made_of_the_tilde(self, folder):
        # That of a user whom the system does not know is "~" itself.
        (folder / "__pycache__").write_text("")
        script = "import pwd\npwd.getpwuid = {}.__getitem__\n" + SCRIPT
        script = "import os\nos.environ.pop('HOME', None)\n" + script
        (results, place, _), _ = run(folder, script)
        assert results == RESULTS
        assert Path(place).is_relative_to(folder / "tmp")
        assert not (folder / "~").exists()


@posix
class TestPrivateFolder:
    def test_it_is_made_and_found_again(self, tmp_path):
        for _ in range(2):
            private_folder(tmp_path / "mine")
        assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o700

    @pytest.mark.parametrize("mode", [0o701, 0o710, 0o777])
    def test_one_that_others_may_enter_is_refused(self, tmp_path, mode):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine").chmod(mode)
        with pytest.raises(PermissionError, match="not a private folder of this user"):
            private_folder(tmp_path / "mine")

    def test_a_link_is_refused(self, tmp_path):
        (tmp_path / "other").mkdir(mode=0o700)
        (tmp_path / "mine").symlink_to(tmp_path / "other")
        with pytest.raises(PermissionError, match="not a private folder of this user"):
            private_folder(tmp_path / "mine")

    def test_one_among_files_that_all_may_move_is_refused(self, tmp_path):
        tmp_path.chmod(0o777)
        with pytest.raises(PermissionError, match="not a private folder of this user"):
            private_folder(tmp_path / "mine")
        tmp_path.chmod(0o1777)  # as /tmp is: everybody may only move their own
        private_folder(tmp_path / "mine")

    @pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root"
    )
    def test_that_of_another_user_is_refused(self, tmp_path):
        (tmp_path / "mine").mkdir(mode=0o700)
        os.chown(tmp_path / "mine", NOBODY, NOBODY)
        with pytest.raises(PermissionError, match="not a private folder of this user"):
            private_folder(tmp_path / "mine")


@pytest.fixture
def installed():
    """A copy of the package that another user can read and not write."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    shutil.copytree(
        PACKAGE, root / "widemargin", ignore=shutil.ignore_patterns("*.nbc")
    )
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    yield root
    shutil.rmtree(root)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root"
)
def test_another_user_without_a_home_fits_and_keeps_the_code(installed):
    libraries = Path(numba.__file__).parents[1]

    def run_as_nobody(python, script):
        return subprocess.run(
            [python, "-W", "error", "-c", script],
            env={
                "PYTHONPATH": os.pathsep.join([str(installed), str(libraries)]),
                "HOME": "/nonexistent",
                "TMPDIR": str(installed / "tmp"),
            },
            cwd="/",
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            text=True,
        )

    # Whether they can be read; to import them takes two seconds.
    look = (
        "from importlib.util import find_spec\n"
        "for name in ('numba', 'sklearn'):\n"
        "    open(find_spec(name).origin).close()\n"
    )

    def is_able(python):
        try:
            return run_as_nobody(python, look).returncode == 0
        except OSError:
            return False

    # This Python may be in a folder that is closed to others.
    system = "/usr/bin/python{}.{}".format(*sys.version_info)
    python = next(filter(is_able, (sys.executable, system)), None)
    if python is None:
        pytest.skip("another user cannot run this Python")
    script = (
        "import numpy as np\n"
        "from widemargin import Relief\n"
        "from widemargin.kernels._jit import cache_counts\n"
        "X, y = np.eye(6)[:, :3], [0, 1] * 3\n"
        "print(Relief(n_jobs=1).fit(X, y).scores_.tolist())\n"
        "print(*cache_counts())\n"
    )
    first, second = (run_as_nobody(python, script) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert first.stdout.splitlines()[0] == second.stdout.splitlines()[0]  # scores
    compiled, loaded = (tuple(map(int, r.stdout.split()[-2:])) for r in (first, second))
    assert compiled[0] > 0 == compiled[1]
    assert loaded[0] == 0 < loaded[1]
    private = installed / "tmp" / f"widemargin-{NOBODY}"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert private.stat().st_uid == NOBODY


def load(folder):
    """The compiled functions, as another process would import them."""
    spec = importlib.util.spec_from_file_location(
        "small_kernels", folder / "small_kernels.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hits_and_misses(function):
    return tuple(sum(part.values()) for part in function.stats[1:])


def files(folder):
    found = sorted((folder / "__pycache__").glob("*twice*.nbc"))
    assert found
    return found


@pytest.fixture
def elsewhere(monkeypatch):
    """Numba looks for these functions' cache beside their source."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")


@pytest.mark.usefixtures("elsewhere")
class TestFilesThatHoldSomethingElse:
    @pytest.mark.parametrize("damage", ["empty", "cut short", "other bytes", "a flip"])
    def test_damage_is_compiled_anew_and_mended(self, damage, folder):
        assert load(folder).twice(3) == 6
        (path,) = files(folder)
        data = path.read_bytes()
        middle = len(data) // 2
        flipped = bytes([data[middle] ^ 1])
        path.write_bytes(
            {
                "empty": b"",
                "cut short": data[:middle],
                "other bytes": b"\x00" * len(data),
                "a flip": data[:middle] + flipped + data[middle + 1 :],
            }[damage]
        )
        twice = load(folder).twice
        assert twice(3) == 6
        assert hits_and_misses(twice) == (0, 1)
        twice = load(folder).twice
        assert twice(3) == 6
        assert hits_and_misses(twice) == (1, 0)

    def test_code_for_another_type_is_not_run(self, folder):
        twice = load(folder).twice
        assert (twice(3), twice(0.5)) == (6, 1.0)
        one, other = files(folder)
        shutil.copy(one, other)
        twice = load(folder).twice
        assert (twice(3), twice(0.5)) == (6, 1.0)
        assert hits_and_misses(twice) == (1, 1)

    def test_code_of_an_older_source_is_not_run(self, folder):
        twice = load(folder).twice
        assert twice(3) == 6
        (path,) = files(folder)
        old = path.read_bytes()
        source = folder / "small_kernels.py"
        source.write_text(KERNELS.replace("x + x", "x + x + 100"))
        assert load(folder).twice(3) == 106
        path.write_bytes(old)
        assert load(folder).twice(3) == 106


def test_what_was_compiled_beside_the_source_serves_everybody(folder):
    (_, place, _), _ = run(folder)
    assert Path(place) == folder / "__pycache__"
    (folder / "own").mkdir()
    (results, place, counts), _ = run(folder, NUMBA_CACHE_DIR=str(folder / "own"))
    assert Path(place).is_relative_to(folder / "own")
    assert (results, counts) == (RESULTS, "4 0")


def test_a_change_of_what_is_called_in_another_file_is_seen(folder):
    (folder / "helpers.py").write_text(
        "from widemargin.kernels._jit import inner\n"
        "@inner\ndef add(x, y):\n    return x + y\n"
    )
    (folder / "small_kernels.py").write_text(
        "from helpers import add\n"
        "from widemargin.kernels._jit import cached_njit\n"
        "from widemargin.kernels._jit import jit\n"
        "@jit\ndef twice(x):\n    return add(x, x)\n"
        "@cached_njit\ndef square(x):\n    return x * x\n"
    )

    def imported_anew(before=""):
        return f"{before}\nfor name in ('small_kernels', 'helpers'):\n" + (
            "    sys.modules.pop(name, None)\n" + SCRIPT
        )

    # One process, in which both files are imported anew after each change.
    change = (
        "helpers = Path('helpers.py')\n"
        "helpers.write_text(helpers.read_text().replace('x + y', 'x + y + 100'))"
    )
    script = "import sys\nfrom pathlib import Path\n" + "".join(
        # What counts is what is written there, not when.
        map(imported_anew, ["", "", change, "", "helpers.touch()"])
    )
    lines, _ = run(folder, script)
    changed = "[106, 101.0, 9, 0.25]"
    assert lines[::3] == [RESULTS] * 2 + [changed] * 3
    assert lines[2::3] == ["0 4", "4 0", "0 4", "4 0", "4 0"]


def test_a_step_is_compiled_anew_after_a_change_of_its_file_or_a_kernel(tmp_path):
    # The steps of the ascents are in the files of the algorithms.
    shutil.copytree(
        PACKAGE, tmp_path / "widemargin", ignore=shutil.ignore_patterns("*.nbc")
    )
    # One process, in which the package is imported anew after each change.
    script = """
import sys
from pathlib import Path

def tell():
    for name in [name for name in sys.modules if name.startswith("widemargin")]:
        del sys.modules[name]
    from widemargin.selectors import lmba, osimba, simba
    from widemargin.kernels.ascent import move
    functions = [m.visit_rows for m in (lmba, simba, osimba)] + [move]
    print(*(f._cache._digest.hex() for f in functions))

def append_to(file):
    path = Path("widemargin", file)
    path.write_text(path.read_text() + "\\n")

tell()
tell()
append_to("selectors/simba.py")
append_to("selectors/osimba.py")
tell()
append_to("kernels/ascent.py")
tell()
"""
    lines, _ = run(tmp_path, script, PYTHONPATH=str(tmp_path))
    first, again, steps_changed, kernel_changed = (line.split() for line in lines)
    assert again == first
    assert not set(first[:-1]) & set(steps_changed[:-1])
    assert steps_changed[-1] == first[-1]
    assert not set(steps_changed) & set(kernel_changed)


@pytest.mark.slow
def test_several_processes_compile_at_once(folder):
    for process in [start(folder) for _ in range(4)]:
        (results, _, _), _ = finish(process)
        assert results == RESULTS
    (results, place, _), _ = run(folder)
    assert results == RESULTS
    assert Path(place) == folder / "__pycache__"


def test_code_for_another_processor_is_not_run(folder):
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    counts = [run(folder, **cpu)[0][2] for cpu in ({}, other, {})]
    assert counts == ["0 4", "0 4", "4 0"]


@posix
def test_a_full_disk_costs_one_notice(folder):
    script = (
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n" + SCRIPT
    )
    (results, _, counts), err = run(folder, script, flags=())
    assert (results, counts) == (RESULTS, "0 4")
    assert err.count("Warning") == err.count("compiled code: writing to") == 1


@pytest.mark.usefixtures("elsewhere")
def test_a_listener_hears_of_what_is_compiled_not_of_what_is_loaded(folder):
    heard = []
    try:
        when_compiling(lambda: heard.append(1))
        for _ in range(2):
            twice = load(folder).twice
            assert (twice(3), twice(0.5)) == (6, 1.0)
            assert len(heard) == 2  # one for each type, the first time
    finally:
        when_compiling(None)


@pytest.mark.usefixtures("elsewhere")
def test_garbage_is_collected_again_after_compiling(folder):
    source = KERNELS.replace("_jit import cached_njit", "_jit import jit")
    source = source.replace("@cached_njit", "@jit")
    (folder / "small_kernels.py").write_text(source)
    twice, seen = load(folder).twice, []
    try:
        when_compiling(lambda: seen.append(gc.isenabled()))
        assert (twice(3), gc.isenabled()) == (6, True)
        gc.disable()  # as the caller may have done
        assert (twice(0.5), gc.isenabled()) == (1.0, False)
        assert seen == [False, False]
    finally:
        gc.enable()
        when_compiling(None)


DISABLED = """
import numba, numpy as np
from widemargin import Simba

@numba.njit
def mine(x):
    return x

X = np.random.default_rng(0).random((40, 3))
assert not hasattr(mine, "py_func")  # plain Python, as the user wants
print(Simba(random_state=0).fit(X, X[:, 0] > 0.5).scores_.tolist())
"""


def test_our_code_is_compiled_where_numba_compiles_nothing_else():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", DISABLED],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    X = np.random.default_rng(0).random((40, 3))
    expected = Simba(random_state=0).fit(X, X[:, 0] > 0.5).scores_
    assert json.loads(done.stdout) == expected.tolist()
