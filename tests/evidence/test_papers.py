"""The papers' frame: resuming, missing data, verdicts, pages, the command."""

import json
import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import evidence.papers as papers
from evidence.data import Sets
from evidence.framework import pages
from evidence.framework.results import NoResults, Results
from evidence.framework.running import Missing
from evidence.framework.store import Store
from evidence.framework.verdicts import (
    FAILS,
    HOLDS,
    KINDS,
    NOTHING_CHOSEN,
    UNDECIDED,
    UNTESTED,
    Verdict,
    by_readings,
    judged,
    with_stand_ins,
)
from evidence.papers import markdown
from evidence.papers.__main__ import main
from evidence.papers.axes import ticks
from evidence.papers.drawing import (
    Bars,
    Figure,
    Lines,
    Pixels,
    Series,
    draw,
    standalone,
)
from evidence.papers.frame import Claim, Experiment, Paper, Table, never
from evidence.papers.lmba.methods import Mitra
from evidence.papers.outcomes import chosen, run, stored, summarize
from evidence.papers.splits import (
    RANDOM,
    Fitted,
    Paired,
    Sized,
    compare_rankings,
    nearest_neighbor,
    signed,
)
from waiting import LONG, wait_until


class Coins(Experiment):
    """Throws coins; one of its data sets may be missing."""

    key = "coins"
    covers = ("Table 1", "Figure 2")
    title = "Coins"
    how = "Thrown."

    def __init__(self, absent=(), stop_at=None):
        self.absent, self.stop_at, self.ran = absent, stop_at, []

    def cases(self, quick):
        return [
            {"data": name, "seed": seed}
            for name in ("gold", "silver")
            for seed in range(1 if quick else 3)
        ]

    def measure(self, case, data):
        if self.stop_at == len(self.ran):
            raise KeyboardInterrupt
        if case["data"] in self.absent:
            raise Missing(f"{case['data']} was not found.")
        self.ran.append(case)
        return {"heads": np.float64(case["seed"] / 3)}

    def claims(self):
        return [
            self.claim("Gold lands on heads.", "0.9", "gold", 0.2),
            self.claim("Silver does more.", "1.0", "silver", 0.9),
            Claim("Figure 2", "A drawing.", "", never("Nobody can.")),
        ]

    def claim(self, text, published, name, least):
        def judge(results):
            heads = results.where(data=name).values("heads")
            mean = np.mean(heads)
            return judged(mean > least, f"{mean:.2f}", honest=min(heads) > least)

        criteria = f"the mean is above {least}", f"all are above {least}"
        return Claim("Table 1", text, published, judge, *criteria)

    def tables(self, results):
        return [
            Table("All", ["seed", "heads"], [[r["seed"], r["heads"]] for r in results])
        ]

    def figures(self, results):
        line = Series("heads", [1, 2], [0.1, 0.2], [0.0, 0.1])
        return [Figure("figure-2", "Heads & tails", [Lines([line], "x", "y", "<b>")])]


def paper(*experiments):
    return Paper("900", "coins", "A. Uthor", "Coins", "2000", experiments)


def verdicts(summary):
    return [claim["reproduced"] for claim in summary["verdicts"]]


def test_a_second_run_runs_only_what_is_not_stored(tmp_path):
    first, second = Coins(stop_at=2), Coins()
    with pytest.raises(KeyboardInterrupt):
        run(paper(first), first, tmp_path, Sets())
    outcome = run(paper(second), second, tmp_path, Sets())
    assert (len(first.ran), len(second.ran)) == (2, 4)
    assert (outcome.n_stored, outcome.n_cases, len(outcome.results)) == (2, 6, 6)
    third = Coins(stop_at=0)
    again = run(paper(third), third, tmp_path, Sets())
    assert [r["heads"] for r in again.results] == [r["heads"] for r in outcome.results]
    assert not list((tmp_path / "900").glob(".*"))


def test_quick_results_are_kept_apart(tmp_path):
    coins = Coins()
    run(paper(coins), coins, tmp_path, Sets(), quick=True)
    outcome = run(paper(coins), coins, tmp_path, Sets())
    assert outcome.n_stored == 0
    assert {p.name for p in (tmp_path / "900").iterdir()} == {
        "coins.json",
        "coins.quick.json",
    }


def test_missing_data_leave_the_other_cases_and_a_reason(tmp_path):
    coins = Coins(absent=("silver",))
    outcome = run(paper(coins), coins, tmp_path, Sets())
    assert outcome.missing == ["silver was not found."]
    summary = summarize(paper(coins), [outcome], quick=False)
    assert verdicts(summary) == [HOLDS, UNTESTED, UNTESTED]
    assert summary["verdicts"][1]["why"] == "silver was not found."
    assert summary["verdicts"][2]["why"] == "Nobody can."


def test_the_verdict_follows_the_numbers(tmp_path):
    coins = Coins()
    outcome = run(paper(coins), coins, tmp_path, Sets())
    found = summarize(paper(coins), [outcome], quick=False)["verdicts"]
    assert [c["reproduced"] for c in found] == [HOLDS, FAILS, UNTESTED]
    assert [c["survives"] for c in found] == [FAILS, FAILS, NOTHING_CHOSEN]
    assert found[0]["ours"] == "0.33"
    with pytest.raises(ValueError, match="one of"):
        Verdict("maybe")
    with pytest.raises(ValueError, match="one of"):
        Verdict(HOLDS, honest="maybe")


def test_stand_ins_cannot_refute():
    found = with_stand_ins(judged(False, "0.3", "A reason", honest=True), "Others")
    assert found.reproduced == f"{UNTESTED}; on stand-ins: {FAILS}"
    assert found.survives == f"{UNTESTED}; on stand-ins: {HOLDS}"
    assert found.why == "A reason. Others"
    claim = Claim("Table 1", "", "", lambda results: found, "it is so", "it is too")
    one = {"reproduced": claim.find(Results([{}])).reproduced}
    assert markdown.counts([{"verdicts": [one]}], "reproduced") == {
        **dict.fromkeys(KINDS, 0),
        UNTESTED: 1,
    }


def test_readings_that_disagree_decide_nothing():
    both = by_readings([(True, False), (False, False)], "")
    assert (both.verdict, both.honest) == (UNDECIDED, FAILS)
    assert by_readings([(True, None), (True, None)], "").survives == NOTHING_CHOSEN


def test_a_second_verdict_needs_its_criterion():
    def judge(results):
        return judged(True, "", honest=True)

    claim = Claim("Table 1", "It rains.", "", judge, "it does")
    with pytest.raises(ValueError, match=r"'It rains\.' needs a second verdict"):
        claim.find(Results([{"a": 1}]))


def test_a_changed_criterion_is_disclosed_on_both_pages():
    claim = {"criterion": "a", "honest_criterion": "b", "changed": "2026-11-18: why"}
    assert markdown.criteria(claim) == [
        "It holds if a.",
        "It survives if b.",
        "Changed: 2026-11-18: why.",
    ]
    for key in papers.available():
        for one in papers.find(key).experiments:
            for claim in one.claims():
                assert not claim.changed or re.match(r"20\d\d-\d\d-\d\d", claim.changed)


def test_a_claim_about_what_has_not_been_run_says_so():
    def judge(results):
        return judged(results.where(a=1), "")

    claim = Claim("Table 1", "", "", judge, "there is one")
    assert "has not been run (there are no results)" in claim.find(Results([])).why
    assert "has not been run (a 1)" in claim.find(Results([{"a": 2}])).why
    with pytest.raises(NoResults):
        Results([{"a": 2}]).where(a=1)


def test_a_claim_that_can_be_judged_says_when_it_holds():
    Claim("Figure 1", "A drawing.", "", never("Nobody can."))
    with pytest.raises(ValueError, match=r"'It rains\.' .* needs a criterion"):
        Claim("Figure 1", "It rains.", "", lambda results: judged(True, ""))


def test_experiments_are_chosen_by_table_figure_or_name():
    coins = Coins()
    for name in ("Table 1", "Figure 2", "coins"):
        assert chosen(paper(coins), [name]) == [coins]
    with pytest.raises(ValueError, match="no experiment for Table 7"):
        chosen(paper(coins), ["Table 7"])


def test_every_paper_has_a_claim_for_what_it_covers():
    for key in papers.available():
        one = papers.find(key)
        assert papers.find(one.alias) is one
        for experiment in one.experiments:
            claims = experiment.claims()
            assert experiment.cases(True)
            for case in [*experiment.cases(True), *experiment.cases(False)]:
                json.dumps(case)
            where = {claim.where for claim in claims}
            assert set(experiment.covers) <= where, (key, experiment.key)


def test_the_random_ranking_is_no_better_than_chance_and_relevant_first_is():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    X = random.normal(size=(200, 12))
    X[:, 0] += 4 * y
    split = np.arange(100), np.arange(100, 200)
    rankers = {"first": lambda X, y, seed: np.arange(X.shape[1])}
    found = compare_rankings(X, y, rankers, split, 0, sizes=[1, 2, 12])
    assert set(found) == {"first", RANDOM}
    assert found["first"]["curve"][0] > 0.9
    assert found["first"]["best"] == max(found["first"]["curve"])
    assert found["first"]["honest_k"] in (1, 2)
    # With all features, the order makes no difference.
    assert found["first"]["curve"][-1] == found[RANDOM]["curve"][-1]


def test_accuracy_is_that_of_scikit_learns_nearest_neighbour():
    from sklearn.neighbors import KNeighborsClassifier

    random = np.random.default_rng(1)
    X, y = random.normal(size=(90, 6)), random.integers(0, 3, 90)
    train, test, order = np.arange(60), np.arange(60, 90), random.permutation(6)
    ours = nearest_neighbor(scale=None)(X, y, train, test, order, np.array([2, 5]))
    for k, accuracy in zip((2, 5), ours, strict=True):
        nearest = KNeighborsClassifier(1).fit(X[train][:, order[:k]], y[train])
        assert accuracy == nearest.score(X[test][:, order[:k]], y[test])


def test_sets_that_are_not_nested_are_fitted_for_each_size():
    class Rolled(Sized):
        def orders(self, X, y, seed, sizes):
            return [np.roll(np.arange(X.shape[1]), k) for k in sizes]

    random = np.random.default_rng(2)
    X, y = random.normal(size=(40, 5)), np.arange(40) % 2
    train, test = np.arange(30), np.arange(30, 40)
    found = compare_rankings(
        X, y, {"a": Rolled()}, (train, test), 0, sizes=[2, 4], inner=0
    )
    for k, accuracy in zip((2, 4), found["a"]["curve"], strict=True):
        order = np.roll(np.arange(5), k)
        alone = nearest_neighbor()(X, y, train, test, order, np.array([k]))
        assert accuracy == alone[0]


def test_a_ranking_is_made_once_for_several_judges():
    class Counted:
        calls = 0

        def __call__(self, X, y, seed):
            self.calls += 1
            return np.arange(X.shape[1])[::-1]

    random = np.random.default_rng(2)
    X, y = random.normal(size=(40, 5)), np.arange(40) % 2
    split, sizes = (np.arange(30), np.arange(30, 40)), [2, 4]
    rank, alone = Counted(), Counted()
    known = Fitted(rank, X[split[0]], y[split[0]], 0, np.array(sizes))
    for scale in ("minmax", None):
        both = (
            compare_rankings(
                X,
                y,
                {"a": one},
                split,
                0,
                judge=nearest_neighbor(scale),
                sizes=sizes,
                inner=0,
            )
            for one in (known, alone)
        )
        first, second = (found["a"]["curve"].tolist() for found in both)
        assert first == second
    assert (rank.calls, alone.calls) == (1, 2)


def test_mitras_sets_are_the_smallest_that_are_large_enough():
    random = np.random.default_rng(3)
    X = np.repeat(random.normal(size=(60, 4)), 3, axis=1)
    X += 0.01 * random.normal(size=X.shape)
    (order,) = Mitra("minmax").orders(X, None, 0, np.array([4]))
    assert sorted(order[:4] // 3) == [0, 1, 2, 3]  # one of each group of copies


def test_paired_differences_count_wins_losses_and_ties():
    found = Paired.of([0.9, 0.8, 0.7], [0.8, 0.8, 0.75])
    assert (found.wins, found.losses, found.ties, found.n) == (1, 1, 1, 3)
    assert found.mean == pytest.approx(0.05 / 3)
    assert not found.better  # as many lost as won
    assert str(found) == "+1.7 ± 7.6 points, 1 won 1 lost"
    assert found.short == "+1.7 ± 7.6\N{NO-BREAK SPACE}(1:1)"
    assert signed(-0.04) == "+0.0"


def test_figures_are_drawn_with_what_they_show_escaped():
    panels = [
        Lines([Series("a<b", [1, 10, 100], [1, 2, 3], control=True)], log_x=True),
        Lines([Series("", [0.1, 0.2], [0.3, 0.1], points=True)], diagonal=True),
        Bars(["x", "y"], [1.0, -0.5], [0.1, 0.1]),
        Pixels(np.eye(4)),
    ]
    text = draw(Figure("f", 'a "caption"', panels))
    assert "a&lt;b" in text
    assert "&quot;caption&quot;" in text
    assert text.count("opacity=") == 4
    assert "prefers-color-scheme" in standalone(Figure("f", "", panels))
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert "nan" not in text


def test_the_documentation_is_written_from_stored_results(tmp_path):
    coins = Coins()
    run(paper(coins), coins, tmp_path / "results", Sets())
    coins.stop_at = 0  # nothing is run
    made = markdown.pages(tmp_path / "results", [paper(coins)])
    pages.write(made, tmp_path)
    page = (tmp_path / "papers" / "900.md").read_text()
    told = "Of 3 claims, by the paper's protocol, 1 hold, 1 do not, 1 cannot be tested."
    assert f"# Coins\n\n{told} 0 of 2 survive an honest choice.\n" in page
    assert (
        "| 1. Table 1 | Gold lands on heads.<br>*Published: 0.9.* | **holds** "
        "| **does not hold** | 0.33. |"
    ) in page
    assert (
        "- *1.* Holds if the mean is above 0.2; survives if all are above 0.2." in page
    )
    assert "- Coins: 6 cases, 0.0 minutes of processor time, with widemargin" in page
    assert "Not complete" not in page
    assert "![Heads & tails](900-figure-2.svg)" in page
    assert (tmp_path / "papers" / "900-figure-2.svg").exists()
    index = (tmp_path / "papers" / "index.md").read_text()
    assert "| [900](900.md) | 1 | 1 | 0 | 1 | 0 of 2 |" in index
    assert "| 2 | Silver does more. | fails | fails |" in index
    assert stored(paper(coins), coins, tmp_path / "results", False).n_stored == 6


def test_a_page_of_an_incomplete_run_says_so(tmp_path):
    coins = Coins(absent=("silver",))
    outcome = run(paper(coins), coins, tmp_path, Sets())
    page = markdown.page(summarize(paper(coins), [outcome], quick=False))
    assert "**Not complete:** 3 of 6 cases are stored; verdicts may change." in page


def test_time_is_told_only_if_all_cases_were_timed(tmp_path):
    coins = Coins()
    store = Store(tmp_path / "900" / "coins.json")
    store.add({"data": "gold", "seed": 0}, {"heads": 1.0})
    outcome = run(paper(coins), coins, tmp_path, Sets())
    (part,) = summarize(paper(coins), [outcome], quick=False)["experiments"]
    assert part["processor_seconds"] is None
    page = markdown.page(summarize(paper(coins), [outcome], quick=False))
    assert "processor time" not in page


@pytest.mark.parametrize("on_page", [True, False])
def test_a_page_has_the_tables_that_are_meant_for_it(tmp_path, on_page):
    class Some(Coins):
        def tables(self, results):
            return [Table("Throws", ["a"], [["1"]], "A note.", on_page)]

    outcome = run(paper(Some()), Some(), tmp_path, Sets())
    page = markdown.page(summarize(paper(Some()), [outcome], quick=False))
    assert ("**Throws**" in page) is ("A note." in page) is on_page
    assert page.count("::::{dropdown}") == 1


def test_a_criterion_of_several_claims_is_told_once():
    one = {"criterion": "a", "honest_criterion": "", "changed": "2026-11-18: why"}
    other = {"criterion": "b", "honest_criterion": "c", "changed": ""}
    claims = [one, one, other, one, one, one]
    assert markdown._all_criteria(claims, 3) == [
        "- *3, 4, 6–8.* Holds if a.",
        "- *5.* Holds if b; survives if c.",
        "- *3, 4, 6–8.* Changed 2026-11-18: why.",
    ]


def test_a_bar_in_a_table_of_markdown_is_escaped():
    assert markdown.table(["a"], [["mean |r|"]]).endswith("| mean \\|r\\| |\n")


def test_numbers_in_a_table_have_a_minus_and_stay_on_a_line():
    text = markdown.table(["a", "b"], [["1-NN: -1.5 ± 0.2", "10 %"]])
    row = text.splitlines()[-1]
    assert row.replace("\N{NO-BREAK SPACE}", "_") == "| 1-NN: −1.5_±_0.2 | 10_% |"


@pytest.fixture
def reproduce(capsys):
    """Run the command in this process."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return SimpleNamespace(exit_code=code, stdout=printed.out, stderr=printed.err)

    return run


def test_the_command_lists_papers_and_refuses_unknown_ones(tmp_path, reproduce):
    assert "simba" in reproduce().stdout
    bad = reproduce("sibma")
    assert bad.exit_code == 2
    assert "Did you mean 'simba'?" in bad.stderr
    bad = reproduce("simba", "--table", "9", "-o", tmp_path)
    assert bad.exit_code == 2
    assert "no experiment for Table 9" in bad.stderr


def test_offline_without_a_folder_the_command_names_the_files(
    tmp_path, monkeypatch, reproduce
):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    # What needs no data runs: table 1 of the LMBA paper.
    result = reproduce("lmba", "--quick", "--offline", "-o", tmp_path)
    assert result.exit_code == 0, result.stderr
    assert "yaleb_32x32.npz" in result.stderr
    assert "Name the folder with --data DIR or" in result.stderr
    assert "WIDEMARGIN_DATA" in result.stderr
    assert "data_home" not in result.stderr
    assert "Iris: LMBA ranks the relevant features first." in result.stdout
    page = (tmp_path / "000-quick.html").read_text()
    assert "Data missing." in page
    saved = json.loads((tmp_path / "000-quick.json").read_text())
    by_text = {claim["text"]: claim for claim in saved["verdicts"]}
    claim = by_text["LMBA has a higher average accuracy than Simba at all four sizes."]
    assert claim["reproduced"] == UNTESTED
    assert "yaleb_32x32.npz" in claim["why"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.slow
@pytest.mark.processes
def test_ctrl_c_ends_in_a_line_and_keeps_what_is_done(tmp_path):
    command = [sys.executable, "-m", "evidence.papers", "simba"]
    command += ["--figure", "1", "-o", str(tmp_path), "-q"]
    results = tmp_path / "001" / "xor.json"
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: results.exists() or process.poll() is not None)
        os.kill(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=LONG)
    finally:
        process.kill()
    assert (process.returncode, stderr.strip()) == (130, "evidence.papers: interrupted")
    assert len(json.loads(results.read_text())["rows"]) >= 1


@pytest.mark.slow
@pytest.mark.skipif("WIDEMARGIN_DATA" not in os.environ, reason="no data folder")
@pytest.mark.parametrize("key", papers.available())
def test_every_paper_runs_quickly(key, tmp_path, reproduce):
    result = reproduce(key, "--quick", "-q", "-o", tmp_path)
    assert result.exit_code == 0, result.stderr
    saved = json.loads((tmp_path / f"{key}-quick.json").read_text())
    assert all(part["n_done"] == part["n_cases"] for part in saved["experiments"])
    assert not any(part["missing"] for part in saved["experiments"])


def test_the_page_of_003_begins_with_what_its_results_say():
    paper = papers.find("003")
    outcomes = [
        stored(paper, e, markdown.RESULTS, quick=False) for e in paper.experiments
    ]
    verdicts = summarize(paper, outcomes, quick=False)["verdicts"]
    tables = {f"Table {n}" for n in (2, 3, 5, 6, 7, 8)}
    twelve = [claim for claim in verdicts if claim["where"] in tables]
    simba = [c for c in twelve if c["text"].startswith("O-Simba is better than Simba")]
    by_protocol, honest = (
        [claim[which] for claim in twelve].count(HOLDS)
        for which in ("reproduced", "survives")
    )
    assert f"{by_protocol} of the {len(twelve)} comparisons" in paper.about
    assert f"on training rows, {honest} do" in paper.about
    assert {claim["survives"] for claim in simba} == {HOLDS}
    told = [c["ours"] for c in verdicts if "signed, our default, 0" in c["ours"]]
    shown = [
        re.search(r"default, ([\d.]+), shuffled ([\d.]+)", t).groups() for t in told
    ]
    real, shuffled = (sorted(column) for column in zip(*shown, strict=True))
    assert f"(AUC {shuffled[0]} to {shuffled[-1]})" in paper.about
    assert f"({real[0]} to {real[-1]})" in paper.about
