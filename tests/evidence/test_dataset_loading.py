"""Public data sets: sources, checks and traps, with made-up files and answers."""

import os
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from evidence import data
from evidence.data import checksums, entries
from evidence.data.entries import Entry
from widemargin import OReliefF, ReliefF, notices

pd = pytest.importorskip("pandas")

TOY = Entry(
    name="toy",
    title="Six made-up rows",
    target="ordinal",
    shape=(6, 5),
    origin="nowhere",
    licence="none needed",
    papers=("Nobody 2000",),
    notes=("0 in bmi stands for a missing value.",),
    aliases=("toys",),
    openml=(4711,),
    openml_drop=("who",),
    openml_groups="who",
    classes=("LO", "MED", "HI"),
    categorical=("code",),
    ordered={"size": ["small", "big"]},
    zero_is_missing=("bmi",),
    leaks=("estimate",),
    groups_file="toy_groups.csv.gz",
    groups_column="who",
    train_rows=4,
)
FRAME = pd.DataFrame(
    {
        "bmi": [21.5, 0.0, 30.25, 25.0, 19.0, 19.0],
        "code": [3, 1, 1, 3, 2, 2],
        "size": ["big", "small", "small", None, "big", "big"],
        "color": ["red", "blue", None, "red", "blue", "blue"],
        "estimate": [1, 2, 3, 1, 2, 2],
    }
)
TARGET = np.array(["LO", "MED", "HI", "LO", "MED", "MED"])
GROUPS = ["a", "a", "b", "b", "c", "c"]


def keys_of(X, y, classes=True):
    return checksums.table_keys(X, y, classes=classes)


@pytest.fixture
def toy(monkeypatch):
    """Make the toy known, and return it."""
    keys = keys_of(FRAME, TARGET)
    entry = Entry(
        **{
            **vars(TOY),
            "checksum": checksums.checksum(keys.rows, TARGET, classes=True),
            "order": checksums.order_checksum(keys.rows),
        }
    )
    monkeypatch.setitem(entries.entries(), "toy", entry)
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    return entry


@pytest.fixture
def folder(toy, tmp_path):
    """A folder that holds the toy and its groups."""
    FRAME.assign(target=TARGET).to_csv(tmp_path / "toy.csv.gz", index=False)
    aside = pd.DataFrame({"who": GROUPS})
    aside.to_csv(tmp_path / "toy_groups.csv.gz", index=False)
    return tmp_path


@pytest.fixture
def openml(monkeypatch):
    """Answer like OpenML: rows and columns in another order, labels as categories."""
    asked = []

    def fetch(*, data_id, as_frame, parser):
        asked.append(data_id)
        rows = [5, 0, 3, 1, 4, 2]
        data = FRAME.assign(who=GROUPS).iloc[rows, ::-1].reset_index(drop=True)
        data["code"] = data["code"].astype(str).astype("category")
        target = pd.Series(TARGET[rows]).map(lambda label: f"'{label}'")
        return Bunch(data=data, target=target.astype("category"))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    return asked


@pytest.fixture
def offline(monkeypatch):
    def fetch(**_):
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)


def test_a_file_from_the_folder_as_a_frame(folder):
    toy = data.load("toy", data_home=folder)
    assert toy.feature_names == ["bmi", "code", "size", "color"]
    assert toy.data.columns.tolist() == toy.feature_names
    assert toy.categorical_features == ["code", "size", "color"]
    assert toy.data["size"].cat.ordered
    assert toy.data["size"].cat.categories.tolist() == ["small", "big"]
    assert toy.data["bmi"].isna().tolist() == [False, True, False, False, False, False]
    assert toy.target.cat.ordered
    assert toy.target.cat.categories.tolist() == toy.target_names == ["LO", "MED", "HI"]
    assert toy.target_kind == "ordinal"
    assert toy.groups.tolist() == GROUPS
    assert toy.split.tolist() == [0, 0, 0, 0, 1, 1]
    assert toy.duplicates.tolist() == [False] * 5 + [True]
    assert toy.source == str(folder / "toy.csv.gz")


def test_the_folder_may_be_named_by_the_environment(folder, monkeypatch):
    monkeypatch.setenv("WIDEMARGIN_DATA", str(folder))
    assert data.load("TOYS").name == "toy"


def test_raw_values_are_those_of_the_file(folder):
    toy = data.load("toy", data_home=folder, raw=True)
    assert toy.data["bmi"].tolist() == FRAME["bmi"].tolist()
    assert "estimate" in toy.data


def test_as_an_array_text_is_coded_and_codes_stay(folder):
    X, y = data.load("toy", data_home=folder, as_frame=False, return_X_y=True)
    expected = [
        [21.5, 3, 1, 1],
        [np.nan, 1, 0, 0],
        [30.25, 1, 0, np.nan],
        [25, 3, np.nan, 1],
        [19, 2, 1, 0],
        [19, 2, 1, 0],
    ]
    np.testing.assert_array_equal(X, expected)
    np.testing.assert_array_equal(y, [0, 1, 2, 0, 1, 1])


@pytest.mark.parametrize("as_frame", [True, False])
def test_the_description_says_what_there_is_to_know(folder, as_frame):
    text = data.load("toy", data_home=folder, as_frame=as_frame).DESCR
    for part in (
        "6 rows, 4 features",
        "3 ordinal classes (LO: 2, MED: 3, HI: 1)",
        "nowhere",
        "none needed",
        "Nobody 2000",
        "1 rows repeat",
        "missing value",
    ):
        assert part in text


def test_selectors_take_what_is_loaded(folder):
    toy = data.load("toy", data_home=folder)
    with notices.muted():
        assert ReliefF().fit(toy.data, toy.target).n_features_in_ == 4
        assert OReliefF().fit(toy.data[["bmi"]], toy.target).n_features_in_ == 1


def test_openml_is_asked_by_id_where_there_is_no_file(toy, openml, tmp_path, capsys):
    found = data.load("toy", data_home=tmp_path, verbose=1)
    assert openml == [4711]
    assert found.source == "OpenML, data id 4711"
    assert "toy from OpenML (4711)" in capsys.readouterr().err
    assert "who" not in found.data
    assert found.groups.tolist() == [GROUPS[i] for i in [5, 0, 3, 1, 4, 2]]
    assert found.target.cat.categories.tolist() == ["LO", "MED", "HI"]
    assert found.data["code"].tolist() == [2, 3, 3, 1, 2, 1]
    # The copy has its rows in another order: the official split does not fit it.
    assert found.split is None


def test_files_are_preferred_to_openml(folder, openml):
    data.load("toy", data_home=folder)
    assert openml == []


def test_columns_of_several_openml_sets_are_put_side_by_side(
    toy, openml, tmp_path, monkeypatch
):
    twice = Entry(**{**vars(toy), "openml": (1, 2), "ordered": {}, "leaks": ()})
    twice = Entry(**{**vars(twice), "categorical": (), "zero_is_missing": ()})
    monkeypatch.setitem(entries.entries(), "toy", twice)
    found = data.load("toy", data_home=tmp_path, verify=False, as_frame=False)
    assert openml == [1, 2]
    assert found.data.shape == (6, 10)


def test_offline_the_error_says_how_to_supply_the_file(toy, offline, tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        data.load("toy", data_home=tmp_path)
    for part in (
        str(tmp_path),
        "no route to host",
        "4711",
        "toy.csv.gz",
        "5 features",
        "6 rows",
        "data_home=",
        "WIDEMARGIN_DATA",
    ):
        assert part in str(error.value)


def test_without_permission_nothing_is_downloaded(toy, openml):
    with pytest.raises(FileNotFoundError, match="no data folder is named"):
        data.load("toy", download_if_missing=False)
    assert openml == []


def test_a_set_that_openml_lacks_says_so(toy, openml, monkeypatch):
    nowhere = Entry(**{**vars(toy), "openml": ()})
    monkeypatch.setitem(entries.entries(), "toy", nowhere)
    with pytest.raises(FileNotFoundError, match="OpenML does not have it"):
        data.load("toy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.assign(bmi=t["bmi"] + 0.01), "checksum"),
        (lambda t: t.assign(target=t["target"].iloc[::-1].to_numpy()), "checksum"),
        (lambda t: t.iloc[:5], "5 rows and 5 features; 6 and 5"),
        (lambda t: t.drop(columns="color"), "6 rows and 4 features; 6 and 5"),
    ],
)
def test_another_copy_is_refused(folder, change, message):
    change(FRAME.assign(target=TARGET)).to_csv(folder / "toy.csv.gz", index=False)
    (folder / "toy_groups.csv.gz").unlink()
    with (
        pytest.warns(UserWarning, match="toy_groups"),
        pytest.raises(ValueError, match=message),
    ):
        data.load("toy", data_home=folder)


def test_another_copy_is_taken_if_it_is_wanted(folder):
    other = FRAME.assign(target=TARGET, bmi=7)
    other.to_csv(folder / "toy.csv.gz", index=False)
    found = data.load("toy", data_home=folder, verify=False)
    assert found.data["bmi"].tolist() == [7] * 6
    assert found.split is None


def test_missing_groups_are_warned_of(folder):
    (folder / "toy_groups.csv.gz").unlink()
    with pytest.warns(UserWarning, match="not independent"):
        assert data.load("toy", data_home=folder).groups is None


def test_groups_of_another_length_are_refused(folder):
    pd.DataFrame({"who": ["a"]}).to_csv(folder / "toy_groups.csv.gz", index=False)
    with pytest.raises(ValueError, match="has 1 rows and not 6"):
        data.load("toy", data_home=folder)


def test_a_damaged_file_is_named(folder):
    (folder / "toy.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(ValueError, match=r"toy\.csv\.gz cannot be read as toy"):
        data.load("toy", data_home=folder)


def test_a_copy_without_a_column_with_a_trap_is_refused(folder):
    other = FRAME.rename(columns={"bmi": "mass"})
    other.assign(target=TARGET).to_csv(folder / "toy.csv.gz", index=False)
    with pytest.raises(ValueError, match="no column 'bmi'"):
        data.load("toy", data_home=folder)


def test_a_folder_that_is_not_there_is_an_error(toy, monkeypatch, tmp_path):
    with pytest.raises(NotADirectoryError, match="data_home: there is no folder"):
        data.load("toy", data_home=tmp_path / "none")
    monkeypatch.setenv("WIDEMARGIN_DATA", str(tmp_path / "none"))
    with pytest.raises(NotADirectoryError, match="WIDEMARGIN_DATA: there is no"):
        data.load("toy")


def test_unknown_names_are_answered_with_close_ones():
    with pytest.raises(ValueError, match=r"'madelonn'.*Did you mean madelon\?"):
        data.load("madelonn")
    with pytest.raises(TypeError, match="a string, got 3"):
        data.load(3)


def test_images_and_splits_from_arrays(toy, tmp_path, monkeypatch):
    X = np.arange(24, dtype=np.uint8).reshape(4, 6)
    y = np.array([-1, 1, -1, 1], np.int16)
    keys = keys_of(X, y)
    entry = Entry(
        name="faces",
        title="Four images",
        target="nominal",
        shape=(4, 6),
        origin="nowhere",
        licence="none needed",
        npz=True,
        official_split=True,
        image_shape=(2, 3),
        image_order="F",
        checksum=checksums.checksum(keys.rows, y, classes=True),
        order=checksums.order_checksum(keys.rows),
    )
    monkeypatch.setitem(entries.entries(), "faces", entry)
    np.savez(tmp_path / "faces.npz", X=X, y=y, split=np.int8([0, 0, 1, 1]))
    faces = data.load("faces", data_home=tmp_path)
    assert faces.data.dtype == np.uint8
    assert faces.split.tolist() == [0, 0, 1, 1]
    image = faces.data[0].reshape(faces.image_shape, order=faces.image_order)
    for name, value in zip(faces.feature_names, faces.data[0], strict=True):
        row, column = (int(part[-1]) for part in name.split("_"))
        assert image[row, column] == value
    assert data.load("faces", data_home=tmp_path, as_frame=True).data.shape == (
        4,
        6,
    )
    np.savez(tmp_path / "faces.npz", X=X)
    with pytest.raises(ValueError, match=r"arrays X \(4 x 6\) and y, and split"):
        data.load("faces", data_home=tmp_path)


def test_classes_are_cut_from_numbers_where_they_have_no_file(
    toy, tmp_path, monkeypatch
):
    y = np.array([10, 17.025, 17.03, 25, 25.1, 50])
    keys = keys_of(FRAME, y, classes=False)
    base = Entry(
        **{
            **vars(TOY),
            "name": "prices",
            "target": "continuous",
            "classes": (),
            "groups_file": None,
            "train_rows": None,
            "checksum": checksums.checksum(keys.rows, y, classes=False),
        }
    )
    grades = np.array([1, 1, 2, 3, 4, 4])
    keys = keys_of(FRAME, grades)
    cut = Entry(
        **{
            **vars(base),
            "name": "grades",
            "target": "ordinal",
            "base": "prices",
            "cuts": (17.025, 21.2, 25.0),
            "checksum": checksums.checksum(keys.rows, grades, classes=True),
        }
    )
    for entry in (base, cut):
        monkeypatch.setitem(entries.entries(), entry.name, entry)
    FRAME.assign(target=y).to_csv(tmp_path / "prices.csv.gz", index=False)
    assert data.load("prices", data_home=tmp_path).target.tolist() == y.tolist()
    found = data.load("grades", data_home=tmp_path)
    assert found.target.tolist() == grades.tolist()
    assert "cut at" in found.source


@pytest.mark.parametrize("as_frame", [True, False])
@pytest.mark.parametrize("name", ["iris", "wdbc", "wine", "digits", "diabetes"])
def test_sets_of_scikit_learn_are_the_known_ones(name, as_frame):
    found = data.load(name, as_frame=as_frame)
    assert found.data.shape == entries.find(name).shape
    assert hasattr(found.data, "columns") == as_frame
    assert len(found.feature_names) == found.data.shape[1]
    assert len(found.target) == len(found.data)


def test_every_entry_is_complete():
    assert len({entry.name for entry in data.list()}) == len(data.list()) > 30
    for entry in data.list():
        assert entry.target in ("nominal", "ordinal", "continuous")
        assert entry.origin
        assert entry.licence
        assert len(entry.checksum) == checksums.LENGTH
        assert entry.loader or entry.file_from or entry.base
        assert bool(entry.order) == bool(entry.train_rows or entry.official_split)
        if entry.image_shape is not None:
            assert np.prod(entry.image_shape) == entry.shape[1]


@pytest.mark.skipif("WIDEMARGIN_DATA" not in os.environ, reason="no data folder")
@pytest.mark.parametrize("entry", data.list(), ids=lambda entry: entry.name)
def test_files_of_the_data_folder_are_the_known_copies(entry):
    found = data.load(entry.name, download_if_missing=False)
    assert len(found.target) == entry.shape[0]
    assert (found.split is not None) == bool(entry.order)
    assert (found.groups is not None) == bool(entry.groups_file)


def test_checksum_does_not_depend_on_order_names_and_types():
    keys = keys_of(FRAME, TARGET)
    known = checksums.checksum(keys.rows, TARGET, classes=True)
    rows = np.random.default_rng(0).permutation(6)
    other = FRAME.iloc[rows, [3, 0, 4, 2, 1]].set_axis(list("vwxyz"), axis=1)
    other["w"] = other["w"].astype(np.float32)
    other["z"] = other["z"].astype(str)
    renamed = np.array([{"LO": 7, "MED": 5, "HI": 6}[label] for label in TARGET[rows]])
    keys = keys_of(other, renamed)
    assert checksums.checksum(keys.rows, renamed, classes=True) == known


def test_checksum_tells_columns_with_the_same_values_apart():
    X = np.array([[a, b] for a in range(4) for b in range(4)])
    y = (X[:, 0] > X[:, 1]).astype(int)
    wrong = (X[:, 0] > 1).astype(int)

    def of(X, y):
        return checksums.checksum(keys_of(X, y).rows, y, classes=True)

    assert of(X, y) == of(X[:, ::-1], y)
    assert of(X, y) != of(X, wrong)
    assert not checksums.repeats(keys_of(X, y).places, y).any()


@pytest.mark.parametrize("place", [(0, 0), (3, 1), (7, 2)])
def test_checksum_changes_with_any_value(place):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (8, 3)), rng.integers(0, 2, 8)
    before = checksums.checksum(keys_of(X, y).rows, y, classes=True)
    X[place] += 5
    assert checksums.checksum(keys_of(X, y).rows, y, classes=True) != before


def test_checksum_of_numbers_pairs_rows_with_targets():
    X, y = np.arange(6.0).reshape(3, 2), np.array([1.5, 2.5, 3.5])
    before = checksums.checksum(keys_of(X, y, False).rows, y, classes=False)
    swapped = y[[1, 0, 2]]
    keys = keys_of(X, swapped, False)
    assert checksums.checksum(keys.rows, swapped, classes=False) != before
