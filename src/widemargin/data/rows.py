"""`Rows`: a table as it was read, before a method scales it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints


class Rows(NamedTuple):
    """A table as it was read: not scaled, rows in the caller's order."""

    X: Floats  # numbers, or codes of nominal values; NaN: missing
    y: Ints  # class codes, as the method gets them
    classes: NDArray[Any]
    nominal: Ints | None
    judged: Ints  # class codes by which 1-NN judges
    labelled: bool = True  # False if the method does without y: all is one class
    names: NDArray[Any] | None = None  # of the columns, if they have names
    target: Floats | None = None  # numeric y, if that is what the method predicts

    def take(self, rows: Ints, labels: Ints | None = None) -> Rows:
        """Some rows, with their own labels or with those of other rows."""
        whose = rows if labels is None else labels
        y, classes = _recoded(self.y[whose], self.classes)
        judged, _ = _recoded(self.judged[whose], None)
        target = None if self.target is None else self.target[whose]
        return Rows(
            self.X[rows],
            y,
            classes,
            self.nominal,
            judged,
            self.labelled,
            self.names,
            target,
        )

    def columns(self, features: Ints) -> Rows:
        """Some features."""
        nominal = self.nominal
        if nominal is not None:
            nominal = np.flatnonzero(np.isin(features, nominal))
        return self._replace(X=self.X[:, features], nominal=nominal, names=None)

    def beside(self, features: Ints, order: Ints) -> Rows:
        """All features and, to their right, copies of some in another order of rows."""
        nominal, d = self.nominal, self.X.shape[1]
        if nominal is not None:
            copied = np.flatnonzero(np.isin(features, nominal))
            nominal = np.concatenate([nominal, d + copied])
        X = np.hstack([self.X, self.X[np.ix_(order, features)]])
        return self._replace(X=X, nominal=nominal, names=None)


def _recoded(codes: Ints, classes: Any) -> tuple[Ints, Any]:
    """Codes from 0 without gaps, and the classes that are left."""
    used, codes = np.unique(codes, return_inverse=True)
    return codes.astype(np.int64), None if classes is None else classes[used]
