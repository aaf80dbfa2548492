"""Compare the files of a wheel with those in src/, and look for the license.

python .ci/check_wheel.py dist/*.whl
"""

import sys
from pathlib import Path
from zipfile import ZipFile

SOURCE = Path(__file__).parents[1] / "src"


def faults(wheel: Path) -> list[str]:
    """What is missing from the wheel, and what does not belong there."""
    expected = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = set(ZipFile(wheel).namelist())
    packaged = {name for name in names if ".dist-info/" not in name}
    licensed = any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    return [
        *(f"{name} is missing" for name in sorted(expected - packaged)),
        *(f"{name} does not belong there" for name in sorted(packaged - expected)),
        *([] if licensed else ["it has no license"]),
    ]


if __name__ == "__main__":
    wheel = Path(sys.argv[1])
    if found := faults(wheel):
        sys.exit(f"{wheel.name}: {'; '.join(found)}.")
    size = wheel.stat().st_size
    print(f"{wheel.name}: all files of src and the license, {size / 1e6:.1f} MB")
