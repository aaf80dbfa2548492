"""The report without a browser: what is in the dict, and what is in the page."""

import errno
import html
import json
import os
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import widemargin
from report_cases import METHODS, NASTY, comparison, fitted, no_signal
from widemargin import ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.data.read import read_dataset
from widemargin.datasets import make_xor
from widemargin.evaluation import compare, profile
from widemargin.evaluation._verdicts import VERDICTS
from widemargin.reporting import formats
from widemargin.reporting.distributions import column, columns, distributions
from widemargin.reporting.html import render
from widemargin.reporting.payload import kept_names, payload, reason
from widemargin.reporting.provenance import constructor
from widemargin.reporting.summarize import summarize

pytest.importorskip("jinja2")

LIMIT = 6_000_000
PARTS = {
    "data": None,
    "curve": None,
    "agreement": None,
    "relevance": None,
    "redundancy": None,
    "times": {},
    "recommendation": None,
    "alone": {},
    "chance": None,
}


class Outline(HTMLParser):
    """Tags, headings and the text of scripts, as a browser would find them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.ids, self.scripts, self.inside = [], [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids.append(dict(attributes).get("id"))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data

    def handle_endtag(self, tag):
        self.inside = None


def page_payload(page):
    return json.loads(Outline(page).scripts[1])


@pytest.fixture(scope="module")
def full():
    return comparison()


@pytest.fixture(scope="module")
def page(full):
    return widemargin.report(full).html


def test_data_is_plain_and_complete(full):
    data = summarize(full)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["schema"] == 2
    assert data["answer"] == full.answer
    assert [m["label"] for m in data["methods"]] == list(full.selectors)
    for method, own in zip(data["methods"], full.alone.values(), strict=True):
        assert method["rank"] == own.ranking.tolist()
        assert method["score_of"] == own.selector.scores_.tolist()
        assert np.flatnonzero(method["selected"]).tolist() == sorted(own.columns)
        for name in ("score", "stderr", "score_all", "stability"):
            assert method[name] == getattr(own, name)
    assert [m["best"] for m in data["methods"]] == [True, False, False]
    assert [m["candidate"] for m in data["methods"]] == [True, False, False]
    assert data["data"]["classes"] == [
        {"label": label, "count": int((full.y == label).sum())}
        for label in ["benign", "malignant", "not known"]
    ]


def test_curve_has_mean_and_standard_error_of_the_folds(full):
    line = summarize(full)["curve"]["lines"][1]
    frame = full.curve.frame
    for i in (0, 7):
        here = (frame.method == "Simba") & (frame.n_features == line["n_features"][i])
        scores = frame.score[here].to_numpy()
        assert line["mean"][i] == pytest.approx(scores.mean())
        assert line["stderr"][i] == pytest.approx(scores.std(ddof=1) / 5**0.5)


def test_what_is_not_a_number_becomes_none(full):
    broken = replace(full.relevance, q_values=np.full(60, np.nan))
    data = summarize(replace(full, relevance=broken))
    assert data["verdicts"]["q_value"] == [None] * 60
    assert "NaN" not in json.dumps(data)
    assert render(data)


def test_page_is_made_from_the_saved_json_alone(full, tmp_path):
    report = widemargin.report(full, title="Twice")
    saved = json.loads(report.save(tmp_path / "r.json").read_text("utf-8"))
    assert saved == report.data
    assert render(saved) == report.html
    with pytest.raises(ValueError, match="schema 2, got 1: they were saved by another"):
        render({**saved, "schema": 1})


def test_everything_is_inside_the_page(page):
    outline = Outline(page)
    assert not {"img", "iframe", "object", "embed", "base", "form"} & set(outline.tags)
    assert outline.tags.count("link") == 1
    assert '<link rel="icon" href="data:,">' in page
    for word in ("http://", "https://", "@import", "url("):
        assert word not in page.replace("http://www.w3.org/2000/svg", "")


def test_headings_descend_one_level_at_a_time(page):
    levels = [int(tag[1]) for tag in Outline(page).tags if tag in ("h1", "h2", "h3")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_first_fifty_rows_need_no_script(full, page):
    static = page[page.index('aria-label="Table of the best features"') :]
    static = static[: static.index("</table>")]
    assert static.count('<th scope="row">') == 50
    order = np.argsort(full.selectors["ReliefF"].ranking_)
    places = [static.index(f"<bdi>feature {f}</bdi>") for f in order[:50]]
    assert places == sorted(places)


def test_tables_have_captions(page):
    tags = Outline(page).tags
    tables = [i for i, tag in enumerate(tags) if tag == "table"]
    assert len(tables) == 9
    assert all(tags[i + 1] == "caption" for i in tables)


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_left_out(full, part):
    ids = set(Outline(render(summarize(replace(full, **{part: PARTS[part]})))).ids)
    section = {"data": "classes", "agreement": "agreement-correlation"}.get(part, part)
    if section in ("curve", "redundancy", "classes", "agreement-correlation"):
        assert section not in ids
    assert {"ranking", "relevant", "methods", "made"} <= ids


def test_without_a_recommendation_nothing_is_kept(full):
    cut = replace(full, recommendation=None, alone={}, complete=False, curve=None)
    report = widemargin.report(cut)
    assert "There is no answer yet" in report.data["answer"]
    assert report.data["verdicts"] is None
    assert not any(any(m["selected"]) for m in report.data["methods"])
    assert "Relevance was not tested. The comparison was interrupted" in report.html
    assert "Features kept" not in report.html


def test_selector_that_chose_its_number_of_features_shows_its_curve():
    X, y = make_xor(n_samples=100, random_state=0)
    selector = ReliefF(3).fit(X, y)
    selector.prefix_scores_ = np.linspace(0.5, 0.9, 10)
    data = summarize(selector, X=X, y=y)
    (line,) = data["curve"]["lines"]
    assert line["n_features"] == list(range(1, 11))
    assert line["mean"] == selector.prefix_scores_.tolist()
    assert data["methods"][0]["score"] == selector.prefix_scores_[2]
    assert data["methods"][0]["score_all"] == 0.9
    assert "corrected for the choice of their number" in render(data)


def test_score_intervals_are_shown_where_there_are_some():
    X, y = make_xor(n_samples=100, random_state=0)
    selector = ReliefF(3).fit(X, y)
    assert ">Score interval</th>" not in widemargin.report(selector).html
    ends = np.stack([selector.scores_ - 0.01, selector.scores_ + 0.01], axis=1)
    selector.scores_interval_ = ends
    report = widemargin.report(selector)
    assert report.data["methods"][0]["score_low"] == ends[:, 0].tolist()
    assert ">Score interval</th>" in report.html


def test_interrupted_comparison_says_so(full):
    cut = replace(full, complete=False)
    assert "Not complete" in widemargin.report(cut).html
    assert "Not complete" not in widemargin.report(full).html


def test_one_fitted_selector_with_its_data():
    X, y = make_xor(n_samples=200, random_state=0)
    report = widemargin.report(ReliefF(n_features_to_select=3).fit(X, y), X=X, y=y)
    assert report.data["answer"].startswith("ReliefF keeps 3 of 10 features: ")
    ids = set(Outline(report.html).ids)
    assert {"data", "ranking", "classes"} <= ids
    assert "method" not in ids  # nothing to switch to
    assert report.data["provenance"]["seed"] is None


def test_one_fitted_selector_without_data():
    X, y = make_xor(n_samples=100, random_state=0)
    names = [f"gene {f}" for f in range(10)]
    selector = FisherScore().fit(pd.DataFrame(X, columns=names), y)
    report = widemargin.report(selector)
    assert report.data["features"]["name"] == names
    assert report.data["data"] is None
    assert "gene 3" in report.html


def test_several_fitted_selectors():
    X, y = make_xor(n_samples=100, random_state=0)
    fitted = {"a": ReliefF().fit(X, y), "b": Simba(random_state=7).fit(X, y)}
    report = widemargin.report(fitted, X=X, y=y)
    assert repr(report) == "<Report on 10 features by 2 methods>"
    assert report.data["provenance"]["seed"] == "7"


@pytest.mark.parametrize(
    "made",
    [
        lambda X, y: ReliefF(n_features_to_select=3).fit(X, y),
        lambda X, y: {
            "a": FisherScore().fit(X, y),
            "b": Simba(random_state=1, max_iter=2).fit(X, y),
        },
    ],
)
def test_lines_to_get_it_again_do_so(made, tmp_path, monkeypatch):
    X, y = make_xor(n_samples=100, random_state=0)
    report = widemargin.report(made(X, y), X=X, y=y)
    monkeypatch.chdir(tmp_path)
    names = {"X": X, "y": y}
    exec(report.data["provenance"]["code"], names)
    again = widemargin.report(names["results"], X=X, y=y)
    assert again.data["methods"] == report.data["methods"]
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.fixture(scope="module")
def compared():
    X, y = make_xor(n_samples=300, n_features=8, random_state=0)
    methods = ["ReliefF", "FisherScore"]
    return compare(X, np.where(y, "odd", "even"), methods, cv=3, random_state=0)


def test_comparison_as_compare_makes_it(compared):
    data = summarize(compared)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    best = next(m for m in data["methods"] if m["best"])
    assert data["answer"] == compared.answer
    assert best["label"] == compared.best
    assert len(compared.selected) > 1
    kept = np.flatnonzero(best["selected"])
    assert set(kept) == set(compared.selected)
    assert best["score"] == pytest.approx(compared.recommendation.score)
    assert best["stderr"] == pytest.approx(compared.recommendation.stderr)
    for line in data["curve"]["lines"]:
        own = compared.lines[line["label"]]
        assert line["n_features"] == own.sizes.tolist()
        assert line["mean"] == pytest.approx(own.mean)
        assert line["stderr"] == pytest.approx(own.stderr)
    ids = set(Outline(render(data)).ids)
    assert {"data", "curve", "classes", "redundancy", "agreement-overlap"} <= ids


def test_verdicts_are_those_of_the_comparison(compared):
    data = summarize(compared)
    found, frame = data["verdicts"], compared.features.set_index("feature")
    for f, name in enumerate(data["features"]["name"]):
        row = frame.loc[name]
        for part in ("verdict", "why", "copy_of", "direction"):
            assert found[part][f] == row[part]
        for part in ("auc", "q_value", "frequency"):
            assert found[part][f] == pytest.approx(row[part])
    shown = payload(data)["verdicts"]
    assert [VERDICTS[int(v)] for v in shown["verdict"]] == found["verdict"]
    names = [data["features"]["name"][f] for f in data["relevance"]["features"]]
    assert names == compared.relevant["feature"].tolist()


def test_verdicts_have_no_direction_without_an_order(full):
    data = summarize(full)
    assert data["verdicts"]["direction"] is data["verdicts"]["auc"] is None
    page = render(data)
    assert '<span class="kept">kept</span>' in page
    assert ">Direction<" not in page


def test_copies_name_what_they_are_copies_of(full):
    data = summarize(full)
    best = full.feature_names[full.recommendation.columns[0]]
    copies = np.flatnonzero(full.recommendation.redundant_with >= 0)
    assert len(copies) == 10
    for f in copies:
        assert data["verdicts"]["verdict"][f] == "copy"
        assert reason(data["verdicts"], f) == f"of {best}"


def relevant_table(page):
    return page.partition('<section id="relevant"')[2].partition("</section>")[0]


def test_all_relevant_features_are_listed_by_their_q_values(full):
    section = relevant_table(widemargin.report(full).html)
    assert "30 of 60 features are relevant (q &lt; 0.05)" in section
    assert "To predict, use the 12 kept" in section
    assert "15 more</summary>" in section
    order = full.relevant["feature"]
    places = [section.index(f"<bdi>{name}</bdi>") for name in order]
    assert places == sorted(places)
    copied = section.partition('id="relevant-names">')[2].partition("</code>")[0]
    assert copied.split("\n") == order.tolist()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"relevance": None}, "Relevance was not tested. Permuted copies assume"),
        ({"signal_test": no_signal()}, "None: there is no signal"),
    ],
)
def test_no_list_of_relevant_features_says_why(full, changes, said):
    section = relevant_table(widemargin.report(replace(full, **changes)).html)
    assert said in section
    assert "<table" not in section


@pytest.fixture(scope="module")
def leaking():
    X, y = make_xor(n_samples=150, n_features=6, random_state=0)
    X = pd.DataFrame(X, columns=[f"x{f}" for f in range(6)])
    X.insert(2, "the code", 10 + y)
    return compare(X, np.where(y, "odd", "even"), ["ReliefF"], cv=3, random_state=0)


def test_a_suspected_leak_has_two_answers_and_lines_that_drop_it(leaking):
    report = widemargin.report(leaking)
    leaks = report.data["leaks"]
    assert leaks["features"] == [2]
    assert leaks["with"]["kept"] == ["the code"]
    assert leaks["with"]["score"] == 1
    assert leaks["without"]["kept"] == leaking.names_without_leaks.tolist()
    assert leaks["without"]["score"] == leaking.without_leaks.score < 1
    assert leaks["drop"] == "--drop 'the code'"
    names = {"X": leaking.X}
    exec(leaks["code"], names)
    assert list(names["X"].columns) == [f"x{f}" for f in range(6)]
    head = report.html.partition("<main>")[0]
    assert "Kept with it:" in head
    assert "Kept without:" in head
    for name in leaks["without"]["kept"]:
        assert f"<b><bdi>{name}</bdi></b>" in head
    assert report.html.count(">suspected leak</span>") == 1
    assert page_payload(report.html)["leaks"] == [2]


def test_lines_to_compare_again_do_so(compared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"X": compared.X, "y": compared.y}
    code = summarize(compared)["provenance"]["code"]
    assert "cv=3," in code
    exec(code, names)
    again = summarize(names["results"])["methods"]
    for method, twin in zip(summarize(compared)["methods"], again, strict=True):
        assert {**method, "time": 0} == {**twin, "time": 0}


def test_default_methods_are_left_to_compare(compared):
    X, y = compared.X, compared.y
    found = compare(X, y, cv=3, random_state=0)
    data = summarize(found)["provenance"]
    assert found.candidates == ["KernelRFE"] != list(found.selectors)
    assert "import KernelRFE" not in data["code"]
    assert "AutoSelector(scoring='accuracy', cv=3, random_state=0" in data["pipeline"]
    other = ReliefF(n_neighbors=3).fit(X, y)
    changed = replace(found, selectors=found.selectors | {"ReliefF": other})
    code = summarize(changed)["provenance"]["code"]
    assert "    lambda table: {\n" in code
    assert "ReliefF(n_neighbors=3)" in code


def test_no_signal_is_not_recommended(full):
    page = widemargin.report(replace(full, signal_test=no_signal())).html
    assert "No signal was found, so nothing is recommended" in page
    assert "nothing is kept" in page
    assert ">recommended<" not in page
    shown = widemargin.report(full).html
    assert shown.count(">recommended<") == 1
    assert shown.count("<small>for comparison<") == 2


def test_kept_features_are_named_at_the_top(full, compared):
    def top(results, **changes):
        data = {**summarize(results), **changes}
        return render(data).partition("<main>")[0]

    for name in compared.feature_names[compared.selected]:
        assert f"<b><bdi>{name}</bdi></b>" in top(compared)
    kept = kept_names(summarize(full)["methods"][0], full.feature_names)
    head = top(full)
    assert f"<b><bdi>{kept[9]}</bdi></b> and" in head
    assert f"{len(kept) - 10} more</a>" in head
    for changes in ({"signal": False}, {"image": {"shape": [2, 4], "order": "C"}}):
        assert 'class="named"' not in top(compared, **changes)


def test_the_overlap_says_what_it_is_of(full, compared):
    k = compared.agreement.k
    assert k > 1
    assert f"Overlap of the first {k}<" in widemargin.report(compared).html
    assert "Overlap of the kept features<" in widemargin.report(full).html


def test_constructor_writes_what_was_changed():
    assert constructor(ReliefF()) == "ReliefF()"
    order = np.array([1, 0])
    selector = Simba(2, order=order, n_starts=1, verbose=1)
    assert eval(constructor(selector), {"Simba": Simba}).order == [1, 0]
    assert "verbose" not in constructor(selector)


def test_report_refuses_what_it_cannot_show():
    with pytest.raises(TypeError, match=r"report needs the Comparison.*got int"):
        widemargin.report(3)
    with pytest.raises(TypeError, match="got dict"):
        widemargin.report({})
    with pytest.raises(NotFittedError):
        widemargin.report(ReliefF())


@pytest.mark.parametrize("shape", [(7, 9), (60,), (3, 4, 5, 1)])
def test_image_shape_has_to_fit(full, shape):
    with pytest.raises(ValueError, match=r"report needs an image_shape.*60 features"):
        widemargin.report(full, image_shape=shape)


def test_map_has_one_digit_per_pixel_and_channel():
    found = comparison(d=60, m=2, image_shape=(4, 5))
    with pytest.raises(ValueError, match="60 features"):
        widemargin.report(found)
    data = summarize(found, image_shape=(4, 5, 3))
    image = payload(data)["image"]
    assert (image["rows"], image["columns"], image["channels"]) == (4, 5, 3)
    scores = np.clip(data["methods"][1]["score_of"], 0, None)
    levels = np.round(9 * scores / scores.max()).astype(int).reshape(4, 5, 3)
    for channel, digits in enumerate(image["maps"][1]):
        assert digits == "".join(map(str, levels[..., channel].ravel()))


def test_names_are_text_whatever_they_look_like():
    y = np.array(["</script><script>", "<i>"] * 60)
    found = comparison(d=8, m=2, names=NASTY, y=y, notes=["<script>1</script>"])
    page = widemargin.report(found, title="</title><script>").html
    outline = Outline(page)
    assert outline.tags.count("script") == 3
    assert not {"img", "i"} & set(outline.tags)
    page.encode("utf-8")
    names = page_payload(page)["names"]
    assert names == [n.encode("utf-8", "replace").decode() for n in NASTY]


def test_only_the_scripts_of_the_page_may_run(page):
    outline = Outline(page)
    policy = page[page.index("Content-Security-Policy") :].split(">")[0]
    assert "default-src 'none'" in policy
    assert policy.count("sha256-") == 2
    assert "unsafe-inline" not in policy[policy.index("script-src") :].split(";")[0]
    assert len(outline.scripts) == 3


def test_page_for_ten_thousand_features_stays_small():
    found = comparison(n=60, d=10_000, m=5)
    report = widemargin.report(found)
    assert len(report.html.encode()) < LIMIT / 2
    listed = page_payload(report.html)
    assert len(listed["names"]) == 10_000


def test_more_features_than_a_page_carries_are_listed_best_first():
    d = 60_000
    names = [f"a rather long name of a gene or of a probe {f:06d}" for f in range(d)]
    rng = np.random.default_rng(0)
    selectors = {k: fitted(s, rng, d) for k, s in METHODS.items()}
    for selector in selectors.values():
        selector.feature_names_in_ = np.array(names, object)
    report = widemargin.report(selectors)
    assert len(report.html.encode()) < LIMIT
    listed = page_payload(report.html)["listed"]
    assert 1000 < len(listed) < d
    best = np.min([s.ranking_ for s in selectors.values()], axis=0)
    assert best[listed].max() <= np.delete(best, listed).min()
    assert "ranks highest" in report.html


def test_saving_is_by_ending(full, tmp_path):
    report = widemargin.report(full)
    assert report.save(tmp_path / "a.html") == tmp_path / "a.html"
    assert (tmp_path / "a.html").read_text("utf-8") == report.html
    assert report.save(str(tmp_path / "B.HTM")).exists()
    with pytest.raises(ValueError, match=r"ends in .html or .json, got 'a.pdf'"):
        report.save(tmp_path / "a.pdf")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["B.HTM", "a.html"]


def test_saved_file_has_the_permissions_of_any_new_file(full, tmp_path):
    (tmp_path / "plain").touch()
    saved = widemargin.report(full).save(tmp_path / "a.json")
    assert saved.stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("step", ["write", "replace"])
def test_full_disk_leaves_the_old_file_and_nothing_else(
    full, tmp_path, monkeypatch, step
):
    path = tmp_path / "a.html"
    path.write_text("old")
    report = widemargin.report(full)
    report.html  # noqa: B018 (the page is made before the disk is full)

    def full_disk(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if step == "replace":
        monkeypatch.setattr(os, "replace", full_disk)
    else:

        def half(draft, text, **_):
            draft.write_bytes(text[:100].encode())
            full_disk()

        monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(OSError, match="No space left"):
        report.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    assert path.read_text() == "old"


def test_notebook_shows_the_page_in_a_frame_of_its_own(full):
    report = widemargin.report(full)
    frame = report._repr_html_()
    assert frame.startswith("<iframe ")
    source = frame.split('srcdoc="')[1].split('"')[0]
    assert html.unescape(source) == report.html


def test_missing_jinja_names_the_extra(full, monkeypatch):
    report = widemargin.report(full)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "widemargin\[report\]"'):
        report.html  # noqa: B018


def frame_of_kinds():
    return pd.DataFrame(
        {
            "number": [1.5, 2.5, np.nan, 4.5, 1e6, *np.linspace(0, 9, 95)],
            "few": [0, 1] * 50,
            "nullable": pd.array([1, None] * 50, dtype="Int64"),
            "word": pd.Series(["a", "b", None, "c"] * 25, dtype=object),
            "category": pd.Categorical(["x", "y"] * 50),
            "many": [f"level {i % 12:02d}" for i in range(100)],
            "flag": [True, False] * 50,
        }
    )


def test_classes_are_counted_in_every_kind_of_column():
    X = frame_of_kinds()
    y = np.array(["one", "two"] * 50)
    data = read_dataset(X, y, "report")
    found = distributions(data, np.arange(7), profile(X, y))
    looks = dict(zip(X.columns, found["features"], strict=True))
    assert found["classes"] == ["one", "two"]
    for name, look in looks.items():
        there = [int(X[name][y == c].notna().sum()) for c in ("one", "two")]
        assert [sum(row) for row in look["counts"]] == there
        assert look["missing"] == [50 - n for n in there]
    number = looks["number"]
    assert number["kind"] == "numeric"
    assert number["cut"]
    assert number["high"] < 1e6
    assert number["medians"][0] == X["number"][y == "one"].median()
    assert looks["few"] | {"feature": 0} == {
        "feature": 0,
        "missing": [0, 0],
        "kind": "levels",
        "levels": ["0", "1"],
        "counts": [[50, 0], [0, 50]],
    }
    assert looks["nullable"]["levels"] == ["1"]
    assert looks["many"]["levels"][-1] == "other"
    assert len(looks["many"]["levels"]) == 8


def test_booleans_are_listed_as_such():
    X = pd.DataFrame({"a": [True, False, True, True], "b": list("xyxy")})
    X["c"] = pd.array([True, None, False, True], dtype="boolean")
    found = columns(read_dataset(X, [0, 1, 0, 1], "report"), profile(X, [0, 1, 0, 1]))[
        "values"
    ]
    assert found == ["True (3), False (1)", "x (2), y (2)", "True (2), False (1)"]


def test_histogram_agrees_with_counting_one_by_one():
    rng = np.random.default_rng(3)
    X, y = 100 * rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    look = distributions(read_dataset(X, y, "report"), np.array([1]), None)["features"][
        0
    ]
    assert json.loads(json.dumps(look)) == look
    width = (look["high"] - look["low"]) / len(look["counts"][0])
    counts = np.zeros_like(look["counts"])
    for value, c in zip(X[:, 1], y, strict=True):
        bin_ = min(int((value - look["low"]) / width), counts.shape[1] - 1)
        counts[c, bin_] += 1
    assert look["counts"] == counts.tolist()


def test_whole_numbers_get_a_bin_each():
    X = np.tile(np.arange(-3, 14), 4)[:, None]
    data = read_dataset(X, [0, 1] * 34, "report")
    look = distributions(data, np.array([0]), None)["features"][0]
    assert (look["low"], look["high"], look["whole"]) == (-3.5, 13.5, True)
    assert look["counts"] == [[2] * 17, [2] * 17]


def test_many_classes_show_the_largest():
    y = np.repeat(np.arange(12), np.arange(12, 0, -1) + 1)
    X = np.random.default_rng(0).normal(size=(len(y), 1))
    found = distributions(read_dataset(X, y, "report"), np.array([0]), None)
    assert found["classes"] == [str(c) for c in range(8)]
    assert found["n_classes"] == 12


def test_columns_come_from_every_kind_of_table():
    pl = pytest.importorskip("polars")
    X = np.arange(6.0).reshape(3, 2)
    for table in (X, X.tolist(), pd.DataFrame(X), pl.DataFrame(X), X.astype("f4")):
        values = column(read_dataset(table, [0, 1, 0], "report"), 1)
        assert values.dtype == np.float64
        assert values.tolist() == [1, 3, 5]
    words = ["low", None, "high"]
    grades = pd.DataFrame({"a": words})
    levels = pd.CategoricalDtype(["low", "high"], ordered=True)
    enum = pl.DataFrame({"a": words}, schema={"a": pl.Enum(["low", "high"])})
    for table in (grades, grades.astype("category"), grades.astype(levels), enum):
        values = column(read_dataset(table, [0, 1, 0], "report"), 0)
        assert values.tolist() == words


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (formats.count(10000), "10\u202f000"),
        (formats.count(None), "—"),
        (formats.decimal(0.012345), "0.0123"),
        (formats.decimal(-0.5), "−0.500"),
        (formats.decimal(123456.7), "123457"),
        (formats.decimal(1.5e-7), "1.50e−7"),
        (formats.percent(0.8824), "88.2\u202f%"),
        (formats.percent(0.0004), "<\u202f0.1\u202f%"),
        (formats.percent(1 / 209, 0), "<\u202f1\u202f%"),
        (formats.percent(0.0, 0), "0\u202f%"),
        (formats.stepped(114.4)(6.0), "6"),
        (formats.stepped(4.5)(9.5), "9.5"),
        (formats.stepped(0.1)(-0.2), "−0.20"),
        (formats.stepped(2e-7)(1.5e-7), "1.50e−7"),
        (formats.probability(0.0004), "<\u202f0.001"),
        (formats.probability(0.0196), "0.020"),
        (formats.duration(0.0031), "3\u202fms"),
        (formats.duration(4.8), "4.8\u202fs"),
        (formats.duration(192), "3.2\u202fmin"),
        (formats.duration(7680), "2.1\u202fh"),
        (formats.interval(3.0, 9.0), "3–9"),
        (formats.interval(3.0, 3.0), "3"),
        (formats.in_words(5), "five"),
        (
            formats.unbroken("398 of 10000 features; 1-NN rises to 86 %: 'x', '20000'"),
            "398 of 10\u202f000 features; 1\u2011NN rises to 86\u202f%: 'x', '20000'",
        ),
        (formats.measured(0.5, "neg_log_loss"), "0.500"),
        (formats.measured(0.5, "balanced_accuracy"), "50.0\u202f%"),
    ],
)
def test_numbers_read_well(said, expected):
    assert said == expected


def test_pairs_that_work_together_are_drawn_and_said():
    """An exclusive or beside a nominal feature that turns another."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((400, 6)), columns=[*"abcde", "<f>"])
    X["<f>"] = rng.choice(["<red>", "blue"], 400)
    odds = 2 * np.sign(X["a"] * X["b"]) + np.where(X["<f>"] == "<red>", 2, -2) * X["c"]
    y = rng.random(400) < 1 / (1 + np.exp(-odds))
    found = compare(X, y, ["ReliefF"], cv=3, budget=5, random_state=0)
    assert found.works_with[0] == "b"
    assert found.features.set_index("feature")["works_with"]["c"] == "<f>"
    assert "work together" in found.answer
    data = summarize(found)
    json.dumps(data, allow_nan=False)
    assert data["interactions"]["n_found"] == 2
    pairs = [pair["features"] for pair in data["interactions"]["pairs"]]
    assert sorted(pairs) == [[0, 1], [2, 5]]
    page = render(data)
    together = page[page.index('id="together"') : page.index('id="curve"')]
    assert together.count("<line ") == 2
    assert together.count('class="tones"') == 2
    assert "&lt;red&gt;" in together
    assert "<red>" not in page
    assert "Works with" in page
    del data["interactions"]  # saved by an earlier version
    assert 'id="together"' not in render(data)
