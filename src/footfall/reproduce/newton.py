"""Stewart and Cremer's simulator Newton: equations of all bodies, loops, contacts that change by themselves."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import analysis, dynamics, kinematics, robots, studies
from footfall.core.maximal import batch
from footfall.core.recursion.rnea import rnea
from footfall.dynamics import constrained
from footfall.dynamics.maximal import Solver
from footfall.engines import Maximal, TimeStepping
from footfall.errors import SimulationError, SingularError
from footfall.evaluate import Evaluation
from footfall.kinematics import random_configuration
from footfall.model.parts import Frame, Loop
from footfall.model.peers import PinocchioRobot
from footfall.model.pins import Pin
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._dense import dense
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.world import Rigid, World

STATES, FEW = 100, 4
LENGTHS = (10, 1000)
FALLS_QUICK = ("person", "ranger")
HIGHEST = 0.5  # m: from which robots fall
SOON_AFTER = 0.05  # s
LOOPED = ("person", "johnnie", "wendlandt-3d")  # their feet are joined by a loop
SPATIAL_RING, NEIGHBOUR = "ring of 8 rods, spatial", 1e-13
FASTER = (6.0, 8.0, 10.0)  # rad/s
CASES: dict[str, dict[str, Any]] = {
    "four-bar linkage, planar": {"linkage": "four-bar", "space": "planar"},
    "four-bar linkage, spatial, 3 rows redundant": {"linkage": "four-bar", "space": "spatial"},
    "ring of 8 rods, planar": {"linkage": "ring", "space": "planar"},
    SPATIAL_RING: {"linkage": "ring", "space": "spatial"},
}


def beside_the_tree(setting: Setting) -> Iterator[Row]:
    """Every ready robot in random states, a foot held: welded to the ground in space, pinned in the plane.

    Beside the recursions: null-space elimination for accelerations, Newton-Euler's recursion for the forces in hinges. States in
    which the recursion finds the constraints dependent are drawn again, and counted.
    """
    count = FEW if setting.quick else STATES
    for name in robots.names():
        off, redrawn = np.zeros(2), 0
        rng = np.random.default_rng(setting.seed)
        for _ in range(count):
            while (found := _compared(robots.load(name), rng)) is None:
                redrawn += 1
            off = np.maximum(off, found)
        how = f"{count} states, {redrawn} drawn again"
        yield Row(f"{name}: accelerations off the recursion", "of the largest", 0.0, float(off[0]), 1e-8, how=how)
        yield Row(f"{name}: hinge forces off the recursion", "of the largest", 0.0, float(off[1]), 1e-8, how=how)


def _compared(robot: Robot, rng: np.random.Generator) -> np.ndarray | None:
    """Differences of accelerations and hinge forces in one random state, over the largest of each."""
    q, (v, tau) = random_configuration(robot, rng), rng.normal(size=(2, robot.nv))
    pins = (Pin(robot.feet[0].pads[0].link, weld=robot.space == "spatial"),) if robot.feet else ()
    ev = Evaluation(robot)
    a = dynamics.forward(robot, q, v, tau)
    forces: dict[str, np.ndarray] = {}
    if pins:
        try:
            v = constrained.consistent(robot, q, v, pinned=pins)
            a, forces = constrained.forward(robot, q, v, tau, pinned=pins)
        except SingularError:
            return None
    ev.fall(np.array((*np.zeros(robot.dim - 1), -robot.gravity)))
    ev.run(batch.set_places, q)
    ev.push({name: np.pad(f, (0, ev.algebra.MOTION - len(f))) for name, f in forces.items()})
    ev.run(rnea, q, v, a, np.zeros(robot.nv))
    ours = dynamics.hinge_forces(robot, q, v, tau, pinned=pins)
    wrenches, hinges = ev.work.force[1:], np.array(list(ours.joints.values()))
    return np.array([_off(ours.accelerations, a), _off(hinges, wrenches)])


def _off(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))


def dense_matrix(setting: Setting) -> Iterator[Row]:
    """The person with both feet welded: all hinge forces and accelerations beside one dense system written out with NumPy."""
    robot, rng = robots.load("person"), np.random.default_rng(setting.seed)
    pins, off = _soles(robot), np.zeros(2)
    count = FEW if setting.quick else STATES
    for _ in range(count):
        q, (v, tau) = random_configuration(robot, rng, 0.5), rng.normal(size=(2, robot.nv))
        v = constrained.consistent(robot, q, v, pinned=pins)
        ours = dynamics.hinge_forces(robot, q, v, tau, pinned=pins)
        _, forces = dense(robot, q, v, pins).solved(tau)
        a, _ = constrained.forward(robot, q, v, tau, pinned=pins)
        off = np.maximum(off, [_off(np.array(list(ours.joints.values())), np.array(forces)), _off(ours.accelerations, a)])
    how = f"{count} states, both feet welded"
    yield Row("hinge forces of the person off a dense system", "of the largest", 0.0, float(off[0]), 1e-8, how=how)
    yield Row("its accelerations off null-space elimination", "of the largest", 0.0, float(off[1]), 1e-8, how=how)


def _soles(robot: Robot) -> tuple[Pin, ...]:
    return tuple(Pin(foot.pads[0].link, weld=True) for foot in robot.feet)


# --- Pinocchio ----------------------------------------------------------------------------------------------------------------


def pinocchio(setting: Setting) -> Iterator[Row]:
    """Robots whose feet are joined by a loop, and linkages, beside Pinocchio's constraint dynamics."""
    rng, count = np.random.default_rng(setting.seed), FEW if setting.quick else STATES
    for name in LOOPED:
        for kind in ("spherical", "fixed"):
            off = 0.0
            for _ in range(count):
                q = random_configuration(robots.load(name), rng)
                robot = tied(robots.load(name), q, kind)
                off = max(off, _off_pinocchio(robot, q, rng))
            how = f"{name}, right foot on left foot, {count} random states"
            yield Row(f"{name}, a {kind} loop: accelerations off Pinocchio's", "of the largest", 0.0, off, 1e-8, how=how)
    for title, values in CASES.items():
        study, off = studies.load("newton-chain-loop", **values), 0.0
        run = whole(study, seconds=0.5 if setting.quick else 5.0, record_dt=0.05)
        for q in run.q:
            off = max(off, _off_pinocchio(study.robot, q, rng))
        how = f"{len(run.q)} states of a run, with random velocities and torques"
        yield Row(f"{title}: accelerations off Pinocchio's", "of the largest", 0.0, off, 1e-8, how=how)


def tied(robot: Robot, q: np.ndarray, kind: str) -> Robot:
    """A robot whose second foot is joined to its first where both are at q."""
    first, second = (foot.pads[0].link for foot in robot.feet[:2])
    here, there = kinematics.pose(robot, q, first), kinematics.pose(robot, q, second)
    turn = here.rotation.T @ there.rotation
    pitch = -np.arcsin(np.clip(turn[2, 0], -1.0, 1.0))
    angles = np.arctan2(turn[2, 1], turn[2, 2]), pitch, np.arctan2(turn[1, 0], turn[0, 0])
    frame = Frame("grip", first, tuple(here.rotation.T @ (there.position - here.position)), tuple(map(float, angles)))
    return replace(robot, frames=(*robot.frames, frame), loops=(Loop("clasp", kind, "grip", second),))


def _off_pinocchio(robot: Robot, q: np.ndarray, rng: np.random.Generator) -> float:
    """The largest difference of accelerations under random velocities, which keep the loop closed, and torques."""
    v, tau = rng.normal(size=(2, robot.nv))
    v = Solver(robot).consistent(q, v)
    peer = PinocchioRobot(robot)
    pin, (loop,) = peer.pin, robot.loops
    kind = pin.ContactType.CONTACT_6D if loop.kind == "fixed" else pin.ContactType.CONTACT_3D
    (j1, X1), (j2, X2) = peer.holders[loop.first], peer.holders[loop.second]
    model = pin.RigidConstraintModel(kind, peer.model, j1, X1, j2, X2, pin.ReferenceFrame.LOCAL)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(model)
    datas.append(model.createData())
    pin.initConstraintDynamics(peer.model, peer.data, models, datas)
    settings = pin.ProximalSettings(1e-13, 1e-12, 100)
    theirs = pin.constraintDynamics(peer.model, peer.data, peer.q(q), peer.v(v), peer.v(tau), models, datas, settings)
    return _off(dynamics.forward(robot, q, v, tau, formulation="maximal"), peer.ours(theirs))


# --- motion -------------------------------------------------------------------------------------------------------------------


def loops(setting: Setting) -> Iterator[Row]:
    """Linkages without friction for a minute: energy, and how far the two ends of the loop are apart.

    The motion of a ring in space is chaotic: whether it comes near a configuration in which its rows are dependent is a matter of
    the last digits of its start. So it is asked of several neighbours, whose velocities are larger by 1e-13 of themselves and its
    multiples; the worst of them counts. Faster rings come nearer to dependent rows: what they lose stands beside it.
    """
    seconds = 2.0 if setting.quick else 60.0
    for title, values in CASES.items():
        neighbours = 1 if title != SPATIAL_RING else 2 if setting.quick else 10
        found = setting.finished(_kept, [(values, i, seconds) for i in range(neighbours)])
        off, apart = (max(each) for each in zip(*found, strict=True))
        how = f"{seconds:g} s; starts: {len(found)}, each " + ", ".join(f"{each[0]:.1g}" for each in found)
        yield Row(f"{title}: change of energy", "of the largest kinetic", 0.0, off, 1e-8, how=how)
        yield Row(f"{title}: how far the loop opens", "m, rad", 0.0, apart, 1e-8, how=how)
    for rate in () if setting.quick else FASTER:
        found = setting.finished(_kept, [(CASES[SPATIAL_RING] | {"rate": rate}, i, 20.0) for i in range(6)])
        off, apart = (max(each) for each in zip(*found, strict=True))
        how = f"20 s; starts: {len(found)}, each " + ", ".join(f"{each[0]:.1g}" for each in found) + f"; opens by {apart:.1g}"
        title = f"{SPATIAL_RING}, at {rate:g} rad/s: change of energy, for comparison"
        yield Row(title, "of the largest kinetic", 0.0, off, 0.0, ">=", how=how)


def _kept(start: tuple[dict[str, Any], int, float]) -> tuple[float, float]:
    """The largest change of energy, over the largest kinetic energy, and opening of the loop; infinite if the run diverges."""
    values, neighbour, seconds = start
    study = studies.load("newton-chain-loop", **values)
    v = np.array(study.v) * (1.0 + NEIGHBOUR * neighbour)
    try:
        run = whole(replace(study, v=tuple(v)), seconds=seconds)
    except SimulationError:
        return np.inf, np.inf
    energies = np.array([dynamics.energy(run.robot, q, v) for q, v in zip(run.q, run.v, strict=True)])
    total = energies.sum(axis=1)
    return float(np.abs(total - total[0]).max() / energies[:, 0].max()), max(_open(run, q) for q in run.q)


def _open(run: Run, q: np.ndarray) -> float:
    """Distance of the ends of a loop and, for a hinge in space, the angle between its axes; from poses alone."""
    (loop,) = run.robot.loops
    first, second = (kinematics.pose(run.robot, q, name) for name in (loop.first, loop.second))
    far = float(np.linalg.norm(first.position - second.position))
    if loop.kind == "revolute" and run.robot.space == "spatial":
        far = max(far, float(np.linalg.norm(np.cross(first.rotation[:, 1], second.rotation[:, 1]))))
    return far


def block(setting: Setting) -> Iterator[Row]:
    """A block slides off a table: closed forms on the table, then the other engine, whose step is a hundredth."""
    study = studies.load("newton-block")
    run = whole(study)
    beside = whole(study, engine=TimeStepping(), dt=1e-4 if setting.quick else 1e-5)
    slows = 0.2 * study.gravity
    table = run.time < 0.2
    wanted = 1.5 * run.time[table] - 0.5 * slows * run.time[table] ** 2
    off = float(np.abs(run.q[table, 0] - wanted).max())
    yield Row("on the table: place of the block off the closed form", "m", 0.0, off, 1e-9, how="sliding with friction 0.2")
    ledger = _ledger(run)
    yield Row("energy that no account explains", "J", 0.0, ledger, 1e-8, how="friction, impacts and weight, over the whole run")
    for kind in ("lift-off", "impact"):
        times = [next(event.time for event in each.events if event.kind == kind) for each in (run, beside)]
        yield Row(f"first {kind}, beside time stepping", "s", times[1], times[0], 1e-3)
    yield Row("where it comes to rest, beside time stepping", "m", beside.q[-1, 0], run.q[-1, 0], 5e-3)
    yield Row("its turn there", "rad", np.pi, run.q[-1, 2], 1e-6, how="it lies on its other side")


def falls(setting: Setting) -> Iterator[Row]:
    """Every ready robot with feet, limp, falls from random postures and heights onto ground of random friction, on all its links.

    Where it comes to rest is a matter of the last digits. So time stepping, another formulation of contact, is asked for the
    motion until shortly after the first impact.
    """
    names = FALLS_QUICK if setting.quick else tuple(name for name in robots.names() if robots.load(name).feet)
    count, seconds = (1, 0.6) if setting.quick else (7, 3.0)
    found = setting.finished(_fallen, [(name, setting.seed + i, seconds) for name in names for i in range(count)])
    for i, name in enumerate(names):
        drops = np.array(found[count * i : count * (i + 1)])
        if len(drops) == 0:
            continue
        worst = drops.max(axis=0)
        how = f"{len(drops)} drops of {seconds:g} s, from up to {HIGHEST:g} m; rise of energy " + _listed(drops[:, 0])
        yield Row(f"{name}, falls: rise of energy", "of that at the start", 0.0, worst[0], 1e-3, "<=", how)
        how = "over all drops and all time"
        yield Row(f"{name}, falls: energy that no account explains", "of that at the start", 0.0, worst[1], 1e-3, "<=", how)
        yield Row(f"{name}, falls: deepest point", "m", 0.0, worst[2], 1e-4, "<=", how)
        yield Row(f"{name}, falls: friction beyond its limit", "of the weight", 0.0, worst[3], 1e-6, "<=", how)
        how = f"{1e3 * SOON_AFTER:g} ms after the first impact, worst of all drops: " + _listed(drops[:, 4])
        yield Row(f"{name}, falls: coordinates off time stepping", "m, rad", 0.0, float(np.median(drops[:, 4])), 5e-3, "<=", how)


def _listed(values: np.ndarray) -> str:
    return ", ".join(f"{value:.1g}" for value in values)


def _fallen(drop: tuple[str, int, float]) -> tuple[float, ...]:
    """Rise of energy, what the ledger lacks, depth, friction beyond its limit, and how far it is off time stepping."""
    name, seed, seconds = drop
    study = dropped(name, seed, seconds)
    try:
        run = whole(study)
    except SimulationError:
        return (np.inf,) * 5
    ledger = analysis.ledger(run)
    start = abs(float(ledger.energy[0]))
    rise = float((ledger.energy[1:] - np.minimum.accumulate(ledger.energy)[:-1]).max())
    normal, along = run.force[..., -1], np.linalg.norm(run.force[..., :-1], axis=-1)
    beyond = float((along - study.world.contact.friction * normal).max()) / (run.robot.mass * study.gravity)
    deep = -float(run.point[..., -1].min(initial=0.0))
    struck = next((event.time for event in run.events if event.kind == "impact"), seconds)
    short = min(struck + SOON_AFTER, seconds)
    beside = whole(study, engine=TimeStepping(), dt=study.dt / 10, record_dt=study.record_dt, seconds=short)
    off = float(np.abs(run.q[: len(beside.q)] - beside.q)[-1].max())
    return max(rise, 0.0) / start, float(np.abs(ledger.residual).max()) / start, deep, max(beyond, 0.0), off


def dropped(name: str, seed: int, seconds: float) -> Study:
    """A limp robot in a random posture above the ground."""
    robot, rng = robots.load(name), np.random.default_rng(seed)
    q = kinematics.within_stops(robot, random_configuration(robot, rng, 0.5))
    world = World(contact=Rigid(friction=float(rng.uniform(0.2, 1.0))), falls=False, bodies=True)
    study = Study(robot, world, q=tuple(q), seconds=seconds, engine=Maximal())
    q = np.array(whole(replace(study, engine=TimeStepping()), seconds=study.dt, lift=True).q[0])
    q[robot.coordinates.index("base.z")] += rng.uniform(0.0, HIGHEST)
    return replace(study, q=tuple(q))


def _ledger(run: Run) -> float:
    return float(np.abs(analysis.ledger(run).residual).max())


# --- speed --------------------------------------------------------------------------------------------------------------------


def growth(_: Setting) -> Iterator[Row]:
    """Time per body of the solution of all bodies and hinges, for chains."""
    for space in ("planar", "spatial"):
        tasks = [_chain_task(space, length) for length in LENGTHS]
        short, long = (seconds / calls for seconds, (_, calls) in zip(_best(*(task for task, _ in tasks)), tasks, strict=True))
        how = f"{1e9 * short:.0f} ns a body in a chain of {LENGTHS[0]}, {1e9 * long:.0f} ns in one of {LENGTHS[1]}"
        title = f"{space} chain: time per body of {LENGTHS[1]} over that of {LENGTHS[0]}"
        yield Row(title, "1", 1.5, long / short, 0.0, "<=", how)


def _chain_task(space: str, length: int) -> tuple[Callable[[], None], int]:
    rows = 20_000 // length
    robot, rng = robots.load("chain", links=length, space=space), np.random.default_rng(length)
    q = np.array([random_configuration(robot, rng) for _ in range(rows)])
    v, tau = rng.normal(size=(2, rows, robot.nv))
    solver, a, doubts = Solver(robot), np.zeros((rows, robot.nv)), np.zeros(rows, np.uint32)
    return lambda: solver.ev.run(batch.forward_rows, solver.system, q, v, tau, a, doubts), rows * length


def _best(*tasks: Callable[[], Any], rounds: int = 9) -> list[float]:
    """The shortest time of each, measured in turns."""
    best = [np.inf] * len(tasks)
    for turn in range(rounds + 1):
        for i, task in enumerate(tasks):
            began = time.perf_counter()
            task()
            if turn:
                best[i] = min(best[i], time.perf_counter() - began)
    return best


def solve_times(setting: Setting) -> Iterator[Row]:
    """The 16-degree-of-freedom person: all accelerations and hinge forces, free, and with both feet welded, beside dense NumPy.

    The paper's whole system adds the joint torques as unknowns and minimises a quadratic cost: its dense KKT matrix is the last.
    """
    robot, rng = robots.load("person"), np.random.default_rng(setting.seed)
    q, (v, tau) = random_configuration(robot, rng, 0.5), rng.normal(size=(2, robot.nv))
    pins = _soles(robot)
    v = constrained.consistent(robot, q, v, pinned=pins)
    free, held, rounds = Solver(robot), Solver(robot, pinned=pins, q=q), 20 if setting.quick else 200
    count = 100
    rows = [np.repeat(each[None], count, axis=0) for each in (q, v, tau)]
    many, some = np.zeros((count, robot.nv)), np.zeros(count, np.uint32)
    system = dense(robot, q, v, pins)
    whole_system = _whole_system(system)
    times = _best(
        lambda: free.ev.run(batch.forward_rows, free.system, *rows, many, some),
        lambda: held.accelerate(q, v, tau),
        lambda: np.linalg.solve(system.K, system.b),
        lambda: np.linalg.solve(*whole_system),
        rounds=rounds,
    )
    us = 1e6 * np.array(times)
    us[0] /= count
    how = (
        f"free {us[0]:.1f} us; welded, called from Python, {us[1]:.0f} us; dense NumPy: {len(system.K)} unknowns {us[2]:.0f} us, "
        f"whole system with torques and a cost, {len(whole_system[1])} unknowns, {us[3]:.0f} us"
    )
    yield Row("accelerations and hinge forces of the person, free", "us", 60.0, us[0], 0.0, "<=", how)
    yield Row("the same with both feet welded", "us", 60.0, us[1], 0.0, "<=", how)


def _whole_system(system: Any) -> tuple[np.ndarray, np.ndarray]:
    """The KKT matrix of the least accelerations with joint torques unknown, too."""
    n, m, nv = 6 * system.bodies, len(system.K), system.columns.shape[1] - 6
    A = np.hstack((system.K, np.vstack((-system.columns[:, 6:], np.zeros((m - n, nv))))))
    H = np.diag([1.0] * n + [1e-6] * (m - n + nv))
    K = np.block([[H, A.T], [A, np.zeros((m, m))]])
    return K, np.concatenate((np.zeros(m + nv), system.b))


STUDIES = {
    "beside-the-tree": beside_the_tree,
    "dense-matrix": dense_matrix,
    "pinocchio": pinocchio,
    "loops": loops,
    "block": block,
    "falls": falls,
    "growth": growth,
    "solve-times": solve_times,
}
