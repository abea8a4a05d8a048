"""Parts of pages that are one HTML file: their style, heads of tables, pictures, versions."""

import platform
from base64 import b64encode
from html import escape
from importlib import metadata
from pathlib import Path

from footfall.version import __version__

PARTS = ("numpy", "scipy", "numba", "matplotlib", "pyarrow", "viser")
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


def page(title: str, *parts: str) -> str:
    """A page with this title and what is below it."""
    head = f"<head><meta charset='utf-8'><title>Footfall: {escape(title)}</title><style>{STYLE}</style></head>"
    return f"<!doctype html><html lang='en'>{head}<body><h1>Footfall: {escape(title)}</h1>{''.join(parts)}</body></html>"


def head(first: str, *names: str) -> str:
    """The head of a table of numbers."""
    cells = "".join(f"<th class='number'>{escape(name)}</th>" for name in names)
    return f"<tr><th>{escape(first)}</th>{cells}</tr>"


def picture_file(path: Path) -> str:
    """A picture in a file, inside HTML."""
    data = b64encode(path.read_bytes()).decode()
    return f'<img alt="{escape(path.stem)}" src="data:image/png;base64,{data}">'


def versions(command: str) -> str:
    """The command, and what it was run with."""
    found = [f"footfall {__version__}", f"Python {platform.python_version()}"]
    for part in PARTS:
        try:
            found.append(f"{part} {metadata.version(part)}")
        except metadata.PackageNotFoundError:
            found.append(f"{part}: not installed")
    machine = f"{platform.system()} {platform.machine()}"
    return f"<p><code>{escape(command)}</code></p><p class='how'>{escape(', '.join(found))}; {escape(machine)}</p>"
