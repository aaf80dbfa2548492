"""`widemargin compare --hard-rows`, and the sections of the report."""

import json

import pytest
from sklearn.datasets import load_wine

from cli_tools import invoke

LITTLE = ["--folds", "3", "--budget", "1", "-m", "ReliefF"]


@pytest.fixture(autouse=True)
def wine(tmp_path, monkeypatch):
    """Wine with three wrong labels, and two rows without one."""
    data = load_wine(as_frame=True)
    frame = data.data.assign(kind=data.target_names[data.target])
    frame.loc[[3, 80, 150], "kind"] = ["class_1", "class_2", "class_0"]
    frame.loc[[5, 6], "kind"] = None
    frame.to_csv(tmp_path / "wine.csv", index=False)
    monkeypatch.chdir(tmp_path)


def test_rows_are_numbered_as_in_the_file():
    result = invoke("compare", "wine.csv", *LITTLE, "--hard-rows", "5", "-q")
    assert result.exit_code == 0, result.stderr
    _, table = result.stdout.split("labels may be wrong")
    rows = {int(line.split()[0]) for line in table.splitlines()[3:8]}
    assert {3, 80, 150} <= rows
    assert "suspect" in table


def test_json_and_report_have_them():
    saved = ["--json", "-o", "page.html", "-o", "page.json"]
    result = invoke("compare", "wine.csv", *LITTLE, "--hard-rows", "4", *saved)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["hard_rows"]
    assert len(found["rows"]) == 4
    assert {3, 80, 150} <= {row["row"] for row in found["rows"]}
    with open("page.json", encoding="utf-8") as file:
        page = json.load(file)
    assert page["hard_rows"]["row"] == [row["row"] for row in found["rows"]]
    assert page["by_class"]["classes"] == ["class_0", "class_1", "class_2"]
    assert page["by_class"]["method"] == "ReliefF"
    with open("page.html", encoding="utf-8") as file:
        text = file.read()
    assert 'id="rows"' in text
    assert 'id="by-class"' in text
