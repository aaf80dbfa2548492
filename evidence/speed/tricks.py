"""What each trick is worth: whole fits without it, over the same fits with it.

    python evidence/speed/tricks.py                  all tricks
    python evidence/speed/tricks.py screen short-lists  some of them
    python evidence/speed/tricks.py --folder DIR     keep the compiled copies for later

A trick is taken out of a copy of the sources by an edit of a few lines, below; the two
versions then fit in turn, as in `old_against_new.py`. Printed is the median of the
ratios of neighbouring fits, by the clock and by processor time: how many times as long
a fit takes without the trick. The scores of both must agree to 1e-9. What is worth less
than 1.3 is to go; `docs/performance.md` has the figures.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from old_against_new import ask, start

HERE = Path(__file__).parents[2]


class Trick(NamedTuple):
    """How to do without it, and the fit that shows what it is worth."""

    case: str  # of old_against_new.py
    edits: tuple[tuple[str, str, str], ...]  # file, what it says, what to say instead


TRICKS = {
    "screen": Trick(
        "relieff-b",
        (
            (
                "settings.py",
                "small_table_rows: int = 256",
                "small_table_rows: int = 9**9",
            ),
            (
                "settings.py",
                "small_table_cells: int = 2**21",
                "small_table_cells: int = 9**19",
            ),
        ),
    ),
    "both-panels": Trick(
        "relieff-b",
        (
            (
                "engine/nearest_rows.py",
                "if all_rows and memory <= table.settings.search_bytes:",
                "if False:",
            ),
        ),
    ),
    "partial-sums": Trick(
        "simba",
        (
            (
                "kernels/ascent.py",
                "while first < width and key <= cut:",
                "while first < width:",
            ),
            (
                "engine/screens.py",
                'self.numeric[np.argsort(-shares, kind="stable")]',
                "self.numeric[np.argsort(0 * shares)]",
            ),
        ),
    ),
    "manhattan-tiles": Trick(
        "relieff-manhattan-few",
        (
            (
                "kernels/tiles.py",
                "def _manhattan_tile(",
                """@inner
def _add_one_by_one(A, B, start, stop, tile):
    for r in range(A.shape[0]):
        for c in range(B.shape[0]):
            s = np.float32(0)
            for e in range(np.uint64(start), np.uint64(stop)):
                s += abs(A[r, e] - B[c, e])
            tile[r, c] += s


def _manhattan_tile(""",
            ),
            (
                "kernels/tiles.py",
                "            _add_manhattan(A, B, start, stop, tile, part)",
                "            _add_one_by_one(A, B, start, stop, tile)",
            ),
        ),
    ),
    "runs": Trick(
        "relieff-e",
        (
            (
                "kernels/search.py",
                "            for start in range(lo - lo % RUN, hi, RUN):\n",
                """            for column in range(lo, hi):
                if keys[r, column] < border:
                    key, row = np.int64(keys[r, column]), offset + column
                    entries[base + count] = key << 32 | row
                    count += 1
                    if count == length:
                        count, border = _shrink(entries, np.uint64(base), count, wanted)
            for start in range(0):
""",
            ),
        ),
    ),
    "whole-numbers": Trick(
        "multisurf",
        (
            (
                "engine/radius.py",
                'if metric == "manhattan" and table.mixed is None and not sparse:',
                "if False:",
            ),
        ),
    ),
    "short-lists": Trick(
        "gflip",
        (
            (
                "kernels/flips.py",
                "for place in range(start, start + shortlist.held[kind]):",
                "for place in range(start, start):",
            ),
            (
                "kernels/flips.py",
                "return trials[FLOOR, b] <= nearest <= bound - trials[SLACK, b]",
                "return nearest < -bound",
            ),
            ("kernels/flips.py", "    if outdated:\n", "    if False:\n"),
        ),
    ),
}


def without(trick: Trick, folder: Path) -> Path:
    """A copy of the sources without a trick; one that is there stays, compiled."""
    if folder.exists():
        return folder
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HERE / "src", folder / "src", ignore=ignored)
    for name, with_it, instead in trick.edits:
        file = folder / "src" / "widemargin" / name
        text = file.read_text(encoding="utf-8")
        if text.count(with_it) != 1:
            raise RuntimeError(f"{name} has {text.count(with_it)} times {with_it!r}.")
        file.write_text(text.replace(with_it, instead), encoding="utf-8")
    return folder


def gain(case: str, tree: Path, rounds: int) -> tuple[np.ndarray, float]:
    """Times without over times with a trick, and how far scores differ."""
    processes = [start(t, "--serve", str(t), str(HERE)) for t in (tree, HERE)]
    times, scores = np.empty((rounds, 2, 2)), [np.empty(0)] * 2
    for turn in range(rounds):
        for version in (0, 1) if turn % 2 == 0 else (1, 0):
            *times[turn, version], scores[version] = ask(processes[version], case)
    for process in processes:
        process.communicate()
    apart = np.abs(scores[0] - scores[1]).max() / np.abs(scores[1]).max()
    return np.median(times[:, 0] / times[:, 1], axis=0), float(apart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tricks", nargs="*", help=", ".join(TRICKS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where to keep the copies")
    given = parser.parse_args()
    print(f"{'trick':16}{'case':24}{'clock':>8}{'cpu':>8}  difference of scores")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        for name in given.tricks or TRICKS:
            case, tree = TRICKS[name].case, without(TRICKS[name], folder / name)
            (clock, processor), apart = gain(case, tree, given.rounds)
            shown = f"{name:16}{case:24}{clock:8.2f}{processor:8.2f}  {apart:.1e}"
            print(shown + ("" if apart < 1e-9 else "  TOO MUCH"), flush=True)


if __name__ == "__main__":
    main()
