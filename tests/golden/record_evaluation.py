"""Entries for the evaluation tools, reports, and selections in files."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import record_tables
from record_plain import attributes, digest, plain, scrubbed

import widemargin
from widemargin import AutoSelector, Selection, baselines, evaluation, margin

Entries = Iterator[tuple[str, Callable[[], Any]]]

SEED: dict[str, Any] = {"random_state": 0, "n_jobs": 1}
SMALL: dict[str, Any] = {"cv": 3, **SEED}
KINDS = ("iris", "linear", "mixed", "mixed numbers", "ordered", "lopsided", "lonely")
VERSION = re.compile(r"(?<=[ >])\d+\.\d+(\.\d+)+(\.?(dev|rc|post)\d+)?(?=[ ,.;<)]|$)")


def methods(numeric: bool = False) -> list[Any]:
    """Two that take every table, and that are quick."""
    if numeric:
        return [widemargin.RReliefF(random_state=0), widemargin.RReliefF(3)]
    return [widemargin.ReliefF(n_neighbors=3), widemargin.Simba(random_state=0)]


def target_is_numeric(data: Any) -> bool:
    """Whether a table of ours is about numbers."""
    y = np.asarray(data.y)
    return y.dtype.kind == "f" and len(np.unique(y)) > 10


def curves() -> Entries:
    """Selection curves, and how stable, significant and similar features are."""
    tables = record_tables.tables()
    for table in KINDS:
        data = tables[table]
        chosen = methods(target_is_numeric(data))
        one, (X, y, _) = chosen[0], data
        yield (
            f"selection_curve/{table}",
            partial(curve, chosen, X, y, cv=3, **SEED),
        )
        yield f"resample/{table}", partial(evaluation.resample, one, X, y, n=6, **SEED)
        for way in ("auto", "pooled", "permutation", "probes"):
            call = partial(
                evaluation.significance, one, X, y, n_permutations=30, method=way
            )
            yield f"significance/{way}/{table}", partial(call, **SEED)
        call = partial(evaluation.signal, X, y, n_permutations=99, **SEED)
        yield f"signal/{table}", call
        call = partial(evaluation.relevance, X, y, n_rounds=5, **SEED)
        yield f"relevance/{table}", call
        yield f"profile/{table}", partial(evaluation.profile, X, y)
        yield f"default_selectors/{table}", partial(evaluation.default_selectors, X, y)


def curve(*arguments: Any, **options: Any) -> dict[str, Any]:
    """A curve with its lines and its summary."""
    found = evaluation.selection_curve(*arguments, **options)
    return {"curve": found, "summary": found.summary(), "says": repr(found)}


def other_curves() -> Entries:
    """Other classifiers, scores and folds."""
    X, y, groups = record_tables.grouped()
    relief = widemargin.ReliefF(n_neighbors=3)
    ways: dict[str, dict[str, Any]] = {
        "groups": {"groups": groups},
        "time": {"cv": "time"},
        "logistic": {"estimator": "logistic", "n_features": [1, 3, 6]},
        "tree": {"estimator": "tree", "scoring": "f1_macro"},
        "balanced": {"scoring": "balanced_accuracy"},
        "baseline": {"baseline": [0, 1]},
        "sizes": {"n_features": [2, 4], "refit_sizes": True},
        "unknown estimator": {"estimator": "oracle"},
        "unknown scoring": {"scoring": "luck"},
        "too many folds": {"cv": 500},
        "too many features": {"n_features": [99]},
    }
    for name, options in ways.items():
        yield name, partial(curve, relief, X, y, **{"cv": 3, **SEED, **options})
    yield "by name", partial(curve, ["ReliefF", "MRMR"], X, y, cv=3, **SEED)
    yield "unknown method", partial(curve, ["Relieve"], X, y, cv=3, **SEED)


def similarity() -> Entries:
    """Which features are near copies, and how far rankings agree."""
    tables = record_tables.tables()
    for table in ("wine", "duplicates", "mixed", "linear", "tied"):
        X, y, _ = tables[table]
        for how in ("correlation", "uncertainty", "luck"):
            for level in (0.9, 0.5):
                call = partial(evaluation.redundancy, X, y, threshold=level)
                yield f"redundancy/{table}/{how}/{level}", partial(call, measure=how)
    X, y, _ = tables["wine"]
    fits = {
        "relief": widemargin.ReliefF(3).fit(X, y),
        "fisher": baselines.FisherScore(5).fit(X, y),
        "mrmr": baselines.MRMR(3).fit(X, y),
    }
    for k in (None, 4):
        yield f"agreement/{k}", partial(evaluation.agreement, fits, k=k)
    yield "agreement/one", partial(evaluation.agreement, [fits["mrmr"]])
    yield "stability/fits", partial(evaluation.stability, list(fits.values()))
    masks = [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 0]]
    yield "stability/masks", partial(evaluation.stability, masks)
    yield "stability/none", partial(evaluation.stability, masks, confidence=None)
    yield "stability/refused", partial(evaluation.stability, masks[:1])


def comparisons() -> dict[str, Callable[[], Any]]:
    """Small comparisons of every kind."""
    tables, compare = record_tables.tables(), evaluation.compare
    X, y, groups = record_tables.grouped()
    noise = np.random.default_rng(0).standard_normal((40, 5))
    known = ("iris", "linear", "mixed", "ordered", "mixed numbers")
    iris, linear, mixed, ordered, numbers = (tables[name] for name in known)
    return {
        "default": partial(compare, *iris[:2], **SMALL),
        "default for numbers": partial(compare, *linear[:2], **SMALL),
        "iris": partial(compare, *iris[:2], methods(), **SMALL),
        "linear": partial(compare, *linear[:2], ["RReliefF", "FRegression"], **SMALL),
        "mixed": partial(compare, *mixed[:2], methods(), **SMALL),
        "mixed numbers": partial(compare, *numbers[:2], ["RReliefF"], **SMALL),
        "ordered": partial(compare, *ordered[:2], ["OReliefF", "MRMR"], **SMALL),
        "groups": partial(
            compare, X, y, methods(), groups=groups, baseline=[0, 3], **SMALL
        ),
        "logistic": partial(
            compare, X, y, ["FisherScore"], estimator="logistic", **SMALL
        ),
        "noise": partial(compare, noise, np.arange(40) % 2, methods(), **SMALL),
        "image": partial(compare, X, y, methods(), image_shape=(2, 3), **SMALL),
        "positive": partial(compare, *mixed[:2], methods(), positive="well", **SMALL),
        "unknown": partial(compare, X, y, ["Relieve"], **SMALL),
        "bad shape": partial(compare, X, y, methods(), image_shape=(5, 5), **SMALL),
    }


def compared() -> Entries:
    """The parts of comparisons, and the pages made of them."""
    for name, call in comparisons().items():
        yield name, partial(on_a_page, call)


def on_a_page(call: Callable[[], Any]) -> dict[str, Any]:
    """A comparison, and what its report has besides."""
    found = call()
    return {
        "comparison": found,
        "summary": found.summary(),
        "says": repr(found),
        "report": page(widemargin.report(found, title="A <title>")),
    }


def page(report: Any) -> dict[str, Any]:
    """The data behind a page, those in it, and its text."""
    report.data["created"] = "2000-01-01T00:00:00+00:00"
    versions = report.data["provenance"]["versions"]
    report.data["provenance"]["versions"] = dict.fromkeys(versions, "0.0.1")
    return {"data": plain(report.data), "says": repr(report), **html(report.html)}


def html(text: str) -> dict[str, Any]:
    """A page: its data, its words, and a digest of all the rest."""
    text = re.sub(r"<time.*?</time>", "<moment>", text)
    pattern = r"<script[^>]*application/json[^>]*>(.*?)</script>"
    inside = [json.loads(found) for found in re.findall(pattern, text, re.S)]
    rest = re.sub(pattern, "", text, flags=re.S)
    words = re.sub(r"<(script|style)\b.*?</\1>", " ", rest, flags=re.S)
    words = " ".join(re.sub(r"<[^>]+>", " ", words).split())
    whole = scrubbed(VERSION.sub("<version>", rest))
    return {
        "payload": plain(inside),
        "words": scrubbed(VERSION.sub("<version>", words)),
        "page": digest(whole.encode()),
    }


def reports() -> Entries:
    """Pages on fitted selectors."""
    tables = record_tables.tables()
    for table in ("iris", "mixed", "linear", "wine"):
        X, y, _ = data = tables[table]
        fits = [m.fit(X, y) for m in methods(target_is_numeric(data))]
        both = {"first": fits[0], "second": fits[1]}
        yield (
            f"one/{table}",
            lambda f=fits, X=X, y=y: page(widemargin.report(f[0], X=X, y=y)),
        )
        yield (
            f"two/{table}",
            lambda f=both, X=X, y=y: page(
                widemargin.report(f, X=X, y=y, reading=["X, y = read()"])
            ),
        )
        yield f"without data/{table}", lambda f=both: page(widemargin.report(f))
    yield "nothing", partial(widemargin.report, {})
    yield "not fitted", partial(widemargin.report, widemargin.ReliefF())
    X, y, _ = tables["wide"]
    many = baselines.FisherScore().fit(X, y)
    yield "many", lambda: page(widemargin.report(many, X=X, y=y))["words"]
    relief = widemargin.ReliefF().fit(*tables["iris"][:2])
    yield "ending", lambda: widemargin.report(relief).save("page.txt")


def auto() -> Entries:
    """The selector that chooses."""
    tables = record_tables.tables()
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        "iris": (tables["iris"], {}),
        "linear": (tables["linear"], {"methods": ["RReliefF", "FRegression"]}),
        "mixed": (tables["mixed"], {"methods": ["ReliefF", "Simba"]}),
        "mixed numbers": (tables["mixed numbers"], {"methods": ["RReliefF"]}),
        "groups": (record_tables.grouped(), {"methods": ["ReliefF", "MRMR"]}),
        "ordered": (tables["ordered"], {"methods": ["OReliefF", "FisherScore"]}),
        "wanted": (tables["wine"], {"methods": ["FCBF", "MRMR"], "redundancy": 0.8}),
        "three": (tables["wine"], {"methods": "MRMR", "n_features_to_select": 3}),
        "lonely": (tables["lonely"], {"methods": ["ReliefF"]}),
        "tied": (tables["tied"], {"methods": ["ReliefF"], "cv": 3}),
        "unknown": (tables["iris"], {"methods": ["Relieve"]}),
    }
    for name, (data, given) in ways.items():
        yield name, partial(chosen, data, given)


def chosen(data: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What `AutoSelector` leaves behind."""
    fitted = AutoSelector(**given, **SEED).fit(data.X, data.y, groups=data.groups)
    return attributes(fitted, ending="_")


def trees() -> Entries:
    """The tree for ordered classes, and its loss."""
    ordinal, ordered = (record_tables.tables()[n] for n in ("ordinal", "ordered"))
    ways: list[dict[str, Any]] = [
        {},
        {"max_depth": 2, "prediction": "median"},
        {"min_samples_leaf": 5, "min_impurity_decrease": 0.01},
    ]
    for name, (X, y, _) in {"ordinal": ordinal, "ordered": ordered}.items():
        for i, given in enumerate(ways):
            yield f"RankingTree/{name}/{i}", partial(grown, given, X, y)
    yield "rank_loss", partial(evaluation.rank_loss, [1, 2, 3, 3], [1, 3, 2, 1])
    labels = {"labels": ["lo", "mid", "hi"]}
    yield (
        "rank_loss/labels",
        partial(evaluation.rank_loss, ["lo", "hi"], ["mid", "lo"], **labels),
    )
    yield "rank_loss/refused", partial(evaluation.rank_loss, ["a", "b"], ["b", "a"])


def grown(given: dict[str, Any], X: Any, y: Any) -> dict[str, Any]:
    """A tree and what it predicts."""
    tree = evaluation.RankingTree(**given).fit(X, y)
    return {
        "predicted": np.asarray(tree.predict(X)).astype(str),
        "shares": tree.predict_proba(X),
        "leaves": tree.apply(X),
        "size": [tree.get_depth(), tree.get_n_leaves()],
        **attributes(tree, ending="_"),
    }


def margins() -> Entries:
    """The functions of `widemargin.margin`."""
    for name in ("wine", "tied", "lonely", "duplicates", "mixed"):
        X, y, _ = record_tables.tables()[name]
        weights = np.linspace(0, 1, np.shape(X)[1])
        for label, w in {"ones": None, "rising": weights, "short": [1.0]}.items():
            yield f"{name}/{label}", partial(margin.hypothesis_margins, X, y, w)
            for utility in ("linear", "sigmoid", "zero-one", "odd"):
                call = partial(margin.evaluation, X, y, w, utility)
                yield f"{name}/{label}/{utility}", call
        bound = partial(margin.generalization_bound, X, y, [0, 2], 0.5)
        yield f"{name}/bound", bound
        yield f"{name}/bound/radius", partial(bound, 0.1, radius=2.0)
        yield f"{name}/bound/said", lambda b=bound: str(b())


def selections() -> Entries:
    """Selections in files, as they are written and read."""
    for table in ("iris", "mixed", "polars", "linear"):
        yield table, partial(kept_in_file, record_tables.tables()[table])
    wrong = {"not JSON": "{", "no selection": "{}", "list": "[1]"}
    wrong["format"] = '{"widemargin": "selection", "format": 99, "version": "9"}'
    for name, text in wrong.items():
        yield name, partial(loaded, text)
    yield "unknown name", lambda: Selection(["a"], ["b"]).support_
    yield "twice", lambda: Selection(["a", "a"]).support_
    yield "columns", lambda: Selection(["a"], ["a", "b"]).transform([[1, 2, 3]])


def kept_in_file(data: Any) -> dict[str, Any]:
    """A selection, its file, and what is read from it."""
    selector = methods(target_is_numeric(data))[0].fit(data.X, data.y)
    selection = Selection.from_selector(selector, file="t.csv", settings={"a": 1})
    with tempfile.TemporaryDirectory() as folder:
        path = selection.save(Path(folder) / "few.json")
        text = path.read_text(encoding="utf-8")
        again = Selection.load(path)
    return {
        "says": repr(again),
        "file": json.loads(text),
        "layout": re.sub(r"[-\w.+\"]+", "x", text)[:200],
        "read": attributes(again),
        "reduced": np.asarray(again.transform(data.X)),
    }


def loaded(text: str) -> Any:
    """Whatever is read from a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "few.json"
        path.write_text(text, encoding="utf-8")
        try:
            return Selection.load(path)
        except ValueError as error:
            return str(error).replace(folder, "<folder>")


PARTS = {
    "evaluation": curves,
    "selection_curve": other_curves,
    "similarity": similarity,
    "compare": compared,
    "report": reports,
    "AutoSelector": auto,
    "ordinal": trees,
    "margin": margins,
    "Selection": selections,
}
