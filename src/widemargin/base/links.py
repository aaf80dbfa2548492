"""Links from scikit-learn's HTML view of an estimator to its documentation."""

from __future__ import annotations

import os

VARIABLE = "WIDEMARGIN_DOCS_URL"
PACKAGES = ("baselines", "evaluation")  # with public classes of their own


class Documented:
    """Lets scikit-learn link an estimator to its page, wherever the site is.

    The address of the site is in the environment variable ``WIDEMARGIN_DOCS_URL``;
    without it there is no link. scikit-learn asks for the root module, and links
    nothing that belongs to another.
    """

    @property
    def _doc_link_module(self) -> str:
        parts = type(self).__module__.split(".")
        known = os.environ.get(VARIABLE) and "compat" not in parts
        return "widemargin" if known else ""

    @property
    def _doc_link_template(self) -> str:
        root, *rest = type(self).__module__.split(".")
        package = ".".join([root, *(p for p in rest[:1] if p in PACKAGES)])
        if type(self).__name__ == "AutoSelector":
            package = root
        site = os.environ.get(VARIABLE, "").rstrip("/")
        return f"{site}/api/generated/{package}.{{estimator_name}}.html"
