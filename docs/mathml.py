"""Formulas as MathML, made when the documentation is built: browsers show them without a script and without a network."""

import html
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

ENVIRONMENTS = {"aligned": "align*", "gathered": "matrix"}  # those that the converter does not know, as ones that it does


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(_markup(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    text = node.astext()
    parts = [text] if "\\begin" in text else text.split("\n\n")  # a blank line begins a new formula
    shown = "".join(_markup(part, "block") for part in parts if part.strip())
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    self.body.append(f'<div class="math-block">{number}{shown}</div>')
    raise nodes.SkipNode


def _markup(text: str, display: str) -> str:
    """MathML of a formula; its LaTeX is the title, for search and for copying."""
    known = text.strip()
    for name, ours in ENVIRONMENTS.items():
        known = known.replace(f"{{{name}}}", f"{{{ours}}}")
    shown = convert(known, display=display)
    return shown.replace("<math ", f'<math title="{html.escape(text.strip())}" ', 1)


def setup(app: Any) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
