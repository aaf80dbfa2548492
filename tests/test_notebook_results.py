"""What results look like in a notebook: complete, escaped, self-contained."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from report_cases import NASTY
from widemargin.evaluation import agreement, compare, redundancy, resample, significance

NAMES = [*NASTY, *[f"column {i}" for i in range(len(NASTY), 14)]]
LABELS = ["<script>1</script>", "b & 'c'"]


class Tags(HTMLParser):
    """Tags in the order of a page, and the text of its table cells."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.cells, self.open = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ("path", "polyline"):
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        for name, value in attributes:
            assert not name.startswith("on"), name
            assert name not in ("src", "href"), value

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data

    def handle_endtag(self, tag):
        if tag in ("path", "polyline"):
            return
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(LABELS, 40)
    X = pd.DataFrame(rng.normal(size=(80, 14)), columns=NAMES)
    X.iloc[:, 0] += 3 * (y == LABELS[0])
    for f in range(1, 8):
        X.iloc[:, f] = X.iloc[:, 0] + 0.01 * rng.normal(size=80)
    return X, y


@pytest.fixture(scope="module")
def results(data):
    X, y = data
    methods = {"<b>ReliefF</b>": "ReliefF", "Fisher": "FisherScore"}
    found = compare(X, y, methods, cv=3, random_state=0)
    return {
        "comparison": found,
        "curve": found.curve,
        "significance": significance(
            "FisherScore", X, y, n_permutations=100, random_state=0
        ),
        "resampling": resample("FisherScore", X, y, n=4, random_state=0),
        "redundancy": redundancy(X, y),
        "agreement": agreement(found.selectors),
    }


RESULTS = [
    "comparison",
    "curve",
    "significance",
    "resampling",
    "redundancy",
    "agreement",
]


@pytest.mark.parametrize("name", RESULTS)
def test_result_is_one_harmless_block(results, name):
    page = results[name]._repr_html_()
    page.encode("utf-8")
    tags = Tags(page)
    assert not tags.open
    assert tags.tags[0] == "div"
    assert "caption" in tags.tags
    assert not {"script", "img", "b", "link", "iframe"} & set(tags.tags)
    assert "http" not in page
    assert len(page) < 20_000


def test_comparison_has_the_answer_the_methods_and_the_curves(results):
    found = results["comparison"]
    page = found._repr_html_()
    tags = Tags(page)
    assert found.answer.split(";")[0].split(",")[0] in page
    assert "<b>ReliefF</b>" in tags.cells
    assert page.count("<polyline") == 2
    assert ">guessing</text>" in page
    # The recommended method, and the features that are kept.
    assert page.count("<tr class=yes>") == 1 + found.n_features
    cells = tags.cells[tags.cells.index("Why") + 1 :]
    assert cells[3::5] == found.features["verdict"].head(10).tolist()
    assert "copy" in set(cells[3::5])
    error = 100 * found.summary()["stderr"][0]
    assert f"{error:.1f} %" in tags.cells


def test_features_come_best_first_and_the_rest_is_counted(results):
    found = results["significance"]
    cells = Tags(found._repr_html_()).cells
    first = cells[cells.index("q") + 1]
    best = found.names[np.lexsort([-found.scores, found.p_values, found.q_values])[0]]
    assert first == str(best).encode("utf-8", "replace").decode()
    assert "4 more features" in found._repr_html_()
    assert "4 more features" in results["resampling"]._repr_html_()


def test_long_groups_are_cut_short(results):
    found = results["redundancy"]
    cells = Tags(found._repr_html_()).cells
    assert "8" in cells
    assert any(cell.endswith(" and 2 more") for cell in cells)
    n = len(found.groups)
    assert f"{n} group{'' if n == 1 else 's'}; " in found._repr_html_()


def test_agreement_has_both_tables(results):
    page = results["agreement"]._repr_html_()
    assert page.count("<table>") == 2
    value = results["agreement"].correlation[0, 1]
    assert page.count(f">{value:.2f}</td>") >= 2


def test_a_loss_reads_as_a_loss(data):
    X, _ = data
    y = pd.Categorical(np.tile(["a", "b", "c", "d"], 20), ordered=True)
    found = compare(X, y, "FisherScore", cv=2, random_state=0)
    page = found._repr_html_()
    assert "Rank loss ↓" in page
    assert "rank loss (lower is better)" in page
    assert "-0." not in page
