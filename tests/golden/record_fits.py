"""Entries for fits: every method, with several parameters, on every kind of table."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import record_tables
from record_plain import attributes, digest, plain
from sklearn.utils import get_tags

import widemargin
from widemargin import baselines, compat, datasets, evaluation, margin

Entries = Iterator[tuple[str, Callable[[], Any]]]

# Tables on which parameters are tried; others see the defaults only.
TRIED = ("wine", "tied", "mixed", "linear", "ordinal")
COMMON: list[dict[str, Any]] = [
    {"n_features_to_select": 3},
    {"n_features_to_select": 0.4, "redundancy": 0.8},
    {"n_features_to_select": "auto"},
    {"n_features_to_select": "auto", "redundancy": "auto"},
    {"scale": "standard"},
    {"scale": None},
]
WRONG: list[dict[str, Any]] = [
    {"n_features_to_select": 0},
    {"n_features_to_select": 99},
    {"n_features_to_select": "some"},
    {"redundancy": 1.5},
    {"scale": "log"},
    {"n_neighbors": 0},
    {"n_neighbors": 500},
    {"categorical_features": [0, 77]},
    {"n_jobs": 0},
]
SAMPLED: list[dict[str, Any]] = [
    {"n_samples": 20},
    {"n_samples": "auto", "n_features_to_select": 2},
    {"n_samples": "auto", "tol": 0.2, "confidence": 0.8},
]
BINS: list[dict[str, Any]] = [
    {"bins": "equal-width", "n_bins": 4},
    {"bins": "quantile"},
    {"bins": "mdl"},
    {"bins": None},
]
ORDERED: list[dict[str, Any]] = [
    {"difference": "absolute"},
    {"hits": "dominating"},
    {"directions": "auto"},
    {"directions": [1, -1, 1, 1, 1, -1]},
]
RADIUS: list[dict[str, Any]] = [
    {"metric": "euclidean"},
    {"task": "regression"},
    {"categorical_features": [0, 1]},
]
RATIO: list[dict[str, Any]] = [
    {"linkage": "average"},
    {"linkage": "ward", "delta": 0.5},
    {"linkage": "complete", "min_prototype_size": 1},
]
OWN: dict[str, list[dict[str, Any]]] = {
    "FRLL": [{"criterion": "difference", "n_neighbors": 2}, {"neighbors": "global"}],
    "GFlip": [
        {"n_starts": 3, "utility": "sigmoid"},
        {"utility": "zero-one", "start": "full"},
        {"beta": 0.5, "utility": "sigmoid", "max_epochs": 1},
    ],
    "IRelief": [{"sigma": 0.3}, {"max_iter": 3}, {"categorical_features": [0]}],
    "KernelRFE": [
        {"gamma": 0.5, "linear": 0.0},
        {"step": 0.5, "max_rows": 30},
        {"task": "regression"},
        {"task": "regression", "alpha": 0.1, "n_features_to_select": "auto"},
    ],
    "LMBA": [
        {"active": "original", "c": 0.3},
        {"step": "constant", "max_iter": 2},
        {"batch_size": 8, "n_neighbors": 1},
    ],
    "RReliefF": [
        {"weights": "uniform", "metric": "euclidean"},
        {"weights": "distance", "sigma": 3.0},
        {"categorical_features": [1], "n_neighbors": 3},
        *SAMPLED,
    ],
    "Simba": [
        {"utility": "sigmoid", "n_starts": 2},
        {"utility": "sigmoid", "beta": 2.0, "max_iter": 2},
        {"batch_size": 10, "history": "step", "n_starts": 1},
        {"categorical_features": [0]},
    ],
    "OReliefF": [
        {"n_neighbors": "log"},
        {"n_neighbors": 4},
        {"difference": "directed"},
        *ORDERED,
        *SAMPLED,
    ],
    "OSimba": [{"batch_size": 10, "n_starts": 2}, *ORDERED],
    "Relief": [
        {"squared": True, "threshold": "chebyshev"},
        {"threshold": 0.01},
        {"n_samples": 10, "history": "step"},
        {"categorical_features": [0]},
        *SAMPLED,
    ],
    "ReliefF": [
        {"n_neighbors": "log", "metric": "manhattan"},
        {"weights": "rank", "n_neighbors": 4},
        {"weights": "distance", "sigma": 5.0},
        {"priors": "uniform"},
        {"categorical_features": [0, 2]},
        *SAMPLED,
    ],
    "IPCMSR": [{"n_neighbors": 2}, *RATIO],
    "IPICSR": RATIO,
    "SURF": RADIUS,
    "SURFStar": RADIUS,
    "MultiSURF": RADIUS,
    "MultiSURFStar": RADIUS,
    "FCBF": [{"threshold": 0.1}, *BINS],
    "TraceRatio": [{"max_iter": 2}],
    "ForestImportance": [
        {"n_estimators": 10, "task": "regression"},
        {"n_estimators": 10, "max_features": None, "min_samples_leaf": 3},
    ],
    "InformationGain": BINS,
    "LaplacianScore": [
        {"supervised": False},
        {"supervised": True, "n_neighbors": 3},
        {"delta": 0.7},
    ],
    "MRMR": [{"criterion": "miq"}, *BINS],
    "FeatureSimilarity": [{"n_neighbors": "auto"}, {"n_neighbors": 2}],
    "MutualInformation": [{"task": "regression"}, {"discrete_features": True}],
}


def method(name: str, **parameters: Any) -> Any:
    """A selector, with a seed where it takes one, that does not take long."""
    home = widemargin if name in widemargin.__all__ else baselines
    kind = getattr(home, name)
    known = inspect.signature(kind).parameters
    given = {"random_state": 0, "n_jobs": 1, "n_estimators": 15}
    given = {k: v for k, v in given.items() if k in known}
    if name == "TuRF":
        parameters = {"selector": widemargin.ReliefF(n_neighbors=3), **parameters}
    return kind(**{**given, **parameters})


def names() -> list[str]:
    """All methods, in the order of the list."""
    return [m.name for m in widemargin.methods()]


def fitted(name: str, parameters: dict[str, Any], data: Any) -> dict[str, Any]:
    """What a fit leaves behind."""
    return attributes(method(name, **parameters).fit(data.X, data.y), ending="_")


def named(parameters: dict[str, Any]) -> str:
    """Parameters in the name of an entry."""
    return ",".join(f"{k}={v}" for k, v in parameters.items()) or "default"


def scores() -> Entries:
    """Defaults on all tables."""
    for table, data in record_tables.tables().items():
        for name in names():
            yield f"{name}/{table}", partial(fitted, name, {}, data)


def parameters() -> Entries:
    """Other parameters on some tables."""
    tables = record_tables.tables()
    for name in names():
        known = method(name).get_params(deep=False)
        own = [{"drop": 2}, {"drop": 0.5}] if name == "TuRF" else OWN.get(name, [])
        for given in [*COMMON, *own]:
            for table in TRIED:
                if set(given) <= set(known):
                    call = partial(fitted, name, given, tables[table])
                    yield f"{name}/{named(given)}/{table}", call


def refusals() -> Entries:
    """Wrong parameters, and tables that nobody can use."""
    gaussian = record_tables.gaussian()
    for name in names():
        known = method(name).get_params(deep=False)
        for given in WRONG:
            if set(given) <= set(known):
                yield f"{name}/{named(given)}", partial(fitted, name, given, gaussian)
        for table, data in record_tables.spoilt().items():
            yield f"{name}/{table}", partial(fitted, name, {}, data)


def outputs() -> Entries:
    """What fitted selectors do with tables, pickled ones, and what they say of it."""
    for table in ("wine", "mixed", "polars", "float32", "linear"):
        data = record_tables.tables()[table]
        for name in names():
            yield f"{name}/{table}", partial(used, name, data)


def used(name: str, data: Any) -> dict[str, Any]:
    """The uses of one fitted selector."""
    selector = method(name).fit(data.X, data.y)
    again = pickle.loads(pickle.dumps(selector))
    reduced = selector.transform(data.X)
    return {
        "repr": selector,
        "tags": digest(repr(get_tags(selector)).encode()),
        "names": selector.get_feature_names_out(),
        "kind": f"{type(reduced).__name__} {reduced.shape}",
        "reduced": np.asarray(reduced),
        "frame": selector.set_output(transform="pandas").transform(data.X),
        "kept by pickle": attributes(again, ending="_")
        == attributes(selector, ending="_"),
    }


def unfitted() -> Entries:
    """What a selector says that has not seen data, or sees other columns later."""
    X, y, _ = record_tables.gaussian()
    for name in ("ReliefF", "GFlip", "FCBF"):
        selector = method(name)
        yield f"{name}/transform", partial(selector.transform, X)
        fit = selector.fit
        yield f"{name}/other columns", lambda f=fit: f(X, y).transform(X[:, :2])
        yield f"{name}/weights", lambda f=fit: f(X, y, sample_weight=y)


def public() -> Entries:
    """Names and parameters of everything public."""
    homes = (widemargin, baselines, evaluation, margin, compat, datasets)
    for home in (*homes, compat.skrebate, compat.fast_select, widemargin.plotting):
        short = home.__name__
        listed = getattr(home, "__all__", [])
        yield f"{short}/__all__", partial(sorted, listed)
        for name in listed:
            if home is datasets and not name.startswith("make_"):
                continue
            value = getattr(home, name)
            if callable(value) and not inspect.ismodule(value):
                yield f"{short}/{name}", partial(described, value)
    yield "methods", lambda: [vars(m) for m in widemargin.methods()]


def described(value: Any) -> dict[str, Any]:
    """Parameters, members and first line of the docstring."""
    members = [n for n in dir(value) if not n.startswith("_")]
    documented = inspect.getdoc(value) or ""
    return {
        "parameters": [
            f"{p.kind.description} {p.name}={p.default!r}"
            for p in inspect.signature(value).parameters.values()
        ],
        "members": members if inspect.isclass(value) else [],
        "says": documented.partition("\n")[0],
    }


def made() -> Entries:
    """The tables themselves."""
    for name, data in record_tables.made().items():
        yield name, lambda d=data: [d.X, d.y]
    X = record_tables.gaussian().X
    yield "append_noise", partial(datasets.append_noise, X, 4, random_state=0)
    yield "penetrance", partial(datasets.penetrance, 0.3, 0.4, 2)
    for name in ("make_xor", "make_quadrants", "make_epistasis", "make_ordinal"):
        yield f"{name}/refused", partial(getattr(datasets, name), 0)


def orders() -> Entries:
    """Visits in an order that the caller gives."""
    X, y, _ = data = record_tables.gaussian()
    rows = np.random.default_rng(0).permutation(len(y))
    flips = [np.arange(X.shape[1]), np.arange(X.shape[1])[::-1]]
    for name in ("Simba", "OSimba", "LMBA", "Relief"):
        for what, order in {"rows": rows, "two": [4, 9], "bad": [99]}.items():
            yield f"{name}/{what}", partial(fitted, name, {"order": order}, data)
    yield "GFlip/flips", partial(fitted, "GFlip", {"order": flips}, data)
    yield "GFlip/start", partial(fitted, "GFlip", {"start": [1, 2]}, data)
    priors = {"priors": {0: 0.5, 1: 0.3, 2: 0.2}}
    yield "ReliefF/priors", partial(fitted, "ReliefF", priors, data)


def dask() -> Entries:
    """Collections in parts, computed in this thread."""
    import dask.array as da
    import dask.dataframe as dd

    X, y, _ = record_tables.gaussian(60, 6)
    rows = da.from_array(X, chunks=(25, 6)), da.from_array(y, chunks=25)
    frame, labels, _ = record_tables.mixed()
    mixed = dd.from_pandas(frame.assign(y=labels), npartitions=2)
    for name in names():
        yield f"{name}/array", partial(lazily, name, *rows)
    for name in ("Simba", "OSimba", "LMBA"):
        batches = {"batch_size": 20}
        yield f"{name}/batches", partial(lazily, name, *rows, batches)
    for name in ("ReliefF", "SURF", "RReliefF"):
        yield f"{name}/frame", partial(lazily, name, mixed.drop(columns="y"), mixed.y)


def lazily(name: str, X: Any, y: Any, given: Any = None) -> dict[str, Any]:
    """A fit by Dask without its threads."""
    import dask

    with dask.config.set(scheduler="synchronous"):
        return fitted(name, given or {}, record_tables.Data(X, y))


def wrappers() -> dict[str, Any]:
    """The classes named after other packages, some with other parameters."""
    rebate, fast = compat.skrebate, compat.fast_select
    relief = rebate.ReliefF(3, 5)
    plain_ones = ("SURF", "SURFstar", "MultiSURF", "MultiSURFstar")
    return {
        **{f"skrebate.{name}": getattr(rebate, name)(3) for name in plain_ones},
        "skrebate.ReliefF": relief,
        "skrebate.ReliefF share": rebate.ReliefF(3, 0.2, rank_absolute=True),
        "skrebate.ReliefF threshold": rebate.ReliefF(3, 5, discrete_threshold=3),
        "skrebate.SURF weighted": rebate.SURF(3, weight_final_scores=True),
        "skrebate.ReliefF wrong": rebate.ReliefF(3, label_type="odd"),
        "skrebate.TURF": rebate.TURF(relief, 0.4, 5),
        "skrebate.TuRF": rebate.TuRF("ReliefF", 3, 5, 0.4),
        "skrebate.TuRF wrong": rebate.TuRF("Relief", 3),
        "fast_select.ReliefF": fast.ReliefF(3),
        "fast_select.ReliefF gpu": fast.ReliefF(3, backend="gpu"),
        "fast_select.SURF": fast.SURF(0.5),
        "fast_select.SURF star": fast.SURF(2, use_star=True),
        "fast_select.MultiSURF": fast.MultiSURF(3),
        "fast_select.MultiSURF star": fast.MultiSURF(3, use_star=True),
        "fast_select.TuRF": fast.TuRF(fast.ReliefF(3), 3, 0.3),
    }


def others() -> Entries:
    """The same on some tables."""
    tables = record_tables.tables()
    for table in ("wine", "tied", "epistasis", "mixed", "linear", "gaps", "lonely"):
        for name, estimator in wrappers().items():
            yield f"{name}/{table}", partial(wrapped, estimator, tables[table])


def wrapped(estimator: Any, data: Any) -> dict[str, Any]:
    """What a wrapper leaves behind, and what it keeps of the table."""
    found = attributes(estimator.fit(data.X, data.y), ending="_")
    return {**found, "kept": plain(np.asarray(estimator.transform(data.X)))}


PARTS = {
    "public": public,
    "datasets": made,
    "scores": scores,
    "parameters": parameters,
    "orders": orders,
    "refusals": refusals,
    "outputs": outputs,
    "unfitted": unfitted,
    "dask": dask,
    "compat": others,
}
