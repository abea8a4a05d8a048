"""Section 4 of the paper on JOHNNIE: equations of motion, motors, gear friction, contact elements, closed chain, ankle drives."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf, pi, sqrt

import numpy as np

from footfall import analysis, dynamics, kinematics, robots
from footfall.control import Compiled, Hold
from footfall.core.jit import kernel
from footfall.model.parts import Box, Compliance, Foot, Joint, Link, Motor
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import GRAVITY, ran
from footfall.robots.johnnie import ANKLE
from footfall.world import Push, Rigid, World

MASS, K, B, FRICTION = 10.0, 5e4, 300.0, 0.5  # kg, N/m, N s/m, 1: of the block on four elements
COULOMB, STATIC, SPEED, VISCOUS, INERTIA = 0.2, 0.5, 0.4, 0.05, 0.3  # N m, N m, rad/s, N m s/rad, kg m2: of the flywheel
SIDES = ("left", "right")


def matrices(setting: Setting) -> Iterator[Row]:
    """Equations 4.1 and 4.2: both forms against inverse dynamics, at random states of every ready robot."""
    rng, states = np.random.default_rng(setting.seed), 2 if setting.quick else 20
    worst = {"state space": 0.0, "configuration space": 0.0}
    skew, names = 0.0, robots.names()
    for name in names:
        robot = robots.load(name)
        for i in range(states):
            q = kinematics.random_configuration(robot, setting.seed + i)
            v, a = rng.normal(size=(2, robot.nv))
            exact = dynamics.inverse(robot, q, v, a)
            form = dynamics.configuration_space(robot, q)
            found = {"state space": dynamics.state_space(robot, q, v).forces(a), "configuration space": form.forces(v, a)}
            for which, tau in found.items():
                worst[which] = max(worst[which], float(np.abs(tau - exact).max() / max(1.0, np.abs(exact).max())))
            skew = max(skew, float(np.abs(form.M - form.M.T).max() / np.abs(form.M).max()))
    how = f"{states} random states of each of {len(names)} robots, relative to the largest force"
    for which, most in worst.items():
        yield Row(f"{which} form: largest difference from inverse dynamics", "1", 0.0, most, 1e-10, how=how)
    yield Row("M is symmetric: largest difference", "1", 0.0, skew, 1e-12, how=how)


def _curve(v: float) -> float:
    return COULOMB + (STATIC - COULOMB) * float(np.exp(-((v / SPEED) ** 2))) + VISCOUS * abs(v)


@kernel
def _ramp(obs, params, state, goal, command):  # type: ignore[no-untyped-def] # noqa: ARG001
    command.tau[0] = params.rate * obs.time
    return 0


def friction(_: Setting) -> Iterator[Row]:
    """Equation 4.6 and figure 4.1: viscous, Coulomb and Stribeck friction. A flywheel runs down; a growing torque moves it."""
    from scipy.integrate import quad

    rubs = {"friction": COULOMB, "static_friction": STATIC, "stribeck_velocity": SPEED, "damping": VISCOUS}
    joint = Joint("hinge", "revolute", "world", "wheel", motor=Motor(), **rubs)  # type: ignore[arg-type]
    wheel = Robot("flywheel", "planar", (Link("wheel", 1.0, inertia=INERTIA),), (joint,))
    world, start = World(gravity=0.0), 2.0
    run = ran(wheel, world=world, q=(0.0,), v=(start,), seconds=4.0, record_dt=1e-3)
    time = quad(lambda v: INERTIA / _curve(v), 0.0, start)[0]
    way = quad(lambda v: INERTIA * v / _curve(v), 0.0, start)[0]
    stopped = float(run.time[np.argmax(np.abs(run.v[:, 0]) < 1e-6)])
    yield Row("flywheel from 2 rad/s: it stops after the integral of J dv / F(v)", "s", time, stopped, 2e-3)
    yield Row("flywheel from 2 rad/s: angle to rest, the integral of J v dv / F(v)", "rad", way, run.q[-1, 0], 1e-4 * way)
    creep = float(np.abs(run.v[run.time > stopped + 0.01, 0]).max())
    yield Row("flywheel: largest speed after it stopped", "rad/s", 0.0, creep, 1e-9)
    for share in (1.0, -1.0):
        law = Compiled(1000.0, _ramp, {"rate": share})
        run = ran(wheel, law, world, q=(0.0,), seconds=0.6, record_dt=1e-3)
        moves = float(run.time[np.argmax(np.abs(run.v[:, 0]) > 1e-6)])
        yield Row(f"torque that grows by {share:g} N m/s: it moves at F_s", "N m", STATIC, moves, 5e-3)
    holds = [_held(wheel, share * STATIC) for share in (0.99, -0.99)]
    yield Row("0.99 F_s for 10 s: largest angle", "rad", 0.0, max(holds), 1e-6)


@kernel
def _constant(obs, params, state, goal, command):  # type: ignore[no-untyped-def] # noqa: ARG001
    command.tau[0] = params.torque
    return 0


def _held(wheel: Robot, torque: float) -> float:
    run = ran(wheel, Compiled(1000.0, _constant, {"torque": torque}), World(gravity=0.0), q=(0.0,), seconds=10.0)
    return float(np.abs(run.q[:, 0]).max())


def _block(compliance: Compliance) -> Robot:
    """A block on four elements; its centre of mass is level with them, so that friction does not tilt it."""
    foot = Foot("foot", (Box("block", (0.4, 0.3, 0.1), (0.0, 0.0, 0.05)),), compliance)
    link = Link("block", MASS, inertia=(0.2, 0.2, 0.2))
    return Robot("block", "spatial", (link,), (Joint("base", "free", "world", "block"),), feet=(foot,))


def _placed(z: float) -> tuple[float, ...]:
    return (0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0)


def contact_elements(setting: Setting) -> Iterator[Row]:
    """Equations 4.7 to 4.12: four elements of 5e4 N/m and 300 N s/m below 10 kg, with the time step of any study (1 ms)."""
    block, ground, sink = _block(Compliance(K, B)), World(falls=False, contact=Rigid(FRICTION)), MASS * GRAVITY / 4 / K
    run = ran(block, world=ground, q=_placed(0.0), seconds=1.0)
    yield Row("static load: it sinks by m g / 4 K", "m", sink, -run.q[-1, 2], 5e-3 * sink)
    shares, pulls = [], [0.0]
    for height in np.linspace(0.002, 0.02, 5 if setting.quick else 25):
        run = ran(block, world=ground, q=_placed(height), seconds=0.2, record_dt=1e-3)
        shares.append(_lowest(run.q[:, 2]) / _deepest(height))
        pulls.append(-float(run.force[..., 2].min()))
    worst = max(shares, key=lambda share: abs(share - 1.0))
    yield Row(f"drop, worst of {len(shares)} heights of 2 to 20 mm: deepest over the closed form", "1", 1.0, worst, 5e-3)
    yield Row("drop: largest pull of an element", "N", 0.0, max(pulls), 0.0)
    pull, stiff = 0.6 * FRICTION * MASS * GRAVITY, 2e4
    run = _pulled(_block(Compliance(K, B, stiff, 400.0)), ground, pull, 1.0)
    yield Row("stiction at 0.6 of the cone: it yields by F / 4 K_s", "m", pull / 4 / stiff, run.q[-1, 0], 5e-3 * pull / 4 / stiff)
    held = _pulled(block, ground, 0.99 * FRICTION * MASS * GRAVITY, 2.0)
    yield Row("stiction at 0.99 of the cone: it has not moved by more than its spring", "m", 1e-3, held.q[-1, 0], 0.0, "<=")
    run = _pulled(block, ground, 2.0 * FRICTION * MASS * GRAVITY, 1.2)
    later = run.time > 0.6
    a = float(np.polyfit(run.time[later], run.v[later, 0], 1)[0])
    yield Row("slip at twice the cone: F / m - mu g", "m/s2", FRICTION * GRAVITY, a, 5e-3 * FRICTION * GRAVITY)
    run = ran(block, world=ground, q=_placed(-sink), v=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0), seconds=0.6, record_dt=1e-3)
    exact = 1.0 / (2 * FRICTION * GRAVITY)
    yield Row("slip to rest from 1 m/s: v^2 / 2 mu g", "m", exact, float(run.q[:, 0].max()), 5e-3 * exact)
    yield from _johnnie_stands()


def _deepest(height: float) -> float:
    """Closed form: a damped oscillator from the moment of touch."""
    speed, rest, decay = sqrt(2 * GRAVITY * height), MASS * GRAVITY / 4 / K, 4 * B / 2 / MASS
    w = sqrt(4 * K / MASS - decay**2)
    t = np.linspace(0.0, pi / w, 20001)
    swing = -rest * np.cos(w * t) + (speed - decay * rest) / w * np.sin(w * t)
    return float((rest + np.exp(-decay * t) * swing).max())


def _lowest(z: np.ndarray) -> float:
    """Depth of the lowest point, by a parabola through the three lowest rows."""
    i = int(np.argmin(z))
    low, mid, high = z[i - 1 : i + 2]
    return -float(mid - (high - low) ** 2 / (8 * (low - 2 * mid + high)))


def _pulled(robot: Robot, ground: World, force: float, seconds: float):  # type: ignore[no-untyped-def]
    """Pulled by a force that grows in 40 parts until 0.5 s, so that nothing swings."""
    pushes = tuple(Push("block", (force / 40, 0.0, 0.0), 0.1 + 0.01 * i, 100.0) for i in range(40))
    return ran(robot, world=replace(ground, pushes=pushes), q=_placed(-MASS * GRAVITY / 4 / K), seconds=seconds)


def _crouched(robot: Robot) -> np.ndarray:
    bend = {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4}
    return robot.configuration({f"{joint}_{side}": angle for joint, angle in bend.items() for side in SIDES})


def _johnnie_stands() -> Iterator[Row]:
    robot = robots.load("johnnie", motors="real", feet="compliant")
    run = ran(robot, Hold(stiffness=2000.0, damping=40.0), q=tuple(_crouched(robot)), seconds=3.0, lift=True)
    weight = robot.mass * GRAVITY
    carried = float(run.force[-1, :, 2].sum())
    yield Row("JOHNNIE on its eight elements: they carry m g", "N", weight, carried, 5e-3 * weight)


def closed_chain(setting: Setting) -> Iterator[Row]:
    """Equations 4.13 to 4.15: JOHNNIE in double support; toe and heel held, forces of both feet by least effort and by shares."""
    robot, rng = robots.load("johnnie"), np.random.default_rng(setting.seed)
    q, v = _crouched(robot), 0.3 * rng.normal(size=robot.nv)
    for which, x in (("toe", 0.2), ("heel", -0.07)):
        chain = dynamics.closed_chain(robot, q, v, "foot_left", (x, 0.0, -0.07), held=("x", "y", "z", "roll", "yaw"))
        a = chain.closest(rng.normal(size=robot.nv))
        moving = kinematics.acceleration(robot, q, v, a, "foot_left", (x, 0.0, -0.07))[[0, 1, 2, 3, 5]]
        yield Row(f"{which} held: its largest acceleration", "m/s2", 0.0, float(np.abs(moving).max()), 1e-10)
    still = np.zeros(robot.nv)
    chains = [dynamics.closed_chain(robot, q, still, f"foot_{side}") for side in SIDES]
    both = dynamics.ClosedChain(np.vstack([c.J for c in chains]), np.concatenate([c.rate for c in chains]))
    a = both.closest(0.5 * rng.normal(size=robot.nv))
    exact = robot.mass * GRAVITY + dynamics.momentum_rate(robot, q, still, a)[2]
    least = dynamics.distribute(robot, q, still, a)
    given = dynamics.distribute(robot, q, still, a, share={"foot_left": 0.3, "foot_right": 0.7})
    for which, found in (("least effort", least), ("shares 0.3 and 0.7", given)):
        up = sum(w[2] for w in found.wrenches.values())
        yield Row(f"{which}: both feet carry m (g + z'')", "N", exact, up, 1e-8 * exact)
        back = dynamics.forward(robot, q, still, found.tau, external=_external(robot, q, found))
        yield Row(f"{which}: accelerations by forward dynamics, largest difference", "m/s2", 0.0, np.abs(back - a).max(), 1e-8)
    yield Row("shares 0.3 and 0.7: left foot", "N", 0.3 * exact, given.wrenches["foot_left"][2], 1e-8 * exact)
    yield Row("least effort over that of the shares", "1", 1.0, least.effort / given.effort, 0.0, "<=")


def _external(robot: Robot, q: np.ndarray, found: dynamics.Distribution) -> dict[str, np.ndarray]:
    """The wrenches moved to the origins of the feet."""
    moved = {}
    for foot, w in found.wrenches.items():
        arm = found.places[foot] - kinematics.pose(robot, q, foot).position
        moved[foot] = np.concatenate((w[:3], w[3:] + np.cross(arm, w[:3])))
    return moved


def ankle_drives(setting: Setting) -> Iterator[Row]:
    """Section 5: the ankle on two parallel ballscrews. There and back, the same power on both sides, and its limits."""
    rng = np.random.default_rng(setting.seed)
    back, power = 0.0, 0.0
    for _ in range(20 if setting.quick else 500):
        angles, rates, forces = rng.uniform(-0.35, 0.35, 2), rng.normal(size=2), 300.0 * rng.normal(size=2)
        back = max(back, float(np.abs(ANKLE.angles(ANKLE.lengths(angles)) - angles).max()))
        work = float(forces @ (ANKLE.jacobian(angles) @ rates))
        power = max(power, abs(float(ANKLE.torques(angles, forces) @ rates - work) / work))
    yield Row("angles to lengths and back: largest difference", "rad", 0.0, back, 1e-10)
    yield Row("power of the screws and of the joints: largest relative difference", "1", 0.0, power, 1e-9)
    yield Row("rotor per pitch, upright: 2 pi r / lead", "1", 2 * pi * 0.075 / 0.004, abs(ANKLE.ratio((0.0, 0.0))[0, 0]), 1e-9)
    for which, torques in (("pitch 45 N m", (45.0, 0.0)), ("roll 12 N m", (0.0, 12.0)), ("both at once", (45.0, 12.0))):
        poses = [(p, r) for p in np.linspace(-0.5, 0.5, 21) for r in np.linspace(-0.2, 0.2, 9)]
        most = max(float(np.abs(ANKLE.forces(pose, torques)).max()) for pose in poses)
        title = f"{which} within 0.5 rad of pitch and 0.2 of roll: force of a screw over its limit"
        yield Row(title, "1", 1.0, most / ANKLE.motor.strongest, 0.0, "<=")
    robot = robots.load("johnnie", motors="real", feet="compliant")
    run = ran(robot, Hold(stiffness=2000.0, damping=40.0), q=tuple(_crouched(robot)), seconds=1.0, lift=True)
    used = max((drive.torque.part for drive in analysis.actuation(run).drives if drive.torque.limit < inf), default=0.0)
    yield Row("JOHNNIE lands on bent knees: largest torque over its limit", "1", 1.0, used, 0.0, "<=")
    found = [analysis.screws(run, ANKLE, (f"ankle_pitch_{side}", f"ankle_roll_{side}")) for side in SIDES]
    yield Row("and its screws could do it", "1", 1.0, float(all(each.within for each in found)), 0.0)


STUDIES = {
    "matrices": matrices,
    "friction": friction,
    "contact-elements": contact_elements,
    "closed-chain": closed_chain,
    "ankle-drives": ankle_drives,
}
