"""Expected differences to missing cells, when the values of a feature are spread out.

The expected difference between a missing cell and a value depends on all values in the
class of the cell. Each block counts its values (`count_block`), a tree of merges adds
up the counts (`merge_counts`), and the rule of `widemargin.data.expected` gives the
difference to every value that occurs (`differences_of`). Then each block looks up its
own values (`look_up`), and its rows carry what was found: 8 bytes for each feature and
class with missing cells, as in memory.

Counts take 17 bytes for each different value and class, differences 8 (1 + G) bytes for
each different value of a feature that has missing cells in G classes. The differences
of a feature are on one worker as a whole, during the fit. So a feature of ten million
different numbers with missing cells in two classes takes 240 MB of some worker, one of
a hundred different numbers next to nothing; a feature without missing cells is not
counted at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from widemargin.data import expected
from widemargin.data.expected import Differences, ValueCounts
from widemargin.data.mixed import Mixture
from widemargin.data.protocol import Floats, Ints
from widemargin.engine.dask.cluster import Cluster
from widemargin.engine.dask.rows import RawRows, Scaling
from widemargin.threads import spans


def with_expected_differences(
    cluster: Cluster,
    blocks: list[Any],
    scaling: Scaling,
    absent: tuple[int, Ints, Ints],
    n_classes: int,
) -> tuple[list[Any], list[Any], Mixture]:
    """Blocks whose rows carry expected differences to missing cells.

    Parameters
    ----------
    cluster : Cluster
    blocks : list of tasks
    scaling : Scaling
    absent : tuple
        The number of rows, the features with missing cells, and the nominal features
        with more than two values.
    n_classes : int

    Returns
    -------
    blocks : list of tasks
    differences : list of tasks
        To be kept as long as the blocks may have to be computed again.
    mixture : Mixture
        Which features are nominal, and where cells are missing.
    """
    n, gappy, many = absent
    pairs = np.full((len(scaling.shift), n_classes), -1)
    if not len(gappy):
        return blocks, [], Mixture(many, pairs, np.empty(0))
    shared, call = cluster.constant(scaling, scaling.n_bytes), cluster.call
    at_once = max(1, cluster.settings.counted_values // n)
    groups = [gappy[part] for part in spans(len(gappy), at_once)]
    differences = []
    for features in groups:
        counts = [
            call(count_block, block, features, shared, n_classes) for block in blocks
        ]
        together, nominal = cluster.tree(merge_counts, counts), np.isin(features, many)
        differences.append(call(differences_of, together, nominal))
    differences = cluster.keep(differences, wait=True)
    outlines = cluster.compute([call(outline, part) for part in differences])
    classes, fills = zip(*(of for group in outlines for of in group), strict=True)
    for f, lacking in zip(gappy, classes, strict=True):
        pairs[f, lacking] = pairs.max() + 1 + np.arange(len(lacking))
    extended = []
    for block in blocks:
        parts = [
            call(look_up, block, part, features, shared)
            for part, features in zip(differences, groups, strict=True)
        ]
        extended.append(call(extend, block, parts))
    return extended, differences, Mixture(many, pairs, np.concatenate(fills))


def column(block: RawRows, f: int, scaling: Scaling) -> Floats:
    """A scaled feature, NaN where it is missing."""
    values = block.X[:, f].astype(np.float64)
    return (values - scaling.shift[f]) / scaling.span[f]


def count_block(
    block: RawRows, features: Ints, scaling: Scaling, n_classes: int
) -> list[ValueCounts]:
    """Count the values of some features in a block."""
    return [
        expected.count_values(column(block, f, scaling), block.y, n_classes)
        for f in features
    ]


def merge_counts(counts: Sequence[list[ValueCounts]]) -> list[ValueCounts]:
    """Add up the counts of several blocks."""
    return [expected.add_counts(of_feature) for of_feature in zip(*counts, strict=True)]


def differences_of(
    counts: list[ValueCounts], nominal: Sequence[bool]
) -> list[Differences]:
    """Expected differences of features of which all values are counted."""
    return [
        expected.expected_differences(of_feature, many)
        for of_feature, many in zip(counts, nominal, strict=True)
    ]


def outline(differences: list[Differences]) -> list[tuple[Ints, Floats]]:
    """Classes with missing cells, and their fills, of some features."""
    return [(of.classes, of.fills) for of in differences]


def look_up(
    block: RawRows, differences: list[Differences], features: Ints, scaling: Scaling
) -> Floats:
    """(n, P): expected differences between rows and missing cells of some features."""
    parts = [
        expected.look_up(known, column(block, f, scaling), block.y).T
        for f, known in zip(features, differences, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def extend(block: RawRows, parts: list[Floats]) -> RawRows:
    """A block whose rows carry what was looked up for them."""
    return block._replace(expected=np.concatenate(parts, axis=1))
