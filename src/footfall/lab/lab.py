"""A lab as a whole: session, server and page; `with Lab("ranger-walk") as lab: ...` serves it at `lab.url`."""

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from footfall.lab import catalogue
from footfall.lab.clock import RATE
from footfall.lab.guard import free_port, guarded_server, is_loopback, load_viser
from footfall.lab.session import Session
from footfall.sim.run import Run
from footfall.sim.study import Study

HOST, PORT = "127.0.0.1", 8080


class Lab:
    """A live laboratory in the browser."""

    def __init__(
        self,
        study: str | Study | Run = catalogue.DEFAULT,
        *,
        host: str = HOST,
        port: int = PORT,
        folder: str | Path = "lab",
        shadows: bool = True,
        rate: float = RATE,
    ):
        load_viser()
        self.host, self.port = host, free_port(host, port)  # refused before anything is compiled
        opened = catalogue.opened(study) if isinstance(study, str) else study
        self.session = Session(opened, study.replace("_", "-") if isinstance(study, str) else "", rate)
        from footfall.lab.page import Page

        self.server: Any = guarded_server(host, self.port)
        self.port = self.server.get_port()
        self.page = Page(self.server, self.session, Path(folder), shadows)

    @property
    def url(self) -> str:
        name = "127.0.0.1" if self.host == "0.0.0.0" else f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}"

    @property
    def open_to_others(self) -> bool:
        return not is_loopback(self.host)

    def begin(self) -> "Lab":
        """Let it run."""
        self.session.begin()
        self.session.do(self.session.play)
        return self

    def end(self) -> None:
        """End it, its pages included."""
        self.session.end()
        with redirect_stdout(StringIO()):
            self.server.stop()

    def __enter__(self) -> "Lab":
        return self.begin()

    def __exit__(self, *_: object) -> None:
        self.end()
