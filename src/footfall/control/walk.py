"""A walk along footsteps: what its controllers have in common."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from footfall.control.believed import another_robot, believed_by
from footfall.control.controller import Controller
from footfall.control.fields import ControlError, array, states
from footfall.control.similar import similar
from footfall.control.walking.legs import LEFT, LIFT, YAW, Prepared, X, Y, Z, driven_legs, level, prepared, standing
from footfall.control.walking.start import start
from footfall.control.walking.steps import PHASES
from footfall.errors import ParameterError
from footfall.kinematics.two_legs import walker
from footfall.model.quantity import count, flag, quantity
from footfall.model.robot import Robot
from footfall.motion.footsteps import MOST_STEPS
from footfall.motion.support import apart
from footfall.world import Terrain

ROWS = [(0,), (None, 4), (None, 5)]  # shapes of footsteps
HIGHER = 0.92, 0.94, 0.96, 0.98  # of straight legs: heights of the hips of robots whose legs do not bend far
MOST_WAITING = 0.9  # of the time of a swing
NARROW = 1e-3  # m: a sole is at least as long and as wide
TOUCHING = 1e-9  # m: rounding, of soles side by side


@dataclass(frozen=True)
class Walk(Controller):
    """Footsteps, their times, and the gains of the body."""

    footsteps: tuple[tuple[float, ...], ...] = quantity(
        "m, rad",
        "where the feet are put, left and right in turn: x, y, z, yaw, perhaps lift; if left out, from steps, length, ...",
        (),
        shape=ROWS,
    )
    steps: int = count("number of steps; the last one closes the feet", 20, high=MOST_STEPS)
    length: float = quantity("m", "of a step", 0.417, low=-1.0, high=1.0)
    width: float = quantity("m", "from foot to foot", 0.20, low=0.05, high=1.0)
    turn: float = quantity("rad", "to the left, of every step", 0.0, low=-1.0, high=1.0)
    single_support: float = quantity("s", "of every step", 0.6, low=0.1, high=10.0)
    double_support: float = quantity("s", "between steps", 0.15, low=0.02, high=10.0)
    begin: float = quantity("s", "of standing before the first step", 0.8, low=0.1, high=100.0)
    lift: float = quantity("m", "of the swing foot above the higher of both places", 0.05, low=0.0, high=1.0)
    apex: float = quantity("1", "part of the swing at which it is highest", 0.5, low=0.05, high=0.95)
    delay: float = quantity("1", "part of the swing before it moves level", 0.0, low=0.0, high=0.9)
    hurry: float = quantity("1", "part of the swing after it has moved level", 0.0, low=0.0, high=0.9)
    descent: float = quantity("m/s", "of a foot that finds no ground in time", 0.2, low=0.0, high=2.0)
    height: float = quantity("m", "of the hips above the soles", 0.85, low=0.05, high=10.0)
    ahead: float = quantity("m", "of the ZMP from the ankle", 0.05, low=-0.5, high=0.5)
    gain: float = quantity("1/s", "at which errors of the DCM decay", 4.0, low=0.0, high=50.0)
    margin: float = quantity("m", "of the ZMP inside the soles", 0.009, low=0.0, high=0.1)
    whole: float = quantity("1", "part to which the whole body, not its pendulum, has the planned ZMP", 0.0, low=0.0, high=1.0)
    adjust: float = quantity("1", "part of the step adjustment that is made", 1.0, low=0.0, high=1.0)
    back: float = quantity("1", "part of its shift that the plan takes back with every step", 0.0, low=0.0, high=1.0)
    nearest: float = quantity("m", "that the feet may come to each other, sideways", 0.12, low=0.0)
    farthest: float = quantity("m", "that a foot is put from where it was planned", 0.25, low=0.0)
    frozen: float = quantity("s", "before touch-down in which the target of the swing foot stays", 0.05, low=0.0)
    feeling: float = quantity("s", "time constant of the slope that is felt", 2.0, low=1e-3, high=10.0)
    swing_stiffness: float = quantity("1/s2", "of the swing foot", 900.0, low=0.0)
    swing_damping: float = quantity("1/s", "of the swing foot", 60.0, low=0.0)
    body_stiffness: float = quantity("1/s2", "of attitude and height of the pelvis", 400.0, low=0.0)
    body_damping: float = quantity("1/s", "of attitude and height of the pelvis", 40.0, low=0.0)
    stance_damping: float = quantity("1/s", "of feet that stand", 20.0, low=0.0)
    friction: float = quantity("1", "part of the joints' friction that is compensated", 1.0, low=0.0, high=2.0)
    smooth: float = quantity("rad/s", "velocity at which 3/4 of the dry friction is compensated", 0.1, low=1e-3)
    lead: float = quantity("s", "by which a joint's commanded velocity is ahead", 0.01, low=0.0, high=1.0)

    servos: bool = flag("whether joints that no leg has are held by their own servos, not by torques", False)

    believed: Robot | None = another_robot()

    class State:
        phase: int = states(*PHASES)
        step: int = 0  # row of the plan of the foot that stands, or stood last
        since: float = 0.0  # s: when the phase began
        until: float = 0.0  # s: when it ends
        fresh: int = 0  # 1 at the tick in which a foot has landed
        offset: Any = array(2)  # m: by how much the plan is shifted
        shift: Any = array(2)  # m: and the next footstep besides
        place: Any = array(2, 4)  # x, y, z, yaw: where each foot stands or stood last
        swing: Any = array(3, 4)  # place, rate and acceleration of the swing foot's reference
        ankle: Any = array(2, 2)  # ZMP of the feet: of the one that stood and of the one that stands
        zmp: Any = array(2)  # commanded
        xi: Any = array(2)
        xi_ref: Any = array(2)
        high: float = 0.0  # m: height of the ground under the pelvis
        climb: Any = array(2)  # m/s, m/s2: its rate and acceleration
        yaw: float = 0.0
        slope: Any = array(2)  # dz/dx and dz/dy of the ground under the foot that stands

    def fitted(self, robot: Robot, **given: Any) -> Self:
        """The same walk for a robot of another size and shape, by similarity; what is given besides stays as given.

        The defaults are for JOHNNIE. Hips are higher where the stops of joints do not let legs bend as its do. Feet are as far
        apart as the legs hang, and the ZMP is planned in the middle of the soles.
        """
        walk = replace(self, **(similar(self, robot) | given))
        for ratio in HIGHER if "height" not in given else ():
            try:
                start(robot, walk)
                break
            except ParameterError:  # legs that do not bend so far
                walk = replace(walk, height=ratio * walker(robot).length)
        return walk

    def start(self, robot: Robot, terrain: Terrain | None = None) -> tuple[float, ...]:
        """Coordinates of the robot where this walk begins: standing with bent legs, its centre of mass above its feet."""
        return start(robot, self, terrain, balanced=True)

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Prepared:
        robot = self.model_for(robot)
        found = prepared(robot, q, gravity, self.plan(robot, q), self.servos)
        narrowest = float((found.high - found.low).min())
        if narrowest < NARROW:
            k = int((found.high - found.low).min(axis=1).argmin())
            pads = ", ".join(sorted({type(pad).__name__ for pad in robot.feet[k].pads}))
            raise ControlError(
                f"{type(self).__name__} needs feet with flat soles; that of foot {robot.feet[k].name!r} of robot {robot.name!r} "
                f"({len(robot.feet[k].pads)} {pads}) touches level ground over {found.high[k, 0] - found.low[k, 0]:.3g} m by "
                f"{found.high[k, 1] - found.low[k, 1]:.3g} m"
            )
        if self.margin >= 0.5 * narrowest:
            raise ControlError(
                f"{type(self).__name__}: margin must be below half the width of the soles of robot {robot.name!r}, "
                f"{0.5 * narrowest:g} m, got {self.margin:g}"
            )
        self.check_soles(robot, found)
        self.check_height(robot, found)
        if self.delay + self.hurry > MOST_WAITING:
            raise ControlError(
                f"{type(self).__name__}: delay and hurry must leave a part of the swing to move in: together at most "
                f"{MOST_WAITING:g}, got {self.delay:g} and {self.hurry:g}"
            )
        return found

    def model_for(self, robot: Robot) -> Robot:
        """The robot model that the law reckons with."""
        if self.believed is not None and getattr(self.believed, "coordinates", None) == robot.coordinates:
            driven_legs(robot)
        return believed_by(self, robot)

    def check_soles(self, robot: Robot, found: Prepared) -> None:
        """Refuse a footstep on the other foot: rectangles of the soles that overlap, seen from above."""
        soles = _rectangles(found)[1:]
        distance = apart(soles[:-1], soles[1:])
        onto = np.flatnonzero(distance < -TOUCHING)
        if len(onto):
            k = int(onto[0])
            this, other = robot.feet[k % 2].name, robot.feet[(k + 1) % 2].name
            raise ControlError(
                f"{type(self).__name__}: footstep {k + 1} of {len(distance)}, x {found.plan[k + 2, X]:.4g} m, y "
                f"{found.plan[k + 2, Y]:.4g} m, puts the sole of {this!r} onto that of {other!r}: they overlap by "
                f"{-distance[k]:.4g} m. Take a larger width, or other footsteps"
            )

    def check_height(self, robot: Robot, found: Prepared) -> None:
        """Refuse hips above what straight legs reach."""
        most = walker(robot).length
        if self.height >= most:
            raise ControlError(
                f"{type(self).__name__}: height must be below {most:g} m, where the leg of {robot.feet[0].name!r} of robot "
                f"{robot.name!r} is straight, got {self.height:g}"
            )

    def plan(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """Footsteps after those where the feet are: rows x, y, z, yaw, lift; left, right, left, ..."""
        driven_legs(robot)
        if len(self.footsteps):
            given = np.array(self.footsteps)
            if given.shape[1] == 5 and not ((given[:, LIFT] >= 0.0) & (given[:, LIFT] <= 1.0)).all():
                raise ControlError(
                    f"{type(self).__name__}: lifts of footsteps must be 0 to 1 m, got {given[:, LIFT].min():g}"
                    f" to {given[:, LIFT].max():g}"
                )
            return given if given.shape[1] == 5 else np.column_stack((given, np.full(len(given), self.lift)))
        feet = level(standing(robot, q))
        place, yaw, rows = feet[:, :2].mean(axis=0), feet[0, 3], []
        for k in range(self.steps):
            last = k == self.steps - 1
            yaw += self.turn if not last else 0.0
            ahead, left = np.array((np.cos(yaw), np.sin(yaw))), np.array((-np.sin(yaw), np.cos(yaw)))
            place = place + (self.length * ahead if not last else 0.0)
            side = 1.0 if k % 2 == LEFT else -1.0
            rows.append((*(place + 0.5 * side * self.width * left), feet[0, Z], yaw, self.lift))
        return np.array(rows).reshape(-1, 5)


def _rectangles(found: Prepared) -> np.ndarray:
    """(n, 4, 2) corners of the soles at the places of the plan, anticlockwise."""
    (back, right), (front, left) = found.low.T, found.high.T
    corners = np.stack([(back, right), (front, right), (front, left), (back, left)]).transpose(2, 0, 1)
    c, s = np.cos(found.plan[:, YAW]), np.sin(found.plan[:, YAW])
    turn = np.stack([(c, s), (-s, c)]).transpose(2, 0, 1)
    return found.plan[:, None, :2] + corners[np.arange(len(c)) % 2] @ turn
