"""The same robots in MuJoCo, through the MJCF export: free motion, and gentle contact."""

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from footfall import dynamics, kinematics, robots
from footfall.errors import MissingPartError
from footfall.model.mjcf import mjcf_text, q_from, qpos_from, qvel_from
from footfall.model.parts import Box, HeelToe, Spring
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import BEND, above_ground, ran
from footfall.world import Push, Rigid, World

SECONDS = 2.0
STEP = 1e-4  # s, of both
EVERY = 0.05  # s: how often trajectories are compared
HIGH = 100.0  # m: free motion has no ground
PUSHED, TIPPING = 0.05, 0.02  # of the weight: the force on the base; on feet that are points
ROWS = 20  # instants at which rocking is compared
LEAST = 5e-3  # rad: robots that hardly move would agree with anything
STIFFNESS, DAMPING = 4.0, 0.05  # m: of the springs, over the weight; s: of their dampers, over the springs
HARD = 400.0  # 1/m: the same of slides
SMALL = 1e-3  # m: balls below this are points
QUICK = ("ranger", "wendlandt", "wendlandt-3d")
MASSLESS = "simplest-walker"  # legs of 1e-6 of its mass: MuJoCo scales its contact with the mass of a link, and they creep
SPREAD = 0.15  # rad: of legs without flat soles
HOW = f"both with steps of {1e3 * STEP:g} ms, MuJoCo's of fourth order"


class Free(NamedTuple):
    """Free motion of a robot from a start that the seed draws."""

    robot: str
    seed: int


def free_motion(setting: Setting) -> Iterator[Row]:
    """All ready robots."""
    _mujoco()
    names = ("pendulum", "compass", "wendlandt") if setting.quick else robots.names()
    for name, off in zip(names, setting.each(free, [Free(name, setting.seed) for name in names]), strict=True):
        yield Row(
            f"{name}, free motion against MuJoCo: largest difference of a joint in {SECONDS:g} s", "rad", 0.0, off, 1e-4, how=HOW
        )


def free(question: Free) -> float:
    """Largest difference of any joint coordinate (rad, m where it slides)."""
    robot, rng = without_passive_forces(robots.load(question.robot)), np.random.default_rng(question.seed)
    q, v = kinematics.random_configuration(robot, rng, 0.5), rng.normal(size=robot.nv)
    if "base.z" in robot.coordinates:
        q[robot.coordinates.index("base.z")] += HIGH
    run = ran(robot, None, World(falls=False), q=tuple(q), v=tuple(v), seconds=SECONDS, dt=STEP, record_dt=EVERY)
    return _apart(robot, run.q, _moved(robot, q, v, World(), ground=False))


def without_passive_forces(robot: Robot) -> Robot:
    """No springs, damping, friction and stops: nothing but motion."""
    bare: dict[str, Any] = {"limits": (-np.inf, np.inf), "damping": 0.0, "friction": 0.0, "spring": None}
    return dataclasses.replace(robot, joints=tuple(dataclasses.replace(joint, **bare) for joint in robot.joints))


def gentle_contact(setting: Setting) -> Iterator[Row]:
    """All ready robots with feet, on springs: those with flat soles or legs that slide stand with a light push, others rock about
    the front foot, the rear one in the air. The difference is compared with the motion, which must be large enough to tell.
    MuJoCo's ground gives way a little, ours does not.

    One is left out, MASSLESS.
    """
    _mujoco()
    names = [name for name in robots.names() if robots.load(name).feet and name != MASSLESS]
    names = [name for name in names if name in QUICK] if setting.quick else names
    for name, found in zip(names, setting.each(gentle, names), strict=True):
        title = f"{name} {found.doing}, against MuJoCo: "
        how = f"{name}: {found.seconds:.2g} s, off by {found.off:.2g} rad; {MASSLESS} is left out, its legs have no mass"
        yield Row(f"{title}largest motion of a joint or of the base", "rad", LEAST, found.moved, 0.0, ">=", how=how)
        yield Row(f"{title}largest difference of a joint", "rad", 0.0, found.off, 1e-4)
        yield Row(f"{title}the same, over the largest motion", "1", 0.0, found.off / found.moved if found.moved else np.nan, 0.01)


class Gentle(NamedTuple):
    """A robot on its feet in both simulators."""

    doing: str
    seconds: float
    off: float  # rad: largest difference of any turn between both; not a number if the feet do not stay as they should
    moved: float  # rad: by how much turns move at all


def gentle(name: str) -> Gentle:
    """Pushed while it stands, or rocking. Legs that slide give way when a foot is lifted, so that it would touch again."""
    robot, q = on_springs(robots.load(name))
    stands = _flat(robot) or any(joint.kind == "prismatic" for joint in robot.joints)
    return _standing(robot, q) if stands else _rocking(robot, q)


def _standing(robot: Robot, q: np.ndarray) -> Gentle:
    trunk, share = robot.joints[0].child, PUSHED if _flat(robot) else TIPPING
    push = Push(trunk, (share * robot.mass * robot.gravity, *[0.0] * (robot.dim - 1)), 0.0, SECONDS, at=robot.link(trunk).com)
    world = World(contact=Rigid(friction=1.0), gravity=robot.gravity, pushes=(push,), falls=False)
    q = np.array(above_ground(robot, q, 0.0, world))
    doing = f"standing, pushed with {100 * share:g} % of its weight"
    return _gentle(doing, robot, q, np.zeros(robot.nv), world, SECONDS, EVERY)


def _rocking(robot: Robot, q: np.ndarray) -> Gentle:
    """All of it turns about the front foot with half the rate that would lift its mass over that foot, and comes back.

    Standing on both feet, straight legs could not move at all. It is followed for sqrt(l / g); the rear foot is not back by then.
    """
    world = World(contact=Rigid(friction=1.0), gravity=robot.gravity, falls=False)
    q = np.array(above_ground(robot, q, 0.0, world))
    front = max(_touching(robot, q, foot.pads[0]) for foot in robot.feet[:2])
    x, z = dynamics.center_of_mass(robot, q) - (front, 0.0)
    time = float(np.sqrt(np.hypot(x, z) / robot.gravity))
    rate = 0.5 * np.arctan2(-x, z) / time
    about = kinematics.pose(robot, q, robot.joints[0].child).position - (front, 0.0)
    v = robot.velocity({"base": (rate * about[1], -rate * about[0], rate)})
    every = STEP * round(time / ROWS / STEP)
    return _gentle("rocking on one foot", robot, q, v, world, ROWS * every, every)


def _gentle(doing: str, robot: Robot, q: np.ndarray, v: np.ndarray, world: World, seconds: float, every: float) -> Gentle:
    run = ran(robot, None, world, q=tuple(q), v=tuple(v), seconds=seconds, dt=STEP, record_dt=every)
    off = _apart(robot, run.q, _moved(robot, q, v, world, True, seconds, every))
    stand = np.array([(run.mode[1:, run.of(foot.name)] > 0).any(axis=1) for foot in robot.feet])
    as_begun = (stand == stand[:, :1]).all() and stand[:, 0].sum() == (1 if v.any() else len(robot.feet))
    return Gentle(doing, seconds, off if as_begun else np.nan, float(np.ptp(_joints(robot, run.q), axis=0).max()))


def _flat(robot: Robot) -> bool:
    return any(isinstance(pad, Box | HeelToe) for foot in robot.feet for pad in foot.pads)


def on_springs(robot: Robot) -> tuple[Robot, np.ndarray]:
    """Every hinge and slide held by a spring with a damper, and the posture at rest, in which both feet stand.

    With flat soles the knees are bent. Other feet stand apart, as the hip spreads the legs. Spherical joints are locked, legs
    straight.
    """
    flat = _flat(robot)
    bent = flat and all(joint.kind != "spherical" for joint in robot.joints)
    weight, joints = robot.mass * robot.gravity, [robot.joints[0]]
    for joint in robot.joints[1:]:
        rest = BEND.get(joint.name.split("_")[0], 0.0) if bent and "roll" not in joint.name and "yaw" not in joint.name else 0.0
        if not flat and joint.name.startswith("hip"):
            rest = -SPREAD if joint.name.endswith("right") else SPREAD
        bare: dict[str, Any] = {"friction": 0.0, "limits": (-np.inf, np.inf), "damping": 0.0, "spring": None, "motor": None}
        if joint.kind in ("revolute", "prismatic"):
            k = weight * (STIFFNESS if joint.kind == "revolute" else HARD)
            bare |= {"spring": Spring(k, rest), "damping": DAMPING * k}
        elif joint.kind == "spherical":
            bare["kind"] = "fixed"
        joints.append(dataclasses.replace(joint, **bare))
    robot = dataclasses.replace(robot, joints=tuple(joints))
    q = robot.neutral()
    for joint in robot.joints:
        if joint.spring:
            q[robot.coordinates.index(joint.name)] = joint.spring.rest
    return robot, q if flat else _level(robot, q)


def _level(robot: Robot, q: np.ndarray) -> np.ndarray:
    """q with the base turned such that two feet touch level ground."""
    pitch = robot.coordinates.index("base.pitch")

    def apart(angle: float) -> float:
        q[pitch] = angle
        left, right = (_lowest(robot, q, foot.pads[0]) for foot in robot.feet[:2])
        return left - right

    q[pitch] = brentq(apart, -0.6, 0.6)
    return q


def _lowest(robot: Robot, q: np.ndarray, pad: Any) -> float:
    """Height of a point, or of the lowest point of a round sole."""
    pose = kinematics.pose(robot, q, pad.link)
    return float((pose.position + pose.rotation @ np.array(pad.at))[-1]) - getattr(pad, "radius", 0.0)


def _touching(robot: Robot, q: np.ndarray, pad: Any) -> float:
    """Where along level ground a point touches, or the lowest point of a round sole."""
    pose = kinematics.pose(robot, q, pad.link)
    return float((pose.position + pose.rotation @ np.array(pad.at))[0])


# --- MuJoCo ---------------------------------------------------------------------------------------------------------------


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingPartError("this compares with MuJoCo: pip install 'footfall[bench]'") from None
    return mujoco


def _moved(
    robot: Robot,
    q: np.ndarray,
    v: np.ndarray,
    world: World,
    ground: bool,
    seconds: float = SECONDS,
    every: float = EVERY,
) -> np.ndarray:
    """MuJoCo's motion in our coordinates, row by row; its contact as stiff as the step allows."""
    mujoco = _mujoco()
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot, timestep=STEP, ground=ground).text)
    data, parts = mujoco.MjData(model), mujoco.mjtIntegrator
    model.opt.integrator, model.opt.cone = parts.mjINT_IMPLICITFAST if ground else parts.mjINT_RK4, mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.tolerance, model.opt.iterations = 1e-12, 200
    model.opt.noslip_iterations, model.opt.noslip_tolerance = 100, 1e-12  # its friction creeps otherwise
    model.geom_friction[:, 0] = world.contact.friction
    model.geom_solref[:, 0] = 2 * STEP
    if ground:  # points are written as small balls about them
        balls = (model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE) & (model.geom_size[:, 0] < SMALL)
        q = q + model.geom_size[balls, 0].max(initial=0.0) * np.array([name == "base.z" for name in robot.coordinates])
    data.qpos[:], data.qvel[:] = qpos_from(robot, q), qvel_from(robot, v)
    for push in world.pushes:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, push.on)
        data.xfrc_applied[body, 0] = push.force[0]
    rows = [q]
    for _ in range(round(seconds / every)):
        mujoco.mj_step(model, data, nstep=round(every / STEP))
        rows.append(q_from(robot, data.qpos))
    return np.array(rows)


def _apart(robot: Robot, ours: np.ndarray, theirs: np.ndarray) -> float:
    off = [kinematics.difference(robot, a, b) for a, b in zip(ours, theirs, strict=True)]
    return float(np.abs(np.array(off)[:, _joint_columns(robot)]).max())


def _joints(robot: Robot, q: np.ndarray) -> np.ndarray:
    return np.array([kinematics.difference(robot, q[0], row) for row in q])[:, _joint_columns(robot)]


def _joint_columns(robot: Robot) -> list[int]:
    """Degrees of freedom without the place of a floating base; its turns count."""
    return [i for i, name in enumerate(robot.velocities) if not name.endswith((".x", ".y", ".z"))]
