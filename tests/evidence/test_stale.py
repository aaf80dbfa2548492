"""Figures on pages written by hand are those that were measured, with this code."""

import pytest

from evidence import stale


def test_pages_say_what_was_measured():
    assert [*stale.misquoted()] == []


def test_no_page_has_figures_of_other_code():
    assert [*stale.outdated()] == []


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A page that quotes one result, measured with the module `method.py`."""
    (tmp_path / "src" / "widemargin").mkdir(parents=True)
    (tmp_path / "src" / "widemargin" / "method.py").write_text('"""Doc."""\nk = 1\n')
    (tmp_path / "kept.json").write_text('{"Simba: points": [2.0, 3.0]}')
    (tmp_path / "page.md").write_text("Simba gained\n2.5 %, which is much.")
    (tmp_path / "measured.json").write_text("{}")
    entry = {
        "source": "kept.json",
        "by": "make it",
        "of": ["method.py"],
        "pages": {"page.md": ["gained {Simba, points:.1f} %"]},
    }
    monkeypatch.setattr(stale, "ROOT", tmp_path)
    monkeypatch.setattr(stale, "MEASURED", tmp_path / "measured.json")
    monkeypatch.setattr(stale, "entries", lambda: {"gain": entry})
    stale.main(["--measured", "gain"])
    return tmp_path, entry


def test_a_page_that_quotes_its_source_is_not_stale(house):
    assert stale.main([]) == 0


def test_a_page_with_another_figure_is_named(house):
    folder, _ = house
    (folder / "kept.json").write_text('{"Simba: points": [2.0, 4.0]}')
    (found,) = stale.misquoted()
    assert found == "page.md does not say 'gained 3.0%', as kept.json does."


def test_figures_are_stale_when_the_code_changes_but_not_its_docstring(house):
    folder, entry = house
    module = folder / "src" / "widemargin" / "method.py"
    module.write_text('"""Another."""\nk = 1  # one\n')
    assert [*stale.outdated()] == []
    module.write_text('"""Doc."""\nk = 2\n')
    (found,) = stale.outdated()
    assert found.startswith("page.md: method.py changed since [gain] was measured.")
    entry["older"] = "k is not used there"
    assert [*stale.outdated()] == []


def test_a_reason_for_older_figures_goes_when_they_are_measured_again(house):
    _, entry = house
    entry["older"] = "not any more"
    (found,) = stale.outdated()
    assert found.endswith("drop `older`.")


def test_scores_of_the_golden_record_decide_of_a_method(house, monkeypatch):
    def record(score):
        return {"scores/Simba/iris": {"value": {"scores_": [score], "new_": 1}}}

    digests = []
    for score in (0.1, 0.1 + 1e-12, 0.2):
        monkeypatch.setattr(stale, "golden", lambda score=score: record(score))
        digests.append(stale.now("Simba"))
    assert digests[0] == digests[1] != digests[2]


def test_every_entry_is_about_pages_and_methods_that_are_there():
    for name, entry in stale.entries().items():
        assert entry["by"], name
        for page in entry["pages"]:
            assert (stale.ROOT / page).is_file(), f"[{name}] quotes no page {page}"
        for of in entry["of"]:
            assert len(stale.now(of)) == 12
