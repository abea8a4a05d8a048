"""The other panels: plots, what is seen, what is kept."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from footfall.errors import FootfallError, UnknownNameError
from footfall.lab.charts import CHARTS, SPAN, chart, series_of, state_text, step_table
from footfall.lab.keep import KINDS
from footfall.lab.portrait import Portrait
from footfall.sim.abilities import why_not

if TYPE_CHECKING:
    from footfall.lab.page import Page

NONE, STEPS, PORTRAIT = "none", "step table", "phase portrait"
KEPT = 24  # charts that are not seen now
SELDOM = 8  # portraits and tables are drawn so many times less often than charts


class PlotPanel:
    """Two charts, chosen by name."""

    def __init__(self, page: "Page"):
        self.page, gui = page, page.server.gui
        names = (NONE, *CHARTS, PORTRAIT, STEPS)
        self.choices = [
            gui.add_dropdown(f"Plot {i + 1}", names, initial_value=first) for i, first in enumerate(("joint angles", NONE))
        ]
        self.columns = gui.add_text(
            "Columns", "", hint="by name with commas, instead of plot 1: q.hip, tau.hip, force.left/heel.z"
        )
        self.joint = gui.add_dropdown("Joint of the portrait", ("-",))
        self.cycle = gui.add_button("Find the limit cycle", hint="and draw it into the phase portrait, with its multipliers")
        self.cycle.on_click(lambda _: page.session.do(self._find))
        self.columns.on_update(lambda _: page.session.do(lambda: self.update(always=True)))
        for each in (*self.choices, self.joint):
            each.on_update(lambda _: page.session.do(lambda: self.update(always=True)))
        self.text = gui.add_markdown("")
        self._made: list[Any] = [None, None]  # the key of what is seen
        self._things: tuple[dict[Any, Any], ...] = (
            {},
            {},
        )  # charts, tables and pictures; a page may be told yet of one that is gone
        self._turn, self._wrong = 0, ""
        self.portrait = Portrait()
        self.renew()

    def renew(self) -> None:
        study = self.page.session.source.study
        known = tuple(name for name in study.robot.velocities if not name.startswith("base.") or name.endswith("pitch")) or ("-",)
        if self.joint.options != known:
            self.joint.options = known
        self.cycle.visible = not why_not(study)["cycle"]
        self.portrait = Portrait()
        self.text.content = ""

    def update(self, always: bool = False) -> None:
        """Draw what is chosen, from the last rows."""
        self._turn += 1
        seldom = always or self._turn % SELDOM == 0
        columns = [name.strip() for name in self.columns.value.split(",") if name.strip()]
        for i, choice in enumerate(self.choices):
            what, row = choice.value, columns if i == 0 else []
            if what == NONE and not row:
                self._drop(i)
            elif what in (STEPS, PORTRAIT) and not row:
                if seldom:
                    self._seldom(i, what)
            else:
                self._chart(i, what, row)

    def _chart(self, i: int, what: str, columns: list[str]) -> None:
        try:
            found = chart(self.page.session.source.window(SPAN), what, columns)
            self._wrong = ""
        except UnknownNameError as error:
            if self._wrong != str(error):  # once
                self._wrong = str(error)
                raise
            return
        axes = ({"label": "time (s)"}, {"label": found.unit, "size": 60})
        look = {"series": series_of(found), "title": ", ".join(columns)[:40] or what, "axes": axes, "height": 260}
        add = partial(self.page.server.gui.add_uplot, scales={"x": {"time": False}}, **look)
        self._show(i, (what, *found.lines, *columns), add, data=(found.time, *found.lines.values()))

    def _seldom(self, i: int, what: str) -> None:
        gui, source = self.page.server.gui, self.page.session.source
        if what == STEPS:
            self._show(i, STEPS, gui.add_markdown, content=step_table(source.window(30.0)))
        else:
            self._show(i, PORTRAIT, gui.add_image, image=self.portrait.draw(source.window(SPAN), self.joint.value))

    def _show(self, i: int, key: Any, add: Callable[..., Any], **values: Any) -> None:
        """Let something be seen, with these values; what was seen before is hidden and kept."""
        things = self._things[i]
        if self._made[i] != key:
            self._drop(i)
            self._made[i] = key
        if key not in things:
            if len(things) >= KEPT:
                things.pop(next(iter(things))).remove()
            things[key] = add(order=self.choices[i].order + 0.5, **values)
            return
        for name, value in values.items():
            setattr(things[key], name, value)
        if not things[key].visible:
            things[key].visible = True

    def _drop(self, i: int) -> None:
        if self._made[i] is not None:
            self._things[i][self._made[i]].visible = False
        self._made[i] = None

    def states(self, handle: Any) -> None:
        """The states of the controllers, by name."""
        run = self.page.session.source.window(0.0)
        text = state_text(run) if len(run.time) else ""
        if handle.content != text:
            handle.content = text

    def _find(self) -> None:
        """Look for the limit cycle, beside the session."""
        session, portrait = self.page.session, self.portrait
        study = session.source.now
        session.say("looking for the limit cycle ...")

        def look() -> None:
            try:
                text = portrait.find_cycle(study)
            except FootfallError as error:
                session.do(lambda error=error: session.say(str(error), bad=True))  # type: ignore[misc]
                return
            session.do(lambda: self._found(text))

        threading.Thread(target=look, name="footfall lab cycle", daemon=True).start()

    def _found(self, text: str) -> None:
        self.text.content = text
        self.page.session.say("the limit cycle is in the phase portrait")
        if PORTRAIT not in [each.value for each in self.choices]:
            self.choices[1].value = PORTRAIT
        self.update(always=True)


class ViewPanel:
    """What is seen, and from where; the ghost."""

    def __init__(self, page: "Page"):
        gui, session = page.server.gui, page.session
        self.follow = gui.add_checkbox("Follow the robot", True, hint="the camera tracks the centre of mass")

        def follow(_: Any) -> None:
            page.scene.following = self.follow.value

        self.follow.on_update(follow)
        gui.add_button("Camera back").on_click(lambda event: page.scene.look_again(event.client) if event.client else None)
        with gui.add_folder("Overlays"):
            self.switches = {}
            for name, overlay in page.overlays.each.items():
                switch = gui.add_checkbox(name, overlay.shown, hint=overlay.help)
                switch.on_update(lambda _, name=name, switch=switch: session.do(lambda: page.overlays.switch(name, switch.value)))
                self.switches[name] = switch
        with gui.add_folder("Compare"):
            self.ghost = gui.add_button_group("", ("Begin with a ghost", "No ghost"))
            self.ghost.on_click(
                lambda _: session.do(session.compare if self.ghost.value == "Begin with a ghost" else session.no_ghost)
            )
            gui.add_markdown("The ghost does again what was done until now. Change parameters and see the difference.")


class KeepPanel:
    """Files of what was done."""

    def __init__(self, page: "Page"):
        gui, session = page.server.gui, page.session
        self.kind = gui.add_dropdown("Keep", tuple(KINDS))
        self.seconds = gui.add_slider(
            "Last seconds", 1.0, 60.0, 1.0, 20.0, hint="of recordings and films; a run is kept from its start on"
        )
        gui.add_button("Write").on_click(
            lambda _: session.do(lambda: page.keeper.keep(self.kind.value, float(self.seconds.value)))
        )
        replays = "A run replays to the bit: `ff.Run.load(path).replay()`."
        gui.add_markdown(f"Files are written into `{page.keeper.folder}` where the lab was started. {replays}")
