"""The first panel: which study, play and pause, speed, bookmark, gaits, pushes."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.lab.controls import gait_choices
from footfall.lab.source import Live, Played, is_ahead
from footfall.model.layout import lower

if TYPE_CHECKING:
    from footfall.lab.page import Page

SPEEDS = {"1/50": 0.02, "1/20": 0.05, "1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "3": 3.0, "5": 5.0, "10": 10.0}
SPEEDS |= {"as fast as it can": math.inf}


class RunPanel:
    """What one does all the time."""

    def __init__(self, page: "Page"):
        self.page, gui, session = page, page.server.gui, page.session
        names = tuple(page.listed)
        self.study = gui.add_dropdown(
            "Study", names if session.name in names else (session.name, *names), initial_value=session.name
        )
        self.about = gui.add_markdown("")
        self.status = gui.add_markdown("")
        self.play = gui.add_button("Play", hint="or go on after a pause; after a fall, set it up again")
        self.steps = gui.add_button_group("", ("Step", "Reset", "Reset, disturbed"))
        self.marks = gui.add_button_group("", ("Bookmark", "Back to bookmark"))
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1", hint="simulated seconds in a second")
        self.disturbance = gui.add_slider(
            "Disturbance (m/s, rad/s)", 0.0, 1.0, 0.01, 0.1, hint="of velocities at a disturbed reset"
        )
        self.states = gui.add_markdown("")
        self.varying = gui.add_folder("Gaits and pushes")
        self._inside: list[Any] = []
        self.time: Any = None
        self._connect()
        self.renew()

    def _connect(self) -> None:
        session = self.page.session
        self.study.on_update(lambda _: self.page.choose(self.study.value))
        self.play.on_click(lambda _: session.do(session.pause if session.playing else session.play))
        self.speed.on_update(lambda _: session.do(lambda: session.speed(SPEEDS[self.speed.value])))
        self.steps.on_click(lambda _: session.do(self._steps(self.steps.value)))
        self.marks.on_click(lambda _: session.do(session.bookmark if self.marks.value == "Bookmark" else session.back))

    def _steps(self, which: str) -> Any:
        session = self.page.session
        disturbed = lambda: session.perturbed_reset(self.disturbance.value)  # noqa: E731
        return {"Step": session.step, "Reset": session.reset}.get(which, disturbed)

    # --- what belongs to the study ------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """For another motion: its gaits, its links, its time."""
        for handle in self._inside:
            handle.remove()
        self._inside, self.time = [], None
        page, session = self.page, self.page.session
        self.about.content = page.listed.get(session.name, session.name)
        if self.study.value != session.name and session.name in self.study.options:
            self.study.value = session.name
        with self.varying:
            if isinstance(session.source, Played):
                self._add_played(session.source)
            if isinstance(session.source, Live):
                self._add_gaits()
                self._add_pushes()

    def _add_played(self, source: Played) -> None:
        gui, session = self.page.server.gui, self.page.session
        self.time = gui.add_slider(
            "Time (s)", source.first, source.last, max((source.last - source.first) / 2000, 1e-4), source.first
        )
        self.time.on_update(lambda event: session.do(lambda: session.seek(float(self.time.value))) if event.client else None)
        self._inside.append(self.time)
        if not is_ahead(source.study):
            over = gui.add_button("Take over from here", hint="simulate live from this instant on")
            over.on_click(lambda _: session.do(session.take_over))
            self._inside.append(over)

    def _add_gaits(self) -> None:
        gui, session = self.page.server.gui, self.page.session
        for name, options, _ in gait_choices(session.source.now):
            short = name.replace("controller.", "").replace(".", " ")
            group = gui.add_button_group(short, options, hint=f"{name}: from the next tick on")
            group.on_click(lambda _, name=name, group=group: session.set(name, group.value))
            self._inside.append(group)

    def _add_pushes(self) -> None:
        gui, robot = self.page.server.gui, self.page.session.source.study.robot
        links = tuple(link.name for link in robot.links if robot.target(link.name).body)
        weight = float(f"{robot.mass * 9.81:.2g}")
        first = next((name for name in ("torso", "trunk", "pelvis", "hip") if name in links), links[0])
        self.on = gui.add_dropdown("Push on", links, initial_value=first, hint="or hold shift and drag a link")
        self.size = gui.add_slider("Force (N)", 0.0, 2 * weight, weight / 100, round(0.3 * weight, 3))
        self.angle = gui.add_slider("Upward (deg)", -90.0, 90.0, 5.0, 0.0)
        self.yaw = gui.add_slider("Direction (deg)", -180.0, 180.0, 5.0, 0.0, hint="0 forward, 180 backward; in space 90 is left")
        self.lasts = gui.add_slider("For (s)", 0.01, 1.0, 0.01, 0.1)
        button = gui.add_button("Push")
        button.on_click(lambda _: self.page.session.do(self._push))
        self._inside += [self.on, self.size, self.angle, self.yaw, self.lasts, button]

    def _push(self) -> None:
        a, b, robot = math.radians(self.angle.value), math.radians(self.yaw.value), self.page.session.source.study.robot
        ahead = self.size.value * math.cos(a)
        force = (ahead * math.cos(b), ahead * math.sin(b) if robot.dim == 3 else 0.0, self.size.value * math.sin(a))
        self.page.session.push(self.on.value, tuple(lower(np.array(force), robot.space).tolist()), float(self.lasts.value))
