"""Equations as MathML, written at build time by docutils.

Every present browser shows MathML, so that pages need neither a script from elsewhere
nor one of ours, and equations are there when a page is opened from disk.
"""

import re

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number

BAR = re.compile(
    r'<mover accent="false">\s*(<mrow>(?:(?!<mover).)*?</mrow>)\s*'
    r'<mo accent="true">_</mo>\s*</mover>',
    re.DOTALL,
)


def _mathml(node: nodes.Element, *, block: bool) -> str:
    # docutils does not know \\dots, whose height depends on what is around it.
    tex = re.sub(r"\\dots\b", r"\\ldots", node.astext())
    # It would set the index of a letter with a bar below it.
    tex = re.sub(r"\\bar\s*(\w)(?=[_^])", r"{{}\\bar{\1}}", tex)
    if re.search(
        r"frac\d\d", tex
    ):  # docutils would read \\frac12 as 12 over what follows
        raise ValueError(f"Write \\frac{{1}}{{2}} with braces, got {tex!r}.")
    converted = latex2mathml.tex2mathml(tex, as_block=block)
    # Bars around a term neither stretch nor keep a distance from it.
    converted = re.sub(
        r'<mo(?: stretchy="false")?>([|‖])</mo>',
        r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>',
        converted,
    )
    # Few fonts have a bar that stretches: a border is one everywhere.
    converted = BAR.sub(r'<mrow class="bar">\1</mrow>', converted)
    return converted.replace("<math", '<math class="tex"', 1)


def _inline(translator, node):
    translator.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(translator, node):
    translator.body.append(translator.starttag(node, "div", CLASS="math-block"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})</span>')
    translator.body.append(_mathml(node, block=True))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
