"""Where scripts of this folder keep what they measured, for pages that quote it."""

import json
from pathlib import Path


def keep(name, **figures):
    """Write ``results/<name>.json``; `evidence/figures.toml` says who quotes it."""
    path = Path(__file__).parent / "results" / f"{name}.json"
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
