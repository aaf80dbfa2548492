"""Cases are measured once, stored when they are done, and make the pages."""

import json

import pytest

from evidence.data import Sets
from evidence.framework import pages, running
from evidence.framework.command import Subject, main
from evidence.framework.running import Missing
from evidence.framework.store import NoStore, Store, Stores
from evidence.papers import markdown
from evidence.peers.__main__ import SUBJECT as PEERS
from evidence.study.__main__ import SUBJECT as STUDY
from evidence.truth.__main__ import SUBJECT as TRUTH

SUBJECTS = (PEERS, STUDY, TRUTH, Subject("papers", {}, markdown.pages))


class Coins:
    """A part that throws coins; gold may be missing."""

    def __init__(self, *, gold=True, fails=()):
        self.gold, self.fails, self.thrown = gold, fails, []

    def cases(self, quick):
        for seed in range(1 if quick else 3):
            yield from ({"coin": coin, "seed": seed} for coin in ("gold", "silver"))

    def measure(self, case, data):
        self.thrown.append(case)
        if len(self.thrown) in self.fails:
            raise RuntimeError("it rolled away")
        if case["coin"] == "gold" and not self.gold:
            raise Missing("there is no gold")
        return {"heads": 1 / 3}


def throw(coins, folder, **options):
    return [*running.run(coins, "coins", Stores(folder), None, **options)]


def command(coins, folder, *arguments):
    subject = Subject("none", {"coins": coins}, lambda results: {})
    return main(subject, ["--results", str(folder), *arguments])


def test_a_case_that_is_stored_is_not_measured_again(tmp_path):
    coins = Coins(fails=(2,))
    failed = [step for step in throw(coins, tmp_path) if step.error]
    assert [str(step) for step in failed] == [
        '{"coin": "silver", "seed": 0} FAILED: RuntimeError(\'it rolled away\')'
    ]
    assert len(throw(coins, tmp_path)) == 1
    assert coins.thrown[-1] == {"coin": "silver", "seed": 0}
    rows = Store(tmp_path / "coins.json").rows()
    assert len(rows) == 6
    assert {row["heads"] for row in rows} == {0.33333}
    assert not [*tmp_path.glob(".*")]


def test_a_case_whose_data_are_missing_is_left_out(tmp_path):
    steps = throw(Coins(gold=False), tmp_path)
    assert sum(isinstance(step.error, Missing) for step in steps) == 3
    assert "left out: there is no gold" in str(steps[0])
    assert len(Store(tmp_path / "coins.json")) == 3


def test_results_are_kept_until_they_are_measured_again(tmp_path):
    assert command(Coins(), tmp_path) == 0
    coins = Coins(gold=False)
    assert command(coins, tmp_path, "--again") == 0
    assert len(coins.thrown) == 6
    older = [row for row in Store(tmp_path / "coins.json").rows() if row.get("older")]
    assert [row["coin"] for row in older] == ["gold"] * 3
    coins = Coins()
    command(coins, tmp_path)
    assert len(coins.thrown) == 3


def test_the_command_measures_some_cases_and_tells_of_failures(tmp_path, capsys):
    coins = Coins(fails=(1,))
    assert command(coins, tmp_path, "--where", "seed=1", "--where", "seed=2") == 1
    assert {case["seed"] for case in coins.thrown} == {1, 2}
    assert "it rolled away" in capsys.readouterr().out
    assert command(Coins(), tmp_path, "--quick") == 0
    assert (tmp_path / "coins.quick.json").exists()
    with pytest.raises(SystemExit):
        command(coins, tmp_path, "notes")
    assert "there is no part notes" in capsys.readouterr().err


def test_time_that_is_up_ends_a_run_between_cases(tmp_path, capsys):
    coins = Coins()
    assert command(coins, tmp_path, "--minutes", "0") == 0
    assert len(coins.thrown) == 1
    assert capsys.readouterr().out.endswith("time is up\n")


def test_two_runs_at_a_time_keep_each_others_results(tmp_path):
    one, other = (Store(tmp_path / "coins.json") for _ in range(2))
    one.add({"seed": 0}, {"heads": 1})
    other.add({"seed": 1}, {"heads": 0})
    assert len(Store(tmp_path / "coins.json")) == 2


def test_a_file_that_holds_something_else_is_not_overwritten(tmp_path):
    (tmp_path / "coins.json").write_text("[1, 2]")
    with pytest.raises(NoStore, match="Move it away"):
        Store(tmp_path / "coins.json")
    assert (tmp_path / "coins.json").read_text() == "[1, 2]"


def test_a_set_that_is_nowhere_is_asked_for_once(tmp_path, monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    sets = Sets(tmp_path, download=False)
    errors = []
    for _ in range(2):
        with pytest.raises(Missing, match=r"madelon\.npz") as error:
            sets("madelon")
        errors.append(error.value)
    assert errors[0] is errors[1]


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_the_pages_are_those_that_the_stored_results_give(subject):
    pytest.importorskip("matplotlib")
    made = subject.pages(subject.results)
    assert made
    for name, text in made.items():
        if isinstance(text, str):
            there = (pages.DOCS / name).read_text(encoding="utf-8")
            assert there == text, f"python -m evidence.{subject.name} --page"


def test_no_page_of_a_paper_is_left_from_before():
    made = SUBJECTS[-1].pages(SUBJECTS[-1].results)
    there = {path.name for path in (pages.DOCS / "papers").iterdir()}
    assert {path.name for path in made} == there


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_every_case_can_be_stored_under_a_name_of_its_own(subject):
    for part in subject.parts.values():
        for quick in (True, False):
            names = [json.dumps(case) for case in part.cases(quick)]
            assert len(names) == len({*names})


def test_tables_longer_than_a_screen_fold():
    short, long = (
        pages.table(["n"], [[i] for i in range(n)])
        for n in (pages.SCREEN, pages.SCREEN + 1)
    )
    assert pages.folded(f"Words.\n\n{short}\nMore.") == f"Words.\n\n{short}\nMore."
    head = f":::{{dropdown}} The table, {pages.SCREEN + 1} rows"
    found = pages.folded(f"Words.\n\n{long}\nMore.")
    assert found == f"Words.\n\n{head}\n{long}:::\n\nMore."
