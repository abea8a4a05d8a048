"""Workspace control of a standing robot: its legs take the central body to a given pose.

After Wendlandt and Sastry, "Recursive workspace control of multibody systems: a planar biped example" (1996), for any robot with
a floating body and legs with flat feet, in the plane and in space. Three methods:

    paper     their recursion: feet as heavy as the Earth, errors in body axes, the force shared evenly among the legs
    exact     feet that are truly fixed, errors in world axes, the force shared evenly
    optimal   accelerations that legs can follow even when straight; forces of least effort

The forces of `optimal` respect friction, motor limits, and the centre of pressure in each sole.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall import kinematics
from footfall.control.controller import Controller
from footfall.control.fields import ControlError, array
from footfall.control.model import Model, model_of
from footfall.control.reach import Reach, nearest
from footfall.control.soles import in_body, sole_axes, sole_rectangle, support, wrench_cone
from footfall.core.jit import kernel
from footfall.core.manifold import difference
from footfall.core.qp import INFEASIBLE, SOLVED, Program, program
from footfall.core.recursion.balance import Soles, set_rest
from footfall.core.recursion.fixed_feet import Ties
from footfall.core.recursion.follow import NO_LIMIT, Scratch, brake, resolve, respond, restrain, settle, soften
from footfall.core.recursion.share import distribute_forces
from footfall.core.recursion.task import BODY_AXES, WORLD_AXES, Task, wanted
from footfall.core.recursion.workspace import (
    Legs,
    big_base_dynamics,
    fixed_feet_dynamics,
    propagate_force,
    propagate_velocity,
    workspace_force,
)
from footfall.core.spatial.algebra import MOTION, add, add_scaled, get_motion, no_motion, put_motion, subtract
from footfall.evaluate import Evaluation
from footfall.model.layout import rotation
from footfall.model.legs import stance
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot

PAPER, EXACT, OPTIMAL = 0, 1, 2
METHODS = {"paper": PAPER, "exact": EXACT, "optimal": OPTIMAL}
LIGHT = 1e-6  # m2: rotors of the robot that resolves the motion, per mass of the central body
FIRM = 1e-3  # feet of that robot, over those of the big base: straight legs that push each other must give way a little
CALM = 10.0  # 1/s: how fast joints of a leg that cannot follow come to rest
POSTURE = 100.0, 20.0  # 1/s2, 1/s: joints that belong to no leg keep their posture with these


class Prepared(NamedTuple):
    """The robot model of the law, and its working arrays."""

    model: Model
    legs: Legs
    soles: Soles
    method: Any  # PAPER, EXACT or OPTIMAL
    pose: Any  # (1, MOTION) of the goal
    point: Any  # (1, DIM) the body's centre of mass, in its axes
    sway: Any  # (1, MOTION)
    posture: Any  # (nq,) at the start
    light: Any  # kg m2: rotors of the robot that resolves the motion
    ties: Ties
    still: Any  # (nv,) zeros
    wrench: Any  # (legs, MOTION) of each leg on the body
    scratch: Scratch
    program: Program


@dataclass(frozen=True)
class Workspace(Controller):
    """Bring the central body to a goal and keep it there, the feet standing still.

    A pose is (x, z, pitch) in the plane and (x, y, z, roll, pitch, yaw) in space, of the body's centre of mass and axes. A goal
    that is out of reach is approached as far as the legs go ("optimal"); one that no force under the feet could hold is refused.
    A controller above this one (see Layered) sets a pose too, in space with a rotation vector for its last three numbers.
    """

    rate: float = quantity("1/s", "how often the law is called", 100.0, low=0.01, high=1e6)
    target: tuple[float, ...] | None = quantity(
        "m, rad",
        "pose of the central body: x, z, pitch in the plane, x, y, z, roll, pitch, yaw in space; where it starts if left out",
        None,
        shape=[(3,), (6,)],
    )
    method: str = choice("how forces are shared, see above", "optimal", METHODS)
    stiffness: float = quantity("1/s2", "of the error: e'' + damping e' + stiffness e = 0", 3.0, low=0.0)
    damping: float = quantity("1/s", "of the error", 2.46, low=0.0)
    sway: tuple[float, ...] | None = quantity(
        "m, rad", "amplitude of the motion of the goal; turning is a rotation vector", None, shape=[(3,), (6,)]
    )
    frequency: float = quantity("Hz", "frequency of the motion of the goal", 0.0, low=0.0)
    growth: float = quantity("Hz/s", "rate at which the frequency grows", 0.0)
    patience: float = quantity(
        "s", "time constant of the estimate of unknown forces on the body; 0 for no estimate", 0.0, low=0.0
    )
    friction: float = quantity("1", "friction of the ground for planning forces (optimal)", 0.5, low=0.0)
    margin: float = quantity(
        "1",
        "part of the soles in which the centre of pressure is planned, and above which goals must be",
        0.9,
        low=0.01,
        high=1.0,
    )

    class State:
        time: float = 0.0  # s: of the last tick
        velocity: Any = array(1, "motion")  # of the central body then
        accel: Any = array(1, "motion")  # that it was to have from then on
        drift: Any = array(1, "motion")  # acceleration that nothing explains
        stuck: int = 0  # row of the program that cannot be satisfied, from 1; 0 if all can

    class Goal:
        pose: Any = array(1, "motion")  # place of the body's centre of mass, and its rotation vector

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Prepared:
        self.check(robot, q)
        place, turn = self.place(robot, q)
        origin = kinematics.Pose(np.zeros(robot.dim), np.eye(robot.dim), 0.0 if robot.dim == 2 else None)
        legs, algebra = stance(robot).legs, Evaluation(robot).algebra
        width, bodies, feet = algebra.MOTION, len(robot.tree.parent), len(robot.feet)
        if self.sway is not None and len(self.sway) != width:
            raise ControlError(f"Workspace: sway of robot {robot.name!r} must have {width} entries, got {self.sway}")
        if METHODS[self.method] == OPTIMAL:
            legs = legs._replace(earth=FIRM * legs.earth)
        soles = self._soles(robot, q)
        rows = width + len(soles.cone) + len(soles.edge) + _limited(robot)
        return Prepared(
            model=model_of(robot, gravity),
            legs=legs,
            soles=soles,
            method=METHODS[self.method],
            pose=kinematics.pose_difference(origin, kinematics.Pose(place, turn)).reshape(1, width),
            point=np.array([center_of(robot)]),
            sway=np.zeros((1, width)) if self.sway is None else np.array([self.sway]),
            posture=q,
            light=LIGHT * robot.tree.rigid[legs.center, 0],
            ties=Ties(np.zeros((bodies, algebra.INERTIA)), np.zeros((bodies, width)), np.zeros(robot.nv)),
            still=np.zeros(robot.nv),
            wrench=np.zeros((feet, width)),
            scratch=_scratch(robot, width),
            program=program(width * (1 + feet), rows),
        )

    def _soles(self, robot: Robot, q: np.ndarray) -> Soles:
        """The limits of the feet."""
        names = [foot.name for foot in robot.feet]
        middles, sizes = zip(*(sole_rectangle(robot, name) for name in names), strict=True)
        cones = [
            in_body(wrench_cone(self.margin * size, self.friction)[0], sole_axes(robot, name), robot.space)
            for name, size in zip(names, sizes, strict=True)
        ]
        driven = np.zeros(robot.nv)
        driven[robot.actuated] = 1.0
        return Soles(np.array(middles), np.vstack(cones), *_limits(robot), driven, support(robot, q, self.margin))

    @kernel
    def law(obs, params, state, goal, command):
        """Wendlandt's block diagram: velocities, workspace dynamics, workspace force, force propagation."""
        return move_body(obs, params, state, goal, command.tau)

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
        """From a place and rotation to the pose of the body: displacement, then rotation vector."""
        here = kinematics.pose(robot, q, _body(robot), center_of(robot))
        return -kinematics.pose_difference(here, kinematics.Pose(place, turn))

    def pose(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """Where the body is: the place of its centre of mass, then its rotation vector."""
        return self.error(robot, q, np.zeros(robot.dim), np.eye(robot.dim))

    def reach(self, robot: Robot, q: np.ndarray) -> Reach:
        """The posture nearest to the goal that the legs can take from q, and what then is missing."""
        return nearest(robot, q, _body(robot), center_of(robot), self.place(robot, q), self.margin)

    def check(self, robot: Robot, q: np.ndarray) -> None:
        """Refuse a goal at which no motor torques could keep the robot standing."""
        found = self.reach(robot, q)
        if found.outside > 0.0:
            raise ControlError(
                f"Workspace: with the body of {robot.name!r} at its goal {self.target} the centre of mass would be "
                f"{found.outside:.3f} m outside the support of the feet ({100 * self.margin:g} % of the soles); choose a goal "
                "nearer to them"
            )


@kernel(exact=True)
def move_body(obs, params, state, goal, tau):
    tree, work, legs, ties = params.model.tree, params.model.work, params.legs, params.ties
    task = Task(params.point, goal.pose, params.sway, params.stiffness, params.damping, params.frequency, params.growth)
    propagate_velocity(tree, work, obs.q, obs.v)
    A = wanted(task, work, legs.center, obs.time, BODY_AXES if params.method == PAPER else WORLD_AXES)
    drift = unexplained(state, work, legs.center, obs.time, params.patience)
    A = subtract(A, drift)
    if params.method == OPTIMAL:
        soles, scratch, p = params.soles, params.scratch, params.program
        rows = MOTION + len(soles.cone) + len(soles.edge)
        set_urge(obs, params, scratch)
        set_rest(tree, work, legs, soles, scratch.rest)
        put_motion(scratch.wish, 0, A)
        resolve(tree, work, legs, scratch)
        if soften(tree, work, legs, scratch) > 0:
            resolve(tree, work, legs, scratch)
        brake(tree, soles, scratch, obs.q, obs.v)
        restrain(tree, work, legs, scratch)
        settle(tree, work, legs, scratch)
        respond(tree, work, legs, scratch)
        status, row = distribute_forces(tree, work, legs, soles, scratch, p, tau)
        state.stuck = row + 1
        if status == INFEASIBLE and len(p.c) > rows:  # the motors will do what they can
            status, row = distribute_forces(tree, work, legs, soles, scratch, without_motors(p, rows), tau)
        if status != SOLVED:
            return 1
        A = get_motion(scratch.got, 0)
    else:
        if params.method == PAPER:
            big_base_dynamics(tree, work, legs, params.still)
        else:
            fixed_feet_dynamics(tree, work, legs, ties, params.still)
        F = workspace_force(work, legs, A)
        for l in range(len(legs.foot)):  # (3.24)
            put_motion(params.wrench, l, add_scaled(no_motion(), F, 1.0 / len(legs.foot)))
        propagate_force(tree, work, legs, params.wrench, tau)
    put_motion(state.accel, 0, add(A, drift))
    return 0


@kernel
def unexplained(state, work, center, time, patience):
    """Acceleration of the central body that the last command does not explain, smoothed over `patience` seconds."""
    V = get_motion(work.V_WB, center)
    passed = time - state.time
    if passed > 0.0 and patience > 0.0:
        surprise = subtract(
            subtract(V, get_motion(state.velocity, 0)), add_scaled(no_motion(), get_motion(state.accel, 0), passed)
        )
        put_motion(state.drift, 0, add_scaled(get_motion(state.drift, 0), surprise, 1.0 / max(patience, passed)))
    put_motion(state.velocity, 0, V)
    state.time = time
    return get_motion(state.drift, 0)


@kernel
def set_urge(obs, params, scratch):
    """Light rotors in all joints: those of legs are to come to rest, the others to keep their posture."""
    tree, legs, light = params.model.tree, params.legs, params.light
    difference(tree, obs.q, params.posture, scratch.urge)
    for i in range(1, len(tree.parent)):
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            scratch.light[d] = 0.0 if i == legs.center else light
            if legs.leg[i] > 0.0:
                scratch.urge[d] = -light * CALM * obs.v[d]
            else:
                scratch.urge[d] = scratch.light[d] * (POSTURE[0] * scratch.urge[d] - POSTURE[1] * obs.v[d])


@kernel
def without_motors(p, m):
    """The same program with its first m rows only."""
    return Program(p.H, p.g, p.C[:m], p.c[:m], p.x, p.pull[:m], p.Q, p.R, p.d, p.z, p.r, p.u, p.row, p.sign[:m])


def _scratch(robot: Robot, width: int) -> Scratch:
    nv, legs = robot.nv, len(robot.feet)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("a", "tau", "light", "urge", "least", "most", "kept", "stopped"), (nv,))
    shapes |= {"reach": (width, nv), "bend": (width, nv), "metric": (width, width), "unit": (1, width), "wish": (1, width)}
    shapes |= {
        "stops": (1,),
        "columns": (nv, nv),
        "J": (legs, nv, width),
        "T": (nv, width * (1 + legs)),
        "moves": (width, width),
        "got": (1, width),
        "rest": (2, robot.dim),
    }
    return Scratch(**{name: np.zeros(shape) for name, shape in shapes.items()})


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
