"""The report of reproductions: one page with everything, and a study that fails does not end it."""

import re

import pytest
from typer.testing import CliRunner

from footfall import reproduce, studies
from footfall.cli import app
from footfall.reproduce import _report


def test_a_report_is_one_page_with_tables_pictures_and_commands(tmp_path, monkeypatch):
    monkeypatch.setattr(_report, "LONGEST", 0.3)
    monkeypatch.setattr(_report, "SHOWN", {"johnnie": "stand-push"})
    done = CliRunner().invoke(app, ["reproduce", "johnnie/dh", "--quick", "--out", str(tmp_path / "report")])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "figures hold" in page
    assert "<code>footfall reproduce johnnie/dh --quick</code>" in page
    assert "footfall-card" in page
    assert page.count("data:image/png;base64,") >= 2
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']https?:", page)


@pytest.mark.parametrize("error", [ZeroDivisionError("by nothing"), ValueError("<b>no</b>")])
def test_a_study_that_fails_is_a_row_that_fails(error, tmp_path, monkeypatch):
    def broken(_setting):
        yield reproduce.Row("first", "m", 1.0, 1.0, 0.0)
        raise error

    monkeypatch.setattr(reproduce, "studies", lambda _wanted=(): {"a/broken": broken})
    monkeypatch.setattr(_report, "SHOWN", {})
    report = _report.Report(tmp_path, "footfall reproduce all")
    rows = list(report.gather("a/broken", reproduce.rows("a/broken", reproduce.Setting())))
    assert [row.ok for row in rows] == [True, False]
    page = report.write().read_text(encoding="utf-8")
    assert type(error).__name__ in page
    assert "<b>no</b>" not in page
    assert "1 fail" in page


def test_all_means_all():
    assert reproduce.studies(["all"]).keys() == reproduce.studies().keys()


def test_every_subject_shows_a_study_that_moves():
    subjects = {study.split("/")[0] for study in reproduce.studies()}
    assert subjects == set(_report.SHOWN)
    assert set(_report.SHOWN.values()) <= set(studies.names())
