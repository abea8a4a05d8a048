"""Formulas of the documentation: the converter knows every environment that the pages use."""

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("latex2mathml")
pytest.importorskip("docutils")
DOCS = Path(__file__).parent.parent / "docs"


def test_rows_and_columns_of_formulas_are_a_table(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    import mathml

    found = [text for page in DOCS.rglob("*.md") for text in re.findall(r"\$\$(.*?)\$\$", page.read_text("utf-8"), re.DOTALL)]
    several = [text for text in found if r"\begin{" in text]
    assert len(several) > 3
    for text in found:
        shown = mathml._markup(text, "block").split(">", 1)[1]
        assert not re.search(r"<m\w+>(&(amp;)?|\\\\)</m", shown), text
        assert ("<mtable" in shown) == (text in several), text
