"""A dynamics component: joint accelerations in, torques out, by inverse dynamics with contact forces from a quadratic program.

    minimise   sum of w (a - a_wanted)^2 + small |f|^2      over accelerations a and the forces f on what stands
    such that  M a + h = (0, tau) + J'f              Newton's law; no torque at the free base
               f in the friction pyramid, acting inside the pads that touch;   |tau| <= torque

The weights w are the inertias of the degrees of freedom in the posture at the start, so that a toe yields before the pelvis
does (Gauss's principle, with the diagonal of M). With forces that the ground can give, a = a_wanted, and tau is the computed
torque. Otherwise the nearest motion is made. The model is the robot as declared, or `believed`; mass and centre of mass may be
corrected by a layer above (`MassCenter`).

It is a layer below any algorithm, that of the ideal engine too: `Layered((LegOdometry(), MyAlgorithm(), InverseDynamics()))`.
The algorithm says accelerations, the state that it reckons with, and the feet on whose forces it counts. Those corners of these
feet stand that are near to the foot's lowest one: a heel, the sole with the toes, or the toes alone.

`feedback` makes up for a model that is off: accelerations that were wanted are added up to a velocity u, which forgets at the
rate `forget`, and a joint that lags behind u is accelerated more:

    u' = a_wanted + forget (v - u),      a = a_wanted + feedback (u - v)
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.algorithm.controller import Algorithmic
from footfall.control.fields import array
from footfall.control.leg_odometry import Pads, pads_of
from footfall.control.walking.legs import driven_legs
from footfall.model.quantity import quantity
from footfall.model.robot import Robot

FREE = 1e-6  # weight of the acceleration of what stands: it is in the accelerations that are wanted
FORCE, MOMENT = 1e-7, 1e-6  # weights: of all forces that make the motion, the least
LEAST = 1e-3  # kg m2: weight of the lightest joints


@dataclass(frozen=True)
class InverseDynamics(Algorithmic):
    """Torques for the accelerations that a layer above wants."""

    friction: float = quantity("1", "that the feet count on", 0.6, low=0.05, high=2.0)
    margin: float = quantity("m", "of the centre of pressure inside a pad", 0.01, low=0.0, high=0.05)
    near: float = quantity("m", "from the lowest corner of a foot: corners that stand", 0.01, low=1e-4, high=0.1)
    torque: float = quantity("N m", "that motors may give", 200.0, low=1.0, high=1e6)
    feedback: float = quantity("1/s", "of velocities that lag behind the wanted accelerations", 0.0, low=0.0, high=200.0)
    forget: float = quantity("1/s", "rate at which the wanted velocity goes to the measured one", 10.0, low=0.0, high=1000.0)

    class State:
        u: Any = array("nv")  # velocities by the wanted accelerations
        lag: Any = array("nv")  # u - v

    class Goal:
        acceleration: Any = array("nv")
        q: Any = array("nq")  # the state that the layer above reckons with; all zero if it does not say
        v: Any = array("nv")
        stands: Any = array("feet")  # 1 for a foot on whose force it counts
        com_offset: Any = array(2)  # m: centre of mass less the believed one
        more_mass: Any = array(1)  # kg: mass less the believed one

    accelerates: ClassVar[bool] = False

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> dict[str, Any]:
        driven_legs(robot)
        found = super().prepare(robot, q, gravity)
        inertia = np.diag(dynamics.mass_matrix(found["robot"], q))
        return found | {"pads": pads_of(robot), "inertia": np.maximum(inertia, LEAST)}

    def initialize(algo: Any, params: Any, state: Any) -> None:
        algo.most_torque, own = params.torque, algo.own
        base, *names = [joint.name for joint in algo.robot.layout.joints]
        joints = [algo.joint(name) for name in names]
        own.base, own.link = slice(*rows_of(algo.robot, base)), algo.robot.layout.joints[0].child
        own.joints = {name: slice(*rows_of(algo.robot, name)) for name in names}
        pelvis = algo.point(own.link)
        move, turn = params.inertia[own.base][:3].mean(), params.inertia[own.base][3:].mean()
        wanted = {"PELVIS": (pelvis.acceleration, move), "PELVIS TURN": (pelvis.angular_acceleration, turn)}
        wanted |= {joint.name: (joint.acceleration, params.inertia[own.joints[joint.name]].mean()) for joint in joints}
        for name, (expression, weight) in wanted.items():
            algo.define(name, expression)
            algo.equate(name, expression == 0.0, weight=float(weight))
        for joint in joints:
            algo.limit(f"{joint.name} most", joint.torque <= params.torque)
            algo.limit(f"{joint.name} least", joint.torque >= -params.torque)
        own.standing = {}
        own.links = {robot_body: name for name, robot_body in bodies_of_pads(algo.robot).items()}

    def controller(algo: Any, params: Any, state: Any, time: float) -> None:
        own, goal, v = algo.own, algo.goal, algo.out.v
        h = 1.0 / params.rate
        state.u[:] += h * params.forget * (v - state.u)
        state.lag[:] = state.u - v
        a = goal.acceleration + params.feedback * state.lag
        state.u[:] += h * goal.acceleration
        algo.assign("PELVIS", a[own.base][:3])
        algo.assign("PELVIS TURN", kinematics.pose(algo.robot, algo.out.q, own.link).rotation @ a[own.base][3:])
        for name, rows in own.joints.items():
            algo.assign(name, a[rows])
        wanted = corners_that_stand(params.pads, algo.robot, own.links, algo.out.q, goal.stands, params.near)
        for row, corners in wanted.items():
            if own.standing.get(row) != corners:
                leave(algo, row)
                if corners:
                    stand(algo, params, row, corners)


def rows_of(robot: Robot, joint: str) -> tuple[int, int]:
    i = next(i for i, each in enumerate(robot.layout.joints, 1) if each.name == joint)
    return int(robot.tree.first_v[i]), int(robot.tree.first_v[i + 1])


def bodies_of_pads(robot: Robot) -> dict[str, int]:
    """Links with pads that are at the origin of their body, and these bodies."""
    return {pad.link: robot.target(pad.link).body for foot in robot.feet for pad in foot.pads}


def corners_that_stand(
    pads: Pads, robot: Robot, links: dict[int, str], q: np.ndarray, stands: np.ndarray, near: float
) -> dict[int, tuple[tuple[float, float], ...]]:
    """For each row of the pads the corners that are nearly as low as the lowest one of its foot; none if that does not stand."""
    places, lowest = {}, np.full(len(robot.feet), np.inf)
    for row in range(len(pads.body)):
        (x0, y0), (x1, y1) = pads.low[row], pads.high[row]
        corners = ((x0, y0), (x0, y1), (x1, y0), (x1, y1))
        pose = kinematics.pose(robot, q, links[int(pads.body[row])])
        places[row] = [(at, (pose.position + pose.rotation @ (*at, pads.level[row]))[2]) for at in corners]
        lowest[pads.side[row]] = min(lowest[pads.side[row]], *(z for _, z in places[row]))
    low = {row: tuple(at for at, z in found if z < lowest[pads.side[row]] + near) for row, found in places.items()}
    return {row: low[row] if stands[pads.side[row]] > 0.0 else () for row in low}


def stand(algo: Any, params: Any, row: int, corners: tuple[tuple[float, float], ...]) -> None:
    """A force on the rectangle of these corners: it presses, within the friction pyramid, and acts inside."""
    algo.own.standing[row] = corners
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    x, y = np.maximum(0.5 * (high - low) - params.margin, 0.005)
    link = algo.own.links[int(params.pads.body[row])]
    point = algo.point(link, (*(0.5 * (low + high)), params.pads.level[row]))
    foot = algo.stand(f"PAD {row}", point, 0.0, weight=FREE)
    f, m, mu = foot.force, foot.moment, params.friction / np.sqrt(2.0)
    algo.equate(f"FORCE {row}", f == 0.0, weight=FORCE)
    algo.equate(f"MOMENT {row}", m == 0.0, weight=MOMENT)
    algo.limit(f"PRESS {row}", f.z >= 0.0)
    limits = {"x": (f.x, mu), "y": (f.y, mu), "roll": (m.x, y), "pitch": (m.y, x), "yaw": (m.z, 0.5 * mu * max(x, y))}
    for name, (load, most) in limits.items():
        algo.limit(f"{name} {row} +", most * f.z - load >= 0.0)
        algo.limit(f"{name} {row} -", most * f.z + load >= 0.0)


def leave(algo: Any, row: int) -> None:
    if algo.own.standing.pop(row, ()):
        sides = [f"{name} {row} {sign}" for name in ("x", "y", "roll", "pitch", "yaw") for sign in "+-"]
        algo.remove(f"PAD {row}", f"FORCE {row}", f"MOMENT {row}", f"PRESS {row}", *sides)
