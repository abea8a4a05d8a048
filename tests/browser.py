"""A real browser for tests of the lab: headless Chromium through Playwright, which draws in software."""

import base64
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import Any

FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
WAIT = 300_000  # ms: the machine may be busy
TRIALS = 10  # of a screenshot
HOW = "no browser for the tests of the page: install Debian's chromium (apt-get install chromium) and pip install playwright"
# Drawing in software takes nearly all the time of a page and starves its input. So a page draws only while a picture is taken;
# otherwise it does all that it does, calls of WebGL included, but for those that fill pixels or wait for shaders.
SPARING = """
window.draws = false;
const idle = {drawElements: 0, drawArrays: 0, drawElementsInstanced: 0, drawArraysInstanced: 0, clear: 0, blitFramebuffer: 0,
              getProgramInfoLog: "", getShaderInfoLog: ""};
for (const kind of [WebGLRenderingContext, WebGL2RenderingContext])
  for (const [name, nothing] of Object.entries(idle)) {
    const real = kind.prototype[name];
    if (real) kind.prototype[name] = function (...all) { return window.draws ? real.apply(this, all) : nothing; };
  }
window.requestAnimationFrame = draw => setTimeout(() => draw(performance.now()), 100);
"""
PLACES = [
    (x, y) for y in (0.36, 0.4, 0.33, 0.45, 0.5, 0.3, 0.55) for x in (0.5, 0.52, 0.48, 0.54, 0.46)
]  # of a scene, about a robot
HARMLESS = ("THREE.Clock", "WebGL", "GPU stall", "GL Driver", "swiftshader", "Software", "inside passive event listener")


def executable() -> str | None:
    """Where Chromium is, if there is one."""
    with suppress(ImportError):
        import playwright.sync_api  # noqa: F401

        return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return None


class Tab:
    """A page of the lab."""

    def __init__(self, browser: Any, url: str, size: tuple[int, int] = (820, 460)):
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        self.context.add_init_script(SPARING)
        self.page, self.size, self.errors = self.context.new_page(), size, []
        self.page.set_default_timeout(WAIT)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)

    def _note(self, message: Any) -> None:
        if message.type == "error" and not any(word in message.text for word in HARMLESS):
            self.errors.append(message.text)

    def ready(self) -> "Tab":
        """Wait for the panel."""
        self.page.get_by_text("Bookmark", exact=True).wait_for()
        return self

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def choose(self, label: str, option: str) -> None:
        """Choose from a list."""
        field = self._field(label)
        field.click()
        field.fill(option)
        self.page.get_by_role("option", name=option, exact=True).first.click()

    def key(self, label: str, key: str, times: int = 1) -> None:
        """Press a key on a slider."""
        slider = self._field(label, "[role=slider]")
        slider.focus()
        for _ in range(times):
            slider.press(key)

    @contextmanager
    def drag(self, taken: Any, by: tuple[float, float]) -> Iterator[bool]:
        """Hold shift, press where a link is, and move the pointer; `taken` tells whether a link is held."""
        self.page.keyboard.down("Shift")
        try:
            yield any(self._pressed(place, taken, by) for place in PLACES)
        finally:
            self.page.mouse.up()
            self.page.keyboard.up("Shift")

    def _pressed(self, place: tuple[float, float], taken: Any, by: tuple[float, float]) -> bool:
        """Whether a link is held that was pressed at a place of the scene; the button stays down if so."""
        mouse, box = self.page.mouse, self.page.locator("canvas").nth(1).bounding_box()
        x, y = box["x"] + place[0] * box["width"], box["y"] + place[1] * box["height"]
        mouse.move(x, y)
        self.page.wait_for_timeout(300)  # the page looks for what is under the pointer
        mouse.down()
        mouse.move(x + by[0] / 2, y + by[1] / 2)
        mouse.move(x + by[0], y + by[1])
        held = self.until(taken, 1.5)
        if not held:
            mouse.up()
        return held

    def _field(self, label: str, inside: str = "input") -> Any:
        text = self.page.locator("label", has_text=label).first
        text.wait_for()
        found = self.page.locator(f"[id='{text.get_attribute('for')}']")
        return found if inside == "input" and found.evaluate("e => e.tagName") == "INPUT" else found.locator(inside).first

    def picture(self) -> Any:
        """A screenshot, as an image; the scene is in it if it is being drawn."""
        import playwright.sync_api as playwright
        from PIL import Image

        link = self.context.new_cdp_session(self.page)
        for trial in range(TRIALS):
            try:
                data = link.send("Page.captureScreenshot", {"format": "png"})["data"]
                break
            except playwright.Error:  # a page that is still drawing on a busy machine
                if trial == TRIALS - 1:
                    raise
                self.page.wait_for_timeout(1000)
        return Image.open(BytesIO(base64.b64decode(data))).convert("RGB")

    def wait_for_scene(self, least: int = 60, right: int = 440) -> int:
        """Wait until the scene, left of the panel, has been drawn; how many colours it has."""
        end, found = time.monotonic() + WAIT / 1000, 0
        self.draw(True)
        while found < least and time.monotonic() < end:
            self.page.wait_for_timeout(300)
            found = len(self.picture().crop((20, 180, right, self.size[1] - 10)).getcolors(1 << 20))
        self.draw(False)
        return found

    def draw(self, on: bool) -> None:
        """Let the scene be drawn from now on, or no more."""
        self.page.evaluate("on => { window.draws = on }", on)

    def until(self, true: Any, seconds: float = WAIT / 1000) -> bool:
        """Wait until something is true, while Playwright goes on: it tells of every message to the page."""
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                return False
            self.page.wait_for_timeout(30)
        return True

    def close(self) -> None:
        self.context.close()


@contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        opened = tools.chromium.launch(executable_path=executable(), args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()


def until(true: Any, seconds: float = WAIT / 1000) -> bool:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
