"""Settings of the documentation site; `make docs` builds it."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]
os.environ.setdefault("MPLBACKEND", "Agg")

from gallery import same_look  # noqa: E402

from widemargin import __version__  # noqa: E402

project = "widemargin"
author = "the widemargin developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "drawings",
    "live_report",
    "mathml",
    "see_also",
]
exclude_patterns = ["_build", "_ext"]
exclude_patterns += [f"gallery/**/*.{kind}" for kind in ("ipynb", "py")]
exclude_patterns += [f"notebooks/**/*.{kind}" for kind in ("ipynb", "py")]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
# Pages that scripts write have anchors of plain HTML, which MyST does not see:
# `_ext/check_links.py` looks for dead ones in the pages themselves.
suppress_warnings = ["myst.xref_missing", "config.cache"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Methods of scikit-learn are listed with the rest and come without its references.
default_role = "py:obj"  # `name` in a docstring: a link if there is such a name
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# The pages are read from disk, too: equations are MathML (see `_ext/mathml.py`).
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "widemargin"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_extra_path = ["drawings/made/credit.html"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "widemargin"},
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 1,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
alone = ["index", "start", "which-method", "contributing/index", "changelog"]
html_sidebars = {page: [] for page in alone}
toc_object_entries_show_parents = "hide"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": [str(HERE.parent / "notebooks"), str(HERE.parent / "examples")],
    "gallery_dirs": ["notebooks", "gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1,
    "plot_gallery": True,
    "reset_modules": ("matplotlib", same_look),
    "thumbnail_size": (400, 280),
    "doc_module": ("widemargin",),
    "backreferences_dir": "gallery/backreferences",
    "inspect_global_variables": False,
}
