"""The page of a lab: panels and scene of one session, on a guarded server. All of it is changed by the session's thread."""

import math
import time
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.lab import catalogue
from footfall.lab.drag import Drags
from footfall.lab.keep import Keeper
from footfall.lab.overlays import Overlays
from footfall.lab.panels import KeepPanel, PlotPanel, ViewPanel
from footfall.lab.parameter_panel import ParameterPanel
from footfall.lab.run_panel import RunPanel
from footfall.lab.scene import Scene
from footfall.lab.session import Frame, Session
from footfall.view import stage

STATUS, OVERLAYS, PLOTS = 0.25, 0.033, 0.12  # s: between updates of each


class Page:
    """Shows a session, and hands on what is clicked."""

    def __init__(self, server: Any, session: Session, folder: Path = Path("lab"), shadows: bool = True):
        self.server, self.session, self.shadows = server, session, shadows
        self.listed = catalogue.listed()
        self.frames, self._due = 0, {"status": 0.0, "overlays": 0.0, "plots": 0.0}
        self.keeper = Keeper(session, folder)
        server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large", brand_color=(31, 95, 168))
        server.gui.main_panel.dock_right()
        stage.prepare(server.scene)
        self._set_scene()
        tabs = server.gui.add_tab_group()
        with tabs.add_tab("Run"):
            self.run = RunPanel(self)
        with tabs.add_tab("Parameters"):
            self.parameters = ParameterPanel(self)
        with tabs.add_tab("Plots"):
            self.plots = PlotPanel(self)
        with tabs.add_tab("View"):
            self.view = ViewPanel(self)
        with tabs.add_tab("Keep"):
            self.keep = KeepPanel(self)
        session.on_frame, session.on_change, session.on_message = self.frame, self.renew, self.say
        session.on_obeyed = self._obeyed
        self.scene.show(session.source.state()[0], 0.0, None)
        self._status()

    def _set_scene(self) -> None:
        study = self.session.source.study
        self.scene = Scene(self.server, study.robot, study.world.terrain_at(self.session.source.time), self.shadows)
        self.overlays = Overlays(self.scene)
        self.drags = Drags(self.session, self.scene)

    def choose(self, name: str) -> None:
        """Open another study of the list."""
        session = self.session

        def load() -> None:
            if name == session.name or name not in self.listed:
                return
            session.say(f"opening {name} ...")
            self.parameters.own = {}
            session.load(catalogue.opened(name), name)
            session.play()
            session.say(f"{name} is open")

        session.do(load)

    # --- called by the session's thread -------------------------------------------------------------------------------------

    def renew(self) -> None:
        """The motion is another one."""
        study = self.session.source.study
        with self.server.atomic():
            if study.robot is not self.scene.robot and study.robot != self.scene.robot:
                shown = {name: overlay.shown for name, overlay in self.overlays.each.items()}
                self._set_scene()
                self.scene.following = self.view.follow.value
                for name, on in shown.items():
                    self.overlays.each[name].shown = on
            self.scene.snap()
            self.scene.set_ground(study.world.terrain_at(self.session.source.time))
            self.scene.drop_ghost()
            self.scene.show(self.session.source.state()[0], 0.0, None)  # a study may compile before its first frame
            self.overlays.clear()
            self.run.renew()
            self.parameters.renew()
            self.plots.renew()
        self._status()

    def frame(self, frame: Frame) -> None:
        """Show an instant."""
        now, source = time.perf_counter(), self.session.source
        with self.server.atomic():
            self.scene.show(frame.q, frame.passed, frame.ghost)
            if self._is_due("overlays", now, OVERLAYS):
                self.scene.set_ground(source.now.world.terrain_at(frame.time))
                for name, wrong in self.overlays.update(source, self.session.slow):
                    self.view.switches[name].value = False
                    self.say(f"{name}: {wrong}", True)
        self.frames += 1
        if self._is_due("status", now, STATUS):
            self._status()
        if self._is_due("plots", now, PLOTS):
            try:
                self.plots.update()
            except (FootfallError, ValueError, ArithmeticError) as error:
                self.say(f"plot: {error}", True)

    def _obeyed(self) -> None:
        self._due["overlays"] = -math.inf  # another choice of them is seen at once
        self._status()

    def _is_due(self, what: str, now: float, every: float) -> bool:
        if not self.session.playing or now - self._due[what] >= every:
            self._due[what] = now
            return True
        return False

    def _status(self) -> None:
        session, clock = self.session, self.session.clock
        state = "playing" if session.playing else session.source.over or "paused"
        if fallen := getattr(session.source, "down", ""):
            state += f"; {fallen}"
        kind = "live" if session.source.live else "played back"
        factor = clock.factor if session.playing else 0.0
        lost = f", {clock.lost:.1f} s lost" if clock.lost > 0.05 else ""
        lines = [
            f"**{session.source.time:.2f} s** {kind}, {state}; {clock.played:.0f} s on the wall",
            f"{factor:.2f} times real time, clock error {1e3 * clock.rms:.1f} ms rms{lost}",
            *(f"*{text}*" for text in list(session.messages)[-2:]),
        ]
        self.run.status.content = "  \n".join(lines)
        wanted = "Pause" if session.playing else "Play"
        if self.run.play.label != wanted:
            self.run.play.label = wanted
        self.plots.states(self.run.states)
        if self.run.time is not None and abs(self.run.time.value - session.source.time) > 1e-9:
            self.run.time.value = min(max(session.source.time, self.run.time.min), self.run.time.max)

    def say(self, text: str, bad: bool) -> None:
        """Show a message; errors stay until they are read."""
        if bad:
            for client in self.server.get_clients().values():
                client.add_notification("Footfall", text[:600], color="red", auto_close_seconds=12.0)
        self._status()
