"""Workspace control of a standing robot: say where the central body shall be, and its legs take it there.

After Wendlandt and Sastry, "Recursive workspace control of multibody systems: a planar biped example" (1996), for any robot with
a floating body and legs with flat feet, in the plane and in space. Three methods:

    paper     their recursion: feet as heavy as the Earth, errors in body axes, the force shared evenly among the legs
    exact     feet that are truly fixed, errors in world axes, the force shared evenly
    optimal   accelerations that legs can follow even when straight; forces of least effort

The forces of `optimal` keep within friction, within what the motors can do, and with the centre of pressure in each sole.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from footfall import kinematics
from footfall.control.controller import ControlError, Controller
from footfall.control.reach import Reach, nearest
from footfall.control.soles import sole_corners, support, wrench_cone
from footfall.core.recursion.share import NO_LIMIT
from footfall.core.recursion.workspace_law import EXACT, OPTIMAL, PAPER, memory_size, workspace_law
from footfall.evaluate import Evaluation
from footfall.model.layout import rotation
from footfall.model.legs import stance
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot

METHODS = {"paper": PAPER, "exact": EXACT, "optimal": OPTIMAL}
LIGHT = 1e-6  # m2: rotors of the robot that resolves the motion, per mass of the central body
CALM = 10.0  # 1/s: how fast joints of a leg that cannot follow come to rest


@dataclass(frozen=True)
class Workspace(Controller):
    """Bring the central body to a goal and keep it there, the feet standing still.

    A pose is (x, z, pitch) in the plane and (x, y, z, roll, pitch, yaw) in space, of the body's centre of mass and axes. A goal
    that is out of reach is approached as far as the legs go ("optimal"); one that no force under the feet could hold is refused.
    A controller above this one (see Layered) answers with a pose too, in space with a rotation vector for its last three numbers.
    """

    rate: float = quantity("1/s", "how often it is asked", 100.0, low=0.01, high=1e6)
    target: tuple[float, ...] | None = quantity(
        "m, rad", "pose of the central body; where it starts if left out", None, shape=[(3,), (6,)]
    )
    method: str = choice("how forces are shared, see above", "optimal", METHODS)
    stiffness: float = quantity("1/s2", "of the error: e'' + damping e' + stiffness e = 0", 3.0, low=0.0)
    damping: float = quantity("1/s", "of the error", 2.46, low=0.0)
    sway: tuple[float, ...] | None = quantity(
        "m, rad", "the goal goes this far, and back; turning is a rotation vector", None, shape=[(3,), (6,)]
    )
    frequency: float = quantity("Hz", "how often it goes and comes back", 0.0, low=0.0)
    growth: float = quantity("Hz/s", "how fast that grows", 0.0)
    patience: float = quantity("s", "over which unknown forces on the body are found out; 0 for not at all", 0.0, low=0.0)
    friction: float = quantity("1", "of the ground, that forces are planned with (optimal)", 0.5, low=0.0)
    margin: float = quantity(
        "1", "part of the soles that a goal must be above and that pressure is planned in", 0.9, low=0.01, high=1.0
    )
    _numbers: Any = field(default=None, compare=False)
    _pose: Any = field(default=None, compare=False)

    def memory(self, robot: Robot) -> int:
        width = Evaluation(robot).algebra
        edges = 2 if robot.dim == 2 else sum(len(sole_corners(robot, foot.name)) for foot in robot.feet)  # or fewer
        rows = width.MOTION + len(robot.feet) * (4 if robot.dim == 2 else 16) + edges + _limited(robot)
        return memory_size(len(robot.tree.parent), robot.nv, len(robot.feet), rows, (width.INERTIA, width.MOTION))

    @property
    def numbers(self) -> Any:
        return self._numbers

    def first_goal(self, robot: Robot) -> np.ndarray:
        return self._pose

    def law(self) -> Any:
        return workspace_law

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "Workspace":
        self.check(robot, q)
        place, turn = self.place(robot, q)
        origin = kinematics.Pose(np.zeros(robot.dim), np.eye(robot.dim), 0.0 if robot.dim == 2 else None)
        return replace(
            self, _numbers=self._packed(robot, q), _pose=kinematics.pose_difference(origin, kinematics.Pose(place, turn))
        )

    # --- the goal ---------------------------------------------------------------------------------------------------------

    def place(self, robot: Robot, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place and rotation of the goal, as `kinematics.pose` gives them."""
        size = 3 if robot.dim == 2 else 6
        if self.target is None:
            here = kinematics.pose(robot, q, _body(robot), center_of(robot))
            return here.position, here.rotation
        if len(self.target) != size:
            names = "x, z, pitch" if size == 3 else "x, y, z, roll, pitch, yaw"
            raise ControlError(f"Workspace: goal of robot {robot.name!r} must be ({names}), got {self.target}")
        turn = self.target[2] if size == 3 else tuple(self.target[3:])
        R = rotation(turn)
        return np.array(self.target[: robot.dim]), R[np.ix_((0, 2), (0, 2))] if size == 3 else R

    def error(self, robot: Robot, q: np.ndarray, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """From a place and rotation to where the body is: way, then rotation vector."""
        here = kinematics.pose(robot, q, _body(robot), center_of(robot))
        return -kinematics.pose_difference(here, kinematics.Pose(place, turn))

    def pose(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """Where the body is: the place of its centre of mass, then its rotation vector."""
        return self.error(robot, q, np.zeros(robot.dim), np.eye(robot.dim))

    def reach(self, robot: Robot, q: np.ndarray) -> Reach:
        """The posture nearest to the goal that the legs can take from q, and what then is missing."""
        return nearest(robot, q, _body(robot), center_of(robot), self.place(robot, q), self.margin)

    def check(self, robot: Robot, q: np.ndarray) -> None:
        """Refuse a goal at which the robot would fall over whatever its motors do."""
        found = self.reach(robot, q)
        if found.outside > 0.0:
            raise ControlError(
                f"Workspace: with the body of {robot.name!r} at its goal {self.target} the centre of mass would be "
                f"{found.outside:.3f} m outside the support of the feet ({100 * self.margin:g} % of the soles); choose a goal "
                "nearer to them"
            )

    # --- numbers for the law ----------------------------------------------------------------------------------------------

    def _packed(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """In the order in which `workspace_law.unpack` takes them."""
        legs = stance(robot).legs
        corners = [sole_corners(robot, foot.name) for foot in robot.feet]
        middles = np.array([(rows.max(axis=0) + rows.min(axis=0)) / 2 for rows in corners])
        sizes = [((rows.max(axis=0) - rows.min(axis=0)) / 2)[:-1] for rows in corners]
        cones = [wrench_cone(self.margin * size, self.friction)[0] for size in sizes]
        mass = robot.tree.rigid[legs.center, 0]
        head = (METHODS[self.method], len(legs.foot), legs.center, len(cones[0]), _limited(robot), self.patience)
        driven = np.zeros(robot.nv)
        driven[robot.actuated] = 1.0
        edges = support(robot, q, self.margin)
        sway = np.zeros(3 if robot.dim == 2 else 6) if self.sway is None else np.array(self.sway)
        parts = (
            (*head, LIGHT * mass, CALM, len(edges)),
            legs.leg, legs.foot, legs.earth, middles, np.vstack(cones), *_limits(robot), driven, edges,
            center_of(robot), sway,
            (self.stiffness, self.damping, self.frequency, self.growth), q,
        )  # fmt: skip
        return np.concatenate([np.ravel(part) for part in parts])


def center_of(robot: Robot) -> tuple[float, ...]:
    """The centre of mass of the central body, in the axes of its link."""
    row = robot.tree.rigid[stance(robot).legs.center]
    return tuple((row[1 : 1 + robot.dim] / row[0]).tolist())


def _body(robot: Robot) -> str:
    return robot.layout.joints[stance(robot).legs.center - 1].child


def _limits(robot: Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Largest torques, and the stops of hinges; infinite where there are none."""
    torque, low, high = np.full(robot.nv, np.inf), np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)
    for i, joint in enumerate(robot.layout.joints, start=1):
        d = slice(robot.tree.first_v[i], robot.tree.first_v[i + 1])
        if joint.motor:
            torque[d] = joint.motor.strongest
        if joint.kind in ("revolute", "prismatic"):
            low[d], high[d] = joint.limits
    return torque, low, high


def _limited(robot: Robot) -> int:
    """Rows of the program for motors."""
    return 2 * int(np.sum(_limits(robot)[0] < NO_LIMIT))
