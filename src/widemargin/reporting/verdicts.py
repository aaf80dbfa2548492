"""What to make of each feature: the verdict, why, and which way it goes.

``verdicts`` returns ``method`` (the label of the method whose ranking is judged),
``low`` and ``high`` (labels of the two classes, of which ``high`` is the one that the
directions refer to; None for more) and lists with one entry per feature: ``verdict``
("confirmed", "tentative" or "rejected") and ``why`` (what speaks against it, empty if
nothing does). ``direction`` and ``auc`` are None for three or more classes without an
order. Else (a numeric target counts as classes in order) ``direction`` has 1 where
values rise with the class, −1 where they fall and 0 where a test cannot tell, and
``auc`` the probability that of two rows of different classes the higher class has the
higher value, None for a feature without an order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.reporting.plain import numbers, text

Json = dict[str, Any]


def verdicts(found: Any, best: Json) -> Json | None:
    """Verdicts in the order of X; None for results that have none."""
    frame = found.features
    if frame is None:
        return None
    place = np.argsort(np.argsort(best["rank"], kind="stable"))
    frame = frame.iloc[place]
    about = found.profile
    pair = about.pair if about else None
    directed = bool(pair or found.ordered or (about and about.numeric_target))
    return {
        "method": best["label"],
        "low": text(pair[0]) if pair else None,
        "high": text(pair[1]) if pair else None,
        "verdict": frame["verdict"].tolist(),
        "why": [text(reason) for reason in frame["why"]],
        "direction": numbers(frame["direction"]) if directed else None,
        "auc": numbers(frame["auc"]) if directed else None,
    }
