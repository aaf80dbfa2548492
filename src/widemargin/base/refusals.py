"""What methods refuse, and what they say to use instead."""

from __future__ import annotations

from typing import Any

from widemargin.data.dataset import Dataset


def refuse_weights(selector: Any, weights: Any) -> None:
    """Say that there is no way to weigh rows, and what to use instead."""
    instead, name = selector._instead_with_weights, type(selector).__name__
    if weights is not None and instead is not None:
        raise ValueError(
            f"{name} does not take sample_weight. Use {instead}, or leave it out."
        )


def refuse_auto_without_labels(selector: Any, has_labels: bool) -> None:
    """Refuse to judge features without labels to judge them by."""
    if has_labels or selector._gives_subset:
        return
    for name in ("n_features_to_select", "redundancy"):
        if getattr(selector, name) == "auto":
            raise ValueError(
                f"{type(selector).__name__} requires y to be passed, but the target y "
                f'is None: {name}="auto" judges features by the classes of nearest '
                "rows. Pass y, or a number."
            )


def refuse_on_dask(selector: Any, y: Any, covariates: Any) -> None:
    """Say what does not run on Dask collections, and what to use instead."""
    name = type(selector).__name__
    if covariates is not None:
        raise ValueError(
            f"{name}: covariates are for tables in memory. Fit to a sample, "
            "X.sample(...).compute()."
        )
    if selector._task in ("multilabel", "survival"):
        raise ValueError(
            f'{name}: task="{selector._task}" does not run on Dask collections. Use it '
            "on X.compute() and y.compute(), or on a sample of the rows."
        )
    if selector._instead_on_dask is not None:
        instead = "RReliefF" if selector._numeric_target else selector._instead_on_dask
        raise ValueError(
            f"{name} does not run on Dask collections. Use {instead}, or {name} on "
            "X.compute() if that fits into memory."
        )
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    if selector.feature_groups is not None:
        raise ValueError(
            f"{name}: feature_groups are for tables in memory and do not run on "
            "Dask collections. Use them on a sample, X.sample(...).compute()."
        )


def refuse_covariates(selector: Any, data: Dataset) -> None:
    """Refuse covariates where the method can do nothing about them."""
    if data.covariates is not None and not data.numeric and selector._beyond is None:
        raise ValueError(
            f"{type(selector).__name__} does not take covariates with classes. Use "
            "KernelRFE or ReliefF."
        )
