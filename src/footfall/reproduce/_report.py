"""One self-contained HTML page of all that was reproduced: tables, pictures, recordings, versions and commands."""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from footfall import studies, view
from footfall.errors import FootfallError, MissingPartError
from footfall.files import write_whole
from footfall.sim.simulate import simulate
from footfall.view.page import head, page, picture_file, versions

if TYPE_CHECKING:
    from footfall.reproduce import Row

LONGEST = 6.0  # s of a study that is shown
SHOWN = {  # a study that shows what a subject is about
    "cycles": "compass",
    "denoc": "ono-walk",
    "imported": "walk",
    "johnnie": "huang-pattern",
    "johnnie-actuation": "johnnie-walk-rigid",
    "johnnie-ground": "johnnie-stairs",
    "johnnie-obstacles": "johnnie-obstacles",
    "johnnie-plan": "lipm-preview",
    "johnnie-sensing": "person-walk",
    "johnnie-walk": "johnnie-walk",
    "kelly-biped": "simple-biped-walk",
    "kelly-bodies": "ranger-walk-kelly",
    "kelly-ranger": "ranger-walk",
    "newton": "newton-walk",
    "newton-language": "newton-throw",
    "newton-sensing": "newton-squat",
    "sensors": "wendlandt-stand-3d",
    "sweeps": "simbicon-run",
    "wendlandt": "wendlandt-stand",
    "world": "stand-rough",
}
ASPECTS = ("overview", "joints")  # of a run that are drawn; the first is open


@dataclass
class Report:
    """What has been found so far, by study; `write` makes a page of it at any time."""

    out: Path
    command: str
    rows: dict[str, list["Row"]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    pictures: dict[str, list[Path]] = field(default_factory=dict)

    def gather(self, study: str, found: Iterable["Row"]) -> Iterator["Row"]:
        """Pass rows on as they come; keep them, the time they took, and pictures that the study drew."""
        before, began = set(self.out.glob("*.png")), time.monotonic()
        rows = self.rows.setdefault(study, [])
        try:
            for row in found:
                rows.append(row)
                yield row
        finally:
            self.seconds[study] = time.monotonic() - began
            self.pictures[study] = sorted(set(self.out.glob("*.png")) - before)

    def write(self, told: Callable[[str], None] = lambda _: None) -> Path:
        """Write `report.html` into the folder."""
        subjects = list(dict.fromkeys(study.split("/")[0] for study in self.rows))
        shown: set[str] = set()
        body = []
        for subject in subjects:
            told(f"pictures of {subject}")
            name = SHOWN.get(subject, "")
            body.append(self._subject(subject, _moving(name) if name and name not in shown else ""))
            shown.add(name)
        rows = [row for found in self.rows.values() for row in found]
        failing = sum(not row.ok for row in rows)
        verdict = f"{len(rows) - failing} of {len(rows)} figures hold" + (f", {failing} fail" if failing else "")
        top = f"<p class='{'no' if failing else 'ok'}'>{escape(verdict)}</p>"
        made = page("reproductions", top, versions(self.command), self._contents(subjects), *body)
        path = self.out / "report.html"
        write_whole(path, made)
        return path

    def _contents(self, subjects: list[str]) -> str:
        """Every subject with how many of its figures hold, and how long they took."""
        lines = []
        for subject in subjects:
            mine = [study for study in self.rows if study.split("/")[0] == subject]
            found = [row for study in mine for row in self.rows[study]]
            holding, took = sum(row.ok for row in found), sum(self.seconds.get(study, 0.0) for study in mine)
            verdict = f"<td class='number {'ok' if holding == len(found) else 'no'}'>{holding} of {len(found)}</td>"
            name = f"<td><a href='#{subject}'>{escape(subject)}</a></td><td class='number'>{len(mine)}</td>"
            lines.append(f"<tr>{name}{verdict}<td class='number'>{took:.0f} s</td></tr>")
        names = head("subject", "studies", "figures that hold", "time")
        return f"<nav><table class='rows all'>{names}{''.join(lines)}</table></nav>"

    def _subject(self, subject: str, moving: str) -> str:
        parts = [f"<h2 id='{subject}'>{escape(subject)}</h2>", moving]
        dash, options = self.command.partition(" --")[1:]
        for study, rows in self.rows.items():
            if study.split("/")[0] == subject:
                parts.append(
                    f"<h3>{escape(study)}</h3><p class='how'><code>footfall reproduce {escape(study + dash + options)}</code>, "
                )
                parts.append(f"{self.seconds.get(study, 0.0):.1f} s</p>{_table(rows)}")
                parts += [f"<p>{picture_file(path)}</p>" for path in self.pictures.get(study, ())]
        return "".join(parts)


def _table(rows: list["Row"]) -> str:
    lines = []
    for row in rows:
        unit = "" if row.unit == "1" else f" {row.unit}"
        verdict = "<td class='ok'>holds</td>" if row.ok else "<td class='no'>fails</td>"
        cells = (f"{row.paper:.6g}{unit}", f"{row.value:.6g}{unit}", f"{row.tolerance:.2g}", row.demand)
        numbers = "".join(f"<td class='number'>{escape(cell)}</td>" for cell in cells)
        lines.append(f"<tr><td>{escape(row.quantity)}</td>{numbers}{verdict}</tr>")
    names = head("quantity", "paper or bound", "ours", "tolerance", "must be", "")
    how = "".join(f"<p class='how'>{escape(each)}</p>" for each in dict.fromkeys(row.how for row in rows if row.how))
    return f"<table class='rows'>{names}{''.join(lines)}</table>{how}"


def _moving(name: str) -> str:
    """A study's card, its overview and its recording; where one of them cannot be made, the page says why."""
    try:
        study = studies.load(name)
        run = simulate(study, seconds=min(study.seconds, LONGEST))
        parts = [view.card(run)]
        for aspect in ASPECTS:
            drawn, opened = view.image(view.plot(run, aspect), 900), " open" if aspect == ASPECTS[0] else ""
            parts.append(f"<details{opened}><summary>{aspect}</summary>{drawn}</details>")
        with tempfile.TemporaryDirectory() as folder:
            shown = view.recording(run, Path(folder) / "run.html", progress=lambda _: None)
            parts.append(f"<details><summary>recording</summary>{view.embedded(shown, 420)._repr_html_()}</details>")
    except MissingPartError as error:
        parts.append(f"<p class='how'>{escape(str(error))}</p>")
    except FootfallError as error:
        return f"<p class='how'>{escape(name)} cannot be shown: {escape(str(error))}</p>"
    return "".join(parts)
