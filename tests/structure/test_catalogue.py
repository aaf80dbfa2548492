"""The list of methods is complete, and the page of methods shows it."""

import re
from pathlib import Path

import widemargin
from widemargin import baselines
from widemargin.catalogue import homes

ALGORITHMS = Path(__file__).parents[2] / "docs" / "algorithms"


def pages() -> dict[str, str]:
    """For each selector, the page whose paragraph that begins with See names it."""
    named = dict.fromkeys(baselines.__all__, "baselines.md")
    for page in ALGORITHMS.glob("*.md"):
        _, _, see = page.read_text(encoding="utf-8").rpartition("**See**")
        for name in re.findall(r"\{class\}`widemargin\.(\w+)`", see.split("\n\n")[0]):
            named[name] = page.name
    return named


def markdown() -> str:
    """Write the list as a table, as docs/algorithms/index.md has it."""
    rows = [["method", "what it looks for", "needs", "from"]]
    rows.append(["---"] * len(rows[0]))
    page = pages()
    for m in widemargin.methods():
        name = f"[{m.name}]({page[m.name]})"
        rows.append([name, m.summary, m.needs, m.paper])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def test_every_selector_is_listed_with_its_paper():
    listed = {m.name: m for m in widemargin.methods()}
    for name in (*widemargin.__all__, *baselines.__all__):
        others = "AutoSelector", "Selection", "MarginScaler", "MarginPrototypes"
        if name[0].isupper() and name not in others:
            assert name in listed, f"add {name} to src/widemargin/methods.toml"
            assert listed[name].paper[-4:].isdigit(), (
                f"the paper of {name} in src/widemargin/methods.toml ends with its year"
            )
    assert listed["OSimba"].needs == "ordered classes"
    assert listed["GFlip"].gives == "subset"


def test_the_page_of_methods_has_the_list():
    page = (ALGORITHMS / "index.md").read_text(encoding="utf-8")
    assert markdown() in page, (
        f"replace the table in docs/algorithms/index.md by this one:\n{markdown()}"
    )


def test_type_checkers_know_every_selector():
    for package in (widemargin, baselines):
        source = Path(package.__file__).read_text(encoding="utf-8")
        for name, module in homes(package.__name__).items():
            line = f"from {module} import {name} as {name}"
            assert line in source, (
                f"add to {package.__file__}, below the others: {line}"
            )
