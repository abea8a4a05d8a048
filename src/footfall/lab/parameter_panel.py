"""The panel of parameters: one group at a time, from what is declared."""

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import studies
from footfall.errors import FootfallError
from footfall.lab.controls import add_control, goals, groups, label_of, set_line, starts_again, text_of
from footfall.lab.source import Live
from footfall.sim.parameters import Parameter
from footfall.sim.parameters import parameters as parameters_in
from footfall.sim.study import Study
from footfall.world import Flat, Slope, Stairs, Waves, random_hills

if TYPE_CHECKING:
    from footfall.lab.page import Page

GROUNDS = {
    "level": lambda: Flat(),
    "3 degrees up": lambda: Slope(0.0524),
    "3 degrees down": lambda: Slope(-0.0524),
    "hills": lambda: random_hills(0.03, 2.5, seed=3),
    "waves of 2 cm": lambda: Waves(((0.02, 1.5, 0.0, 0.0),)),
    "stairs of 3 cm": lambda: Stairs(0.03, 0.5, count=100, start=1.0),
}
AS_IT_IS = "as it is"
GOALS, OWN = "goals", "study (starts again)"
MOST = 80  # controls in a group


class ParameterPanel:
    """A list of groups, and the controls of the chosen one."""

    def __init__(self, page: "Page"):
        self.page, gui = page, page.server.gui
        self.group = gui.add_dropdown("Group", ("world",), initial_value="world")
        self.group.on_update(lambda _: page.session.do(self.fill))
        self.folder = gui.add_folder("Parameters")
        self.buttons = gui.add_button_group("", ("Defaults", "Show --set line"))
        self.buttons.on_click(lambda _: page.session.do(self._defaults if self.buttons.value == "Defaults" else self._line))
        self.line = gui.add_markdown("")
        self._inside: list[Any] = []
        self.own: dict[str, Any] = {}  # of the study's own parameters: those that were changed
        self.renew()

    @property
    def _now(self) -> Study:
        return self.page.session.source.now

    def renew(self) -> None:
        """For another motion."""
        found = list(groups(self._now))
        if isinstance(self.page.session.source, Live) and goals(self._now):
            found.insert(0, GOALS)
        if self.page.session.name in studies.names():
            found.append(OWN)
        controllers = [name for name in found if name.startswith("controller")]
        before = self.group.value
        self.group.options = tuple(found)
        wanted = before if before in found and before != "world" else (controllers or ["world"])[-1]
        if self.group.value != wanted:
            self.group.value = wanted
        self.fill()

    def fill(self) -> None:
        """Controls of the group, with the values that are in force."""
        for handle in self._inside:
            handle.remove()
        self._inside, self.line.content, gui = [], "", self.page.server.gui
        group, session = self.group.value, self.page.session
        with self.folder:
            if group == GOALS:
                self._add_goals()
            elif group == OWN:
                for each in studies.parameters(session.name, **self.own):
                    if "." not in each.name or each.name.startswith("robot."):
                        self._inside.append(add_control(gui, each, self._own))
            else:
                if group == "world":
                    self._add_grounds()
                for each in self._shown(group):
                    self._inside.append(add_control(gui, each, self._changed))

    def _add_grounds(self) -> None:
        """A list of grounds; another one begins the run again."""
        session = self.page.session
        choice = self.page.server.gui.add_dropdown("ground", (AS_IT_IS, *GROUNDS), hint="world.terrain; starts the run again")

        def begin() -> None:
            if choice.value in GROUNDS:
                session.restart_with("world.terrain", GROUNDS[choice.value]())

        choice.on_update(lambda _: session.do(begin))
        self._inside.append(choice)

    def _shown(self, group: str) -> list[Parameter]:
        """Parameters of a group; gravity that is left to the robot has the robot's value."""
        now = self._now
        found = groups(now).get(group, [])[:MOST]
        return [Parameter(p.name, p.rule, p.needed, p.default, now.gravity) if p.name == "world.gravity" else p for p in found]

    def _changed(self, name: str, value: Any) -> None:
        session = self.page.session
        if starts_again(name):
            session.do(lambda: session.restart_with(name, value))
        else:
            session.set(name, value)

    def _own(self, name: str, value: Any) -> None:
        session = self.page.session

        def begin() -> None:
            study = (
                studies.load(session.name, **self.own, **{name: value})
                if name not in self.own
                else studies.load(session.name, **(self.own | {name: value}))
            )
            self.own[name] = value
            playing = session.playing
            session.load(study, session.name)
            session.playing = playing

        session.do(begin)

    def _add_goals(self) -> None:
        gui, session = self.page.server.gui, self.page.session
        assert isinstance(session.source, Live)
        for goal in goals(self._now):
            value = goal_value(session.source, goal)
            rule = goal.rule().metadata
            if goal.shape:
                each = gui.add_text(
                    label_of(goal.name), text_of(tuple(np.ravel(value).tolist())), hint=f"{goal.name}: numbers with commas"
                )
                each.on_update(lambda _, goal=goal, each=each: session.do(lambda: self._row(goal, each.value)))
            else:
                known = Parameter(goal.name, rule, False, None, int(value) if rule["kind"] == "count" else float(value))
                each = add_control(gui, known, self._changed)
            self._inside.append(each)

    def _row(self, goal: Any, text: str) -> None:
        try:
            numbers = np.array([float(word) for word in text.split(",")]).reshape(goal.shape)
        except ValueError:
            raise FootfallError(
                f"{goal.name} takes {int(np.prod(goal.shape))} numbers with commas between, got {text!r:.60}"
            ) from None
        self.page.session.set(goal.name, tuple(map(tuple, numbers.tolist())) if numbers.ndim > 1 else tuple(numbers.tolist()))

    def _defaults(self) -> None:
        session = self.page.session
        start = {each.name: each.value for each in parameters_in(session.start, parts=True)}
        for each in groups(self._now).get(self.group.value, []):
            if each.name in start and start[each.name] != each.value:
                self._changed(each.name, start[each.name] if start[each.name] is not None else "none")
        session.do(lambda: session.do(self.fill))  # after they are set

    def _line(self) -> None:
        session = self.page.session
        self.line.content = f"```\n{set_line(session.name, session.start, self._now)}\n```"


def goal_value(source: Live, goal: Any) -> Any:
    """What a goal is at present."""
    return np.array(source.simulation.runtime.layers[goal.layer].goal[goal.field.name])
