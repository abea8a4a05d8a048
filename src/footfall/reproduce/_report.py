"""One self-contained HTML page of all that was reproduced: tables, pictures, recordings, versions and commands."""

import platform
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from footfall import studies, view
from footfall.errors import FootfallError, MissingPartError
from footfall.files import write_whole
from footfall.sim.simulate import simulate
from footfall.version import __version__

if TYPE_CHECKING:
    from footfall.reproduce import Row

PARTS = ("numpy", "scipy", "numba", "matplotlib", "pyarrow", "viser")
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
STYLE = """
body{font-family:sans-serif;color:#222;max-width:1180px;margin:2em auto;padding:0 1em}
h1,h2{font-weight:600} h2{border-bottom:2px solid #d5dade;padding-bottom:.2em;margin-top:2em}
table.rows{border-collapse:collapse;width:100%;font-size:92%}
.rows td,.rows th{padding:3px 10px;border-bottom:1px solid #e4e8eb;text-align:left}
.rows td.number,.rows th.number{text-align:right;font-variant-numeric:tabular-nums}
.rows td.number,.rows td.ok,.rows td.no{white-space:nowrap;width:8%} table.all{width:auto}
.ok{color:#00785a;font-weight:600} .no{color:#b2182b;font-weight:600}
code{background:#f1f3f5;padding:2px 5px;border-radius:3px} .how{color:#555;font-size:88%;margin:.4em 0}
img{max-width:100%;height:auto} details{margin:1em 0} nav a{margin-right:1em;white-space:nowrap}
"""


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
        page = (
            "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Footfall: reproductions</title>"
            f"<style>{STYLE}</style></head><body><h1>Footfall: reproductions</h1>"
            f"<p class='{'no' if failing else 'ok'}'>{escape(verdict)}</p>"
            f"{_versions(self.command)}{self._contents(subjects)}"
            f"{''.join(body)}</body></html>"
        )
        path = self.out / "report.html"
        write_whole(path, page)
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
        head = _head("subject", "studies", "figures that hold", "time")
        return f"<nav><table class='rows all'>{head}{''.join(lines)}</table></nav>"

    def _subject(self, subject: str, moving: str) -> str:
        parts = [f"<h2 id='{subject}'>{escape(subject)}</h2>", moving]
        dash, options = self.command.partition(" --")[1:]
        for study, rows in self.rows.items():
            if study.split("/")[0] == subject:
                parts.append(
                    f"<h3>{escape(study)}</h3><p class='how'><code>footfall reproduce {escape(study + dash + options)}</code>, "
                )
                parts.append(f"{self.seconds.get(study, 0.0):.1f} s</p>{_table(rows)}")
                parts += [f"<p>{_picture(path)}</p>" for path in self.pictures.get(study, ())]
        return "".join(parts)


def _table(rows: list["Row"]) -> str:
    lines = []
    for row in rows:
        unit = "" if row.unit == "1" else f" {row.unit}"
        verdict = "<td class='ok'>holds</td>" if row.ok else "<td class='no'>fails</td>"
        cells = (f"{row.paper:.6g}{unit}", f"{row.value:.6g}{unit}", f"{row.tolerance:.2g}", row.demand)
        numbers = "".join(f"<td class='number'>{escape(cell)}</td>" for cell in cells)
        lines.append(f"<tr><td>{escape(row.quantity)}</td>{numbers}{verdict}</tr>")
    head = _head("quantity", "paper or bound", "ours", "tolerance", "must be", "")
    how = "".join(f"<p class='how'>{escape(each)}</p>" for each in dict.fromkeys(row.how for row in rows if row.how))
    return f"<table class='rows'>{head}{''.join(lines)}</table>{how}"


def _head(first: str, *names: str) -> str:
    """The head of a table of numbers."""
    cells = "".join(f"<th class='number'>{name}</th>" for name in names)
    return f"<tr><th>{first}</th>{cells}</tr>"


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
            page = view.recording(run, Path(folder) / "run.html", progress=lambda _: None)
            parts.append(f"<details><summary>recording</summary>{view.embedded(page, 420)._repr_html_()}</details>")
    except MissingPartError as error:
        parts.append(f"<p class='how'>{escape(str(error))}</p>")
    except FootfallError as error:
        return f"<p class='how'>{escape(name)} cannot be shown: {escape(str(error))}</p>"
    return "".join(parts)


def _picture(path: Path) -> str:
    data = b64encode(path.read_bytes()).decode()
    return f'<img alt="{escape(path.stem)}" src="data:image/png;base64,{data}">'


def _versions(command: str) -> str:
    found = [f"footfall {__version__}", f"Python {platform.python_version()}"]
    for part in PARTS:
        try:
            found.append(f"{part} {metadata.version(part)}")
        except metadata.PackageNotFoundError:
            found.append(f"{part}: not installed")
    machine = f"{platform.system()} {platform.machine()}"
    return f"<p><code>{escape(command)}</code></p><p class='how'>{escape(', '.join(found))}; {escape(machine)}</p>"
