"""The page of a lab: panels and scene of one session, on a guarded server."""

import math
from typing import Any

from footfall.lab.scene import Scene
from footfall.lab.session import Frame, Session

SPEEDS = {"1/50": 0.02, "1/20": 0.05, "1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "3": 3.0, "5": 5.0, "10": 10.0}
SPEEDS |= {"fastest": math.inf}


class Page:
    """Shows a session, and hands on what is clicked."""

    def __init__(self, server: Any, session: Session, shadows: bool = True):
        self.server, self.session = server, session
        server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        self.scene = Scene(server, session.source.study.robot, session.source.study.world.terrain, shadows)
        session.on_frame = self.frame
        self._panel()

    def frame(self, frame: Frame) -> None:
        with self.server.atomic():
            self.scene.show(frame.q, frame.passed, frame.ghost)
        self.clock.content = f"{frame.time:.2f} s, {self.session.clock.factor:.2f} x"

    def _panel(self) -> None:
        gui, session = self.server.gui, self.session
        self.clock = gui.add_markdown("")
        gui.add_button("Play").on_click(lambda _: session.do(session.play))
        gui.add_button("Pause").on_click(lambda _: session.do(session.pause))
