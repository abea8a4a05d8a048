"""The built documentation in a real browser, by hand: `make docs`, then `python tests/docs_pages.py FOLDER [PAGE ...]`.

Every page, or those that are named, at two widths: nothing may reach beyond the window, no request may leave it, no error may be in
the console. The search must find the words of the field. Screenshots of some pages are written into the folder, to be looked at. The
exit status is 1 if something fails.
"""

import functools
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from browser import FLAGS, executable

BUILT = Path(__file__).parents[1] / "build" / "docs"
WIDTHS, HEIGHT = (1100, 1440), 900
PICTURED = ("index", "gallery", "howto/lab", "papers/johnnie-planning", "concepts/cycles")
WORDS = {  # what a reader looks for, and a page that must be among the first ten
    "Floquet": "Limit cycles",
    "Poincare": "Limit cycles",
    "ground reaction": "Contact",
    "state machine": "Write a gait as a state machine",
    "zero-moment point": "Walking patterns",
    "capture point": "Walking patterns",
    "cost of transport": "Analysis of runs",
}
BEYOND = """() => [
    ...[...document.querySelectorAll('main *')].filter(each => each.getBoundingClientRect().right > innerWidth + 1),
    ...[...document.querySelectorAll('main pre, main .table-wrapper')].filter(each => each.scrollWidth > each.clientWidth + 1),
].slice(0, 3).map(each => each.tagName + ': ' + each.textContent.slice(0, 40))"""
FOUND = "() => [...document.querySelectorAll('#search-results li > a')].map(each => each.textContent)"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


def look(page: Any, url: str, name: str, width: int, folder: Path) -> list[str]:
    """What is wrong with a page."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "response",
        lambda got: wrong.append(f"{got.status} {got.url}") if got.status >= 400 and "favicon" not in got.url else None,
    )
    page.on("request", lambda asked: None if asked.url.startswith((url, "data:")) else wrong.append(f"outside: {asked.url}"))
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.goto(f"{url}/{name}.html", wait_until="load")
    if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
        wrong.append(f"{wide} px wide")
    wrong += page.evaluate(BEYOND)
    if name in PICTURED:
        page.screenshot(path=folder / f"{name.replace('/', '-')}-{width}.png")
    return wrong


def main(folder: Path, names: list[str]) -> int:
    from playwright.sync_api import sync_playwright

    names = names or sorted(str(path.relative_to(BUILT).with_suffix("")) for path in BUILT.rglob("*.html"))
    folder.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(BUILT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, failed = f"http://127.0.0.1:{server.server_port}", 0
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=executable(), args=FLAGS)
        for width in WIDTHS:
            for name in names:
                page = browser.new_page()
                page.set_default_timeout(300_000)
                if wrong := look(page, url, name, width, folder):
                    failed += 1
                    print(f"{name} at {width} px: {wrong}", flush=True)
                page.close()
            print(f"{len(names)} pages at {width} px", flush=True)
        for word, wanted in WORDS.items():
            page = browser.new_page()
            page.set_default_timeout(300_000)
            page.goto(f"{url}/search.html?q={word.replace(' ', '+')}")
            page.wait_for_function("() => document.querySelector('.search-summary')?.textContent.includes('found')")
            titles = page.evaluate(FOUND)
            good = any(wanted in title for title in titles[:10])
            failed += not good
            print(
                f"search {word!r}: {len(titles)} found, {wanted!r} {'is' if good else 'IS NOT'} among the first ten", flush=True
            )
            page.close()
        browser.close()
    server.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
