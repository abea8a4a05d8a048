"""Keep what was done in the lab: as a run that replays, as a recording for the browser, as a film, as a picture."""

import math
import re
import threading
from collections.abc import Callable
from pathlib import Path

from footfall.errors import FootfallError
from footfall.files import write_whole
from footfall.lab.clock import HEAD
from footfall.lab.session import Session, whole
from footfall.sim.run import Run
from footfall.view import animation, recording
from footfall.view.animation import frames

KINDS = {
    "run (.parquet)": ".parquet",
    "recording (.html)": ".html",
    "film (.mp4)": ".mp4",
    "film (.gif)": ".gif",
    "picture (.png)": ".png",
    "log of the clock (.csv)": ".csv",
}


FILM_RATE = 25  # pictures a second


class Keeper:
    """Writes files into one folder, one after the other, while the lab goes on."""

    def __init__(self, session: Session, folder: Path):
        self.session, self.folder = session, folder
        self._busy = threading.Lock()

    def keep(self, kind: str, seconds: float) -> None:
        """Write a file of the last seconds; of the whole run, if it is a run. A command of the session."""
        suffix = KINDS.get(kind)
        if suffix is None:
            raise FootfallError(f"the lab keeps {', '.join(KINDS)}, got {kind!r:.40}")
        if not self._busy.acquire(blocking=False):
            raise FootfallError("the lab is writing a file already; wait until it says so")
        try:
            window = self.session.source.window(min(max(seconds, 1.0), 60.0) if suffix != ".parquet" else 5.0)
            played = getattr(self.session.source, "run", None)
            path, log = self._path(suffix), list(self.session.clock.log)
            threading.Thread(
                target=self._write, args=(window, played, path, log), name="footfall lab keeper", daemon=True
            ).start()
        except BaseException:
            self._busy.release()
            raise

    def _path(self, suffix: str) -> Path:
        """A new name in the folder, of the study and the time."""
        name = re.sub(r"[^\w-]+", "-", self.session.name)[:60] or "run"
        stem = f"{name}-{self.session.source.time:.2f}s"
        found, number = self.folder / f"{stem}{suffix}", 1
        while found.exists():
            found, number = self.folder / f"{stem}-{number}{suffix}", number + 1
        return found

    def _write(self, window: Run, played: Run | None, path: Path, log: list[tuple[float, ...]]) -> None:
        say = self.session.say
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            say(f"writing {path} ...")
            if path.suffix == ".parquet":
                (played or whole(window)).save(path)
            elif path.suffix == ".csv":
                write_whole(path, "\n".join((HEAD, *(", ".join(f"{x:.6f}" for x in row) for row in log))) + "\n")
            else:
                WRITERS[path.suffix](window, path)
            say(f"written: {path} ({_size(path.stat().st_size)})")
        except (FootfallError, OSError) as error:
            say(f"{path.name} could not be written: {error}", bad=True)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in an encoder is said in the page
            say(f"{path.name} could not be written: {type(error).__name__}: {error}", bad=True)
        finally:
            self._busy.release()

    def wait(self, seconds: float = 60.0) -> bool:
        """Wait until nothing is being written."""
        done = self._busy.acquire(timeout=seconds)
        if done:
            self._busy.release()
        return done


def _size(count: int) -> str:
    """Of a file, from bytes."""
    return f"{math.ceil(count / 1e3)} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"


def _recording(run: Run, path: Path) -> None:
    recording(run, path, progress=lambda _: None)


def _film(run: Run, path: Path) -> None:
    animation(run, path, begin=float(run.time[0]), rate=FILM_RATE, progress=lambda _: None)


def _picture(run: Run, path: Path) -> None:
    from matplotlib.image import imsave

    imsave(path, next(frames(run, run.time[-1:])))


WRITERS: dict[str, Callable[[Run, Path], object]] = {".html": _recording, ".mp4": _film, ".gif": _film, ".png": _picture}
