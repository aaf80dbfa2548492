"""numpydoc finds nothing in the docstrings of the methods."""

import pytest

import widemargin

# A matter of taste, or wrong here:
IGNORED = {
    "ES01",  # a first line that says it all needs no second paragraph
    "EX01",  # examples are in the guides, too
    "SA01",  # the site adds what to see also
    "PR08",  # "k; …" begins with a symbol of the paper, in lower case
}


@pytest.mark.parametrize("method", widemargin.methods(), ids=lambda method: method.name)
def test_docstrings_of_methods_are_as_numpydoc_wants_them(method):
    validate = pytest.importorskip("numpydoc.validate").validate
    found = validate(f"{method.home}.{method.name}")["errors"]
    assert [(code, text) for code, text in found if code not in IGNORED] == []
