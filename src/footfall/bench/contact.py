"""Steps with contact per second: the compiled loop against MuJoCo's native rollout, same masses, geometry, joints and step.

Posture is held by stiff springs and dampers in the joints, which both know. Footfall solves rigid contact to 2e-6 m/s; MuJoCo its
soft one (elliptic cone, its default solver and tolerance, implicitfast integrator). Beside the speed stand drift and penetration.
"""

import dataclasses
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import footfall as ff
from footfall.bench import Row
from footfall.control import Compiled
from footfall.control.params import params_of
from footfall.core.law import Command, Observation
from footfall.core.recursion.kinematics import set_places
from footfall.engines.contact.rollout import ContactRollout
from footfall.errors import MissingPartError
from footfall.model.mjcf import mjcf_text, q_from, qpos_from, qvel_from
from footfall.model.parts import Joint, Link, Spring
from footfall.model.robot import Robot
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.sim.whole import uncut
from footfall.world import Push, Rigid, World

SECONDS, STEP, REPEATS = 2.0, 1e-3, 5
STIFFNESS, DAMPING = 4000.0, 100.0
PUSH = 50.0  # N
SWING, PERIOD = 250.0, 0.6  # N m and s of the torques that make it step or sway
TOUCHING = 1e-4  # m above the ground
HEIGHTS = tuple(np.linspace(0.15, 0.25, 10).tolist())  # m: what follows a landing is chaotic, and one fall says little


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    friction: float = 1.0
    heights: tuple[float, ...] = (0.0,)  # m above the ground at the start: one run from each
    speed: float = 0.0  # m/s forward at the start
    push: float = 0.0  # N forward on the trunk
    torque: float = 0.0  # N m, alternating at the hips


PLANAR = (Case("standing"), Case("stepping", torque=SWING))
SPATIAL = (
    Case("standing"),
    Case("swaying", torque=60.0),
    Case("pushed", push=PUSH),
    Case("sliding", friction=0.2, speed=1.0),
    Case("dropped", heights=HEIGHTS),
)


def measure() -> Iterator[Row]:
    bent = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}
    planar, spatial = held(ff.robots.load("wendlandt"), bent), held(ff.robots.load("person"), bent)
    for robot, title, cases, goal in (
        (planar, "planar 7-link biped", PLANAR, 8.0),
        (spatial, "spatial 16-dof biped", SPATIAL, 2.5),
    ):
        for case in cases:
            yield compare(robot, title, case, goal)


def compare(robot: Robot, title: str, case: Case, goal: float) -> Row:
    pairs = []
    for height in case.heights:
        study = question(robot, case, height)
        pairs.append((Ours(study), Theirs(study, case)))
    best = np.full((len(pairs), 2), np.inf)
    for _ in range(REPEATS):
        best = np.minimum(best, [(ours.seconds(), theirs.seconds()) for ours, theirs in pairs])
    us, peer = 1e6 * best.mean(axis=0) / (SECONDS / STEP)
    (ours, theirs), many = pairs[0], f", {len(pairs)} runs" if len(pairs) > 1 else ""
    how = (
        f"{title}, {case.name}: {SECONDS:g} s at 1 ms{many}, best of {REPEATS}; worst penetration, and the most that a foot "
        f"moved while it touched in the last second{', in the first run' if many else ''}: Footfall {ours.quality()}, "
        f"MuJoCo {theirs.quality()}"
    )
    return Row(f"step, {title}, {case.name}", us, peer, "MuJoCo", "us", peer / us, f">= {goal:g}", how)


def question(robot: Robot, case: Case, height: float = 0.0) -> Study:
    """The robot in its posture, so high above the ground."""
    q = robot.neutral()
    for i, name in enumerate(robot.coordinates):
        joint = next((j for j in robot.joints if j.name == name), None)
        if joint and joint.spring:
            q[i] = joint.spring.rest
    v = robot.velocity({"base.x": case.speed})
    pushes = (Push("torso", (case.push, *[0.0] * (robot.dim - 1)), 0.0, SECONDS),) if case.push else ()
    world = World(contact=Rigid(friction=case.friction), pushes=pushes, falls=False)
    placed = np.array(Simulation(Study(robot, world, q=tuple(q)), lift=True).study.q)
    placed[robot.coordinates.index("base.z")] += height
    controller = None
    if case.torque:
        hips = [robot.velocities.index(name) for name in ("hip_left", "hip_right") if name in robot.velocities]
        hips = hips or [robot.velocities.index(name) for name in ("hip_left_y", "hip_right_y")]
        params = {"left": hips[0], "right": hips[1], "torque": case.torque, "period": PERIOD}
        controller = Compiled(1000.0, alternate, params)
    return Study(robot, world, controller, tuple(placed), tuple(v), SECONDS, STEP, 0.01)


def alternate(obs: Any, params: Any, state: Any, goal: Any, command: Any) -> int:  # noqa: ARG001
    """Torques that lift one hip and then the other."""
    wave = np.sin(2.0 * np.pi * obs.time / params.period)
    command.tau[params.left] = -params.torque * max(wave, 0.0)
    command.tau[params.right] = -params.torque * max(-wave, 0.0)
    return 0


def held(robot: Robot, bent: dict[str, float]) -> Robot:
    """The robot with every driven joint a hinge with a stiff spring; a spherical one becomes three hinges."""
    links, joints = list(robot.links), []
    for joint in robot.joints:
        rest = bent.get(joint.name.split("_")[0], 0.0) if joint.motor else 0.0
        plain = dataclasses.replace(joint, limits=(-np.inf, np.inf))
        if joint.kind == "spherical":
            parent = joint.parent
            for axis in "zxy":
                child = joint.child if axis == "y" else f"{joint.name}_cross_{axis}"
                links += [] if axis == "y" else [Link(child, 0.0)]
                at = joint.at if axis == "z" else ()
                spring = Spring(STIFFNESS, rest if axis == "y" else 0.0)
                name = f"{joint.name}_{axis}"
                made = Joint(name, "revolute", parent, child, at=at, axis=axis, spring=spring, damping=DAMPING, motor=joint.motor)
                joints.append(made)
                parent = child
        elif joint.motor:
            soft = 0.1 if joint.name.startswith("toe") else 1.0
            joints.append(dataclasses.replace(plain, spring=Spring(soft * STIFFNESS, rest), damping=soft * DAMPING))
        else:
            joints.append(plain)
    return dataclasses.replace(robot, links=tuple(links), joints=tuple(joints))


class Ours:
    def __init__(self, study: Study):
        self.study = study
        self.run = self.simulation().run()

    def simulation(self) -> Simulation:
        made = Simulation(self.study)
        made.advance(0.0)
        return made

    def seconds(self) -> float:
        made = self.simulation()
        start = time.perf_counter()
        made.advance(SECONDS)
        taken = time.perf_counter() - start
        self.run = uncut(made.run())
        return taken

    def quality(self) -> str:
        run = self.run
        return _quality(run.point)


class Theirs:
    """The same in MuJoCo."""

    def __init__(self, study: Study, case: Case):
        try:
            import mujoco
            from mujoco import rollout
        except ImportError:
            raise MissingPartError("this compares with MuJoCo: pip install 'footfall[bench]'") from None
        self.mujoco, self.rollout, self.study = mujoco, rollout, study
        self.model = mujoco.MjModel.from_xml_string(mjcf_text(study.robot, timestep=STEP).text)
        model, options = self.model, self.model.opt
        options.integrator, options.cone = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtCone.mjCONE_ELLIPTIC
        model.geom_friction[:, 0] = case.friction
        self.data = mujoco.MjData(model)
        q, v = study.start()
        self.data.qpos[:], self.data.qvel[:] = qpos_from(study.robot, q), qvel_from(study.robot, v)
        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.zeros(mujoco.mj_stateSize(model, full))
        mujoco.mj_getState(model, self.data, self.start, full)
        self.spec = int(mujoco.mjtState.mjSTATE_CTRL) | int(mujoco.mjtState.mjSTATE_XFRC_APPLIED)
        self.control = self._control(case)
        self.states: Any = None

    def _control(self, case: Case) -> np.ndarray:
        """Torques and pushes for every step."""
        model, robot, steps = self.model, self.study.robot, round(SECONDS / STEP)
        control = np.zeros((1, steps, model.nu + 6 * model.nbody))
        if case.torque and self.study.controller:
            command = Command(np.zeros(robot.nv), None, None, None)
            params = params_of(self.study.controller, robot, np.array(self.study.q), self.study.gravity)
            for i in range(steps):
                alternate(Observation(i * STEP, *[None] * 6), params, None, None, command)
                control[0, i, : model.nu] = command.tau[robot.actuated]
        if case.push:
            torso = self.mujoco.mj_name2id(model, self.mujoco.mjtObj.mjOBJ_BODY, "torso")
            control[0, :, model.nu + 6 * torso] = case.push
        return control

    def seconds(self) -> float:
        start = time.perf_counter()
        self.states, _ = self.rollout.rollout(self.model, self.data, self.start, self.control, control_spec=self.spec)
        return time.perf_counter() - start

    def quality(self) -> str:
        """From the states of the rollout, at the same points."""
        robot, states = self.study.robot, self.states[0][::10]
        data = ContactRollout(self.study, *self.study.start(), lift=False).data
        points = np.array([_points(robot, data, q_from(robot, state[1 : 1 + self.model.nq])) for state in states])
        return _quality(points)


def _points(robot: Robot, data: Any, q: np.ndarray) -> np.ndarray:
    set_places[robot.space](data.tree, data.work, q)
    turn, place, dim = data.work.R_WB, data.work.p_WB, robot.dim
    points = []
    for body, at in zip(data.geometry.body, data.geometry.at, strict=True):
        R = turn[body].reshape(3, 3) if dim == 3 else np.array(((turn[body, 0], turn[body, 1]), (-turn[body, 1], turn[body, 0])))
        points.append(place[body] + R @ at)
    return np.array(points)


def _quality(points: np.ndarray) -> str:
    """Penetration, and how far a pad moves in the last second while it touches the ground."""
    late = points[len(points) // 2 :]
    touching = (late[:-1, :, -1] < TOUCHING) & (late[1:, :, -1] < TOUCHING)
    slid = (touching * np.abs(np.diff(late[..., 0], axis=0))).sum(axis=0).max()
    return f"{max(-points[..., -1].min(), 0.0) * 1e6:.2g} um deep, {slid * 1e6:.2g} um"
