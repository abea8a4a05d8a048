"""Events that the loop noted, as rows of numbers, get their names."""

from typing import NamedTuple

import numpy as np

from footfall.engines.events import EVENTS, Event
from footfall.model.robot import Robot


class Naming(NamedTuple):
    """What the numbers in a row of an event mean."""

    robot: Robot
    pads: tuple[str, ...]
    dof: np.ndarray  # of each joint constraint
    marks: tuple[str, ...]  # of falls
    shapes: int  # marks of shapes; bounds come after
    lowest: np.ndarray  # m, the bounds

    def named(self, time: float, kind: float, which: float, first: float, second: float) -> Event:
        """The event of a row."""
        label, index = EVENTS[int(kind)], int(which)
        if label == "stop":
            name, numbers = self.robot.velocities[self.dof[index]], {"coordinate": first, "velocity": second}
        elif label == "fall":
            name, bound = self.marks[index], index - self.shapes
            numbers = {"lowest m": float(self.lowest[bound])} if bound >= 0 else {}
        elif label.startswith("hinge"):
            name, numbers = self.robot.loops[index].name, {"force N": first, "energy lost J": second}
        else:
            name, numbers = self.pads[index], {}
            if label == "touch-down":
                numbers = {"normal velocity m/s": first}
            elif label == "slip ends":
                numbers = {"slid m": first}
            elif label == "impact":
                numbers = {"impulse N s": first, "energy lost J": second}
        return Event(time, label, name, numbers)

    def all_named(self, rows: np.ndarray) -> tuple[Event, ...]:
        """The events of a whole run, in the order of time."""
        return tuple(sorted((self.named(*row) for row in rows.tolist()), key=lambda event: event.time))


def what_fell(fall: Event) -> str:
    """What a fall was."""
    low = fall.numbers.get("lowest m")
    return f"{fall.which} touched the ground" if low is None else f"{fall.which} was lower than {low:g} m above the ground"
