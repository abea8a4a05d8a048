"""Coordinates without a sensor."""

from dataclasses import dataclass

from footfall.model.quantity import flag, words
from footfall.sensors.sensor import Channel, Sensor, SensorError, Wiring


@dataclass(frozen=True)
class Unmeasured(Sensor):
    """Coordinates and velocities that controllers cannot see: they stay as they are at the start, velocities at 0.

    A real robot knows neither its place nor its velocity in the world. With `Unmeasured(("base.x", "base.z"))` a controller has
    to do without, or to estimate them. Nor does it know which contacts touch, but by a FootForce.
    """

    names: tuple[str, ...] = words("names of coordinates other than quaternions; their velocities are hidden too", ())
    contacts: bool = flag("hide contact forces and modes (`obs.force`, `obs.mode`) too: they are 0", False)

    def wire(self, wiring: Wiring) -> None:
        robot = wiring.robot
        plain = [name for name in robot.coordinates if name in robot.velocities]
        if not self.names and not self.contacts:
            raise SensorError(f"Unmeasured: names must be some of {', '.join(plain)}")
        wiring.contacts = wiring.contacts and not self.contacts
        if not self.names:
            return
        for name in self.chosen("names", self.names, plain):
            j, d = robot.coordinates.index(name), robot.velocities.index(name)
            place, rate = wiring.add(Channel(f"q.{name}")), wiring.add(Channel(f"v.{name}"))
            wiring.constants |= {place: float(wiring.q[j]), rate: 0.0}
            wiring.to_q.append((place, j))
            wiring.to_v.append((rate, d))
