"""The reproduction of JOHNNIE's planning: every row holds."""

import pytest

from footfall import reproduce
from footfall.reproduce import Setting


@pytest.mark.parametrize("study", ["preview", "zmp", "huang", "feasibility", "walked"])
def test_rows_hold(study):
    rows = list(reproduce.rows(f"johnnie-plan/{study}", Setting(quick=True, workers=1)))
    assert len(rows) > 2
    assert [row.quantity for row in rows if not row.ok] == []
