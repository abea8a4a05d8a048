"""The same robots in MuJoCo, through the MJCF export: free motion, and gentle contact."""

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from footfall import kinematics, robots
from footfall.errors import MissingPartError
from footfall.model.mjcf import mjcf_text, q_from, qpos_from, qvel_from
from footfall.model.parts import Spring
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import BEND, above_ground, ran
from footfall.world import Push, Rigid, World

SECONDS = 2.0
STEP = 1e-4  # s, of both
EVERY = 0.05  # s: how often trajectories are compared
HIGH = 100.0  # m: free motion has no ground
FORCE = 20.0  # N on the trunk, gentle
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


def gentle_contact(_: Setting) -> Iterator[Row]:
    """Bipeds on springs that stand, with a light push; MuJoCo's ground gives way a little, ours does not."""
    _mujoco()
    for name in ("wendlandt", "wendlandt-3d"):
        robot = on_springs(robots.load(name))
        q = robot.neutral()
        for joint in robot.joints:
            if joint.spring:
                q[robot.coordinates.index(joint.name)] = joint.spring.rest
        push = Push("torso", (FORCE, *[0.0] * (robot.dim - 1)), 0.0, SECONDS, at=robot.link("torso").com)
        world = World(contact=Rigid(friction=1.0), pushes=(push,), falls=False)
        start, still = np.array(above_ground(robot, q, 0.0)), np.zeros(robot.nv)
        run = ran(robot, None, world, q=tuple(start), seconds=SECONDS, dt=STEP, record_dt=EVERY)
        off = _apart(robot, run.q, _moved(robot, start, still, world, ground=True))
        title = f"{name} standing, pushed with {FORCE:g} N, against MuJoCo: largest difference of a joint in {SECONDS:g} s"
        yield Row(
            title, "rad", 0.0, off, 1e-4, how=f"{name}: joints move by {np.ptp(_joints(robot, run.q), axis=0).max():.2g} rad"
        )


def on_springs(robot: Robot) -> Robot:
    """Every driven hinge held by a spring with a damper, in a posture with bent knees."""
    joints = []
    for joint in robot.joints:
        if joint.motor:
            rest = BEND.get(joint.name.split("_")[0], 0.0) if "roll" not in joint.name and "yaw" not in joint.name else 0.0
            joint = dataclasses.replace(joint, spring=Spring(2000.0, rest), damping=100.0)
        joints.append(dataclasses.replace(joint, limits=(-np.inf, np.inf)))
    return dataclasses.replace(robot, joints=tuple(joints))


# --- MuJoCo ---------------------------------------------------------------------------------------------------------------


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingPartError("this compares with MuJoCo: pip install 'footfall[bench]'") from None
    return mujoco


def _moved(robot: Robot, q: np.ndarray, v: np.ndarray, world: World, ground: bool) -> np.ndarray:
    """MuJoCo's motion in our coordinates, row by row; its contact as stiff as the step allows."""
    mujoco = _mujoco()
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot, timestep=STEP, ground=ground).text)
    data, parts = mujoco.MjData(model), mujoco.mjtIntegrator
    model.opt.integrator, model.opt.cone = parts.mjINT_IMPLICITFAST if ground else parts.mjINT_RK4, mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.tolerance, model.opt.iterations = 1e-12, 200
    model.geom_friction[:, 0] = world.contact.friction
    model.geom_solref[:, 0] = 2 * STEP
    if ground:  # points are written as small balls about them
        balls = model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE
        q = q + model.geom_size[balls, 0].max(initial=0.0) * np.array([name == "base.z" for name in robot.coordinates])
    data.qpos[:], data.qvel[:] = qpos_from(robot, q), qvel_from(robot, v)
    for push in world.pushes:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, push.on)
        data.xfrc_applied[body, 0] = push.force[0]
    rows = [q]
    for _ in range(round(SECONDS / EVERY)):
        mujoco.mj_step(model, data, nstep=round(EVERY / STEP))
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
