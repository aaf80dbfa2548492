"""What a user's script is told by mypy and pyright; `tests/test_typing.py` runs both.

Lines that are wrong say so in a comment, and have to be found.
"""

from typing import Any, assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import widemargin
from widemargin import GFlip, Relief, ReliefF, Simba
from widemargin.baselines import FisherScore

X = np.zeros((4, 2))
y = np.array([0, 0, 1, 1])

relieff = ReliefF(n_features_to_select="auto", n_neighbors="log", metric="manhattan")
assert_type(relieff.fit(X, y), ReliefF)
assert_type(relieff.scores_, NDArray[np.float64])
assert_type(relieff.ranking_, NDArray[np.int64])
assert_type(relieff.support_, NDArray[np.bool_])
assert_type(relieff.feature_importances_, NDArray[np.float64])
assert_type(relieff.n_features_, int)
assert_type(relieff.to_frame(), pd.DataFrame)
assert_type(relieff.n_features_in_, int)
assert_type(relieff.feature_names_in_, NDArray[Any])
assert_type(relieff.prefix_scores_, NDArray[np.float64] | None)
assert_type(relieff.optimism_, float | None)
assert_type(relieff.redundancy_, float | None)
assert_type(Relief(threshold="chebyshev").fit(X, y), Relief)
assert_type(Simba(utility="sigmoid").fit(X, y).margin_, float)
assert_type(GFlip(0.5).fit(X, y), GFlip)
assert_type(FisherScore(2).fit(X, y).scores_, NDArray[np.float64])
assert_type(widemargin.AutoSelector().fit(X, y), widemargin.AutoSelector)
assert_type(widemargin.warm("ReliefF").seconds, float)
assert_type(widemargin.__version__, str)

ReliefF(metric="cosine")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ReliefF(scale="max")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Simba(utility="cubic")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ReliefF("all")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Relief(neighbors=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
_ = widemargin.Reliefff  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
