"""What the first fit on a machine costs: nothing compiled, and then all of it.

    python evidence/speed/first_fits.py            measure, store, write the table
    python evidence/speed/first_fits.py --table    write the table from what is stored

Each fit runs in a process of its own, on a copy of the package beside which nothing is
compiled, with an empty cache folder; then again, with what the first has left there.
The table has 1000 rows and 20 features, 5 % of the cells missing where some are. Times
are those of `fit`, not of importing the package; processor time is what to go by, since
the clock also counts what else the machine does. Results are in `first_fits.json`, the
table in `docs/first-minutes.md`.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_suffix(".json")
PAGE = ROOT / "docs" / "first-minutes.md"
BEGIN, END = "<!-- first fits -->", "<!-- end of first fits -->"

# Method, parameters, whether cells are missing.
CASES = {
    "ReliefF, plain numbers": ("ReliefF", {}, False),
    'ReliefF, `"auto"`': ("ReliefF", {"n_features_to_select": "auto"}, False),
    "ReliefF, missing values": ("ReliefF", {}, True),
    'ReliefF, missing values, `"auto"`': (
        "ReliefF",
        {"n_features_to_select": "auto"},
        True,
    ),
    "Simba, plain numbers": ("Simba", {}, False),
    "G-flip, plain numbers": ("GFlip", {}, False),
    "LMBA, plain numbers": ("LMBA", {}, False),
}

FIT = """
import json, sys, time
import numpy as np
import widemargin
from widemargin.kernels._jit import cache_counts
name, parameters, missing = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 20))
y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
if missing:
    X[rng.random(X.shape) < 0.05] = np.nan
selector = getattr(widemargin, name)(**parameters)
clock, processor = time.perf_counter(), time.process_time()
selector.fit(X, y)
took = time.perf_counter() - clock, time.process_time() - processor
print(*took, cache_counts().compiled)
"""


def measure(case: tuple[str, dict[str, str], bool]) -> dict[str, float]:
    """Times of a first fit, and of the next one in another process."""
    with tempfile.TemporaryDirectory() as folder:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src", f"{folder}/src", ignore=ignored)
        compileall.compile_dir(f"{folder}/src", quiet=2)
        places = {"PYTHONPATH": f"{folder}/src", "NUMBA_CACHE_DIR": f"{folder}/cache"}
        command = [sys.executable, "-c", FIT, json.dumps(case)]
        runs = [
            subprocess.check_output(command, env=os.environ | places, text=True).split()
            for _ in range(2)
        ]
    (clock, processor, compiled), (_, next_processor, compiled_again) = (
        [float(number) for number in run] for run in runs
    )
    if not compiled or compiled_again:
        raise RuntimeError(f"{case}: compiled {compiled:g}, then {compiled_again:g}")
    return {
        "clock": round(clock, 1),
        "processor": round(processor, 1),
        "next_processor": round(next_processor, 2),
        "compiled": int(compiled),
    }


def machine() -> str:
    import numba

    return (
        f"{os.cpu_count()} cores ({platform.machine()}), Python "
        f"{platform.python_version()}, numba {numba.__version__}"
    )


def table(stored: dict) -> str:
    lines = [
        "| first fit | functions | processor time, nothing compiled "
        "| in the next process |",
        "| --- | --- | --- | --- |",
    ]
    for name, row in stored["fits"].items():
        lines.append(
            f"| {name} | {row['compiled']} | {row['processor']:.1f} s "
            f"| {row['next_processor']:.2f} s |"
        )
    lines += ["", f"1000 rows, 20 features; {stored['machine']}."]
    return "\n".join(lines)


def page(text: str, stored: dict) -> str:
    """The page with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table(stored)}\n\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", action="store_true", help="measure nothing")
    if not parser.parse_args().table:
        fits = {}
        for name, case in CASES.items():
            fits[name] = measure(case)
            print(name, fits[name], flush=True)
        stored = {"machine": machine(), "fits": fits}
        RESULTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    text = page(PAGE.read_text(encoding="utf-8"), stored)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
