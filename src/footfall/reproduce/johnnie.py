"""A biped walking machine, on the example of JOHNNIE: link parameters, and legs in closed form."""

from collections.abc import Iterator

import numpy as np

from footfall import robots
from footfall.kinematics import Leg, leg, pose, random_configuration
from footfall.model.dh import CONVENTIONS, DHRow, DHTable, dh_table, dh_variables, robot_from_dh
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._clock import processor_time

B1, B2, L1, L2 = 0.07, 0.03, 0.42, 0.40  # m: the paper's leg has letters, these are chosen
TABLES, ANGLES = 1000, 1000
GOALS, FEW = 100_000, 5_000
MICROSECONDS = 2.0  # demanded for one goal
LEGS = ("johnnie", "wendlandt-3d", "person", "wendlandt")
RANGES = {  # rad: over the whole turn, from straight to folded; hip roll up to next to its singularity
    "planar": ((-np.pi, 0.0, -np.pi), (np.pi, np.pi, np.pi)),
    "spatial": ((-np.pi, -1.5, -np.pi, 0.0, -np.pi, -np.pi), (np.pi, 1.5, np.pi, np.pi, np.pi, np.pi)),
}
EXACT = 1e-12  # m, and entries of a rotation


def dh(setting: Setting) -> Iterator[Row]:
    """The paper's leg beside its printed matrix (2.9); random tables to robots and back; every chain of the ready robots."""
    rng, few = np.random.default_rng(setting.seed), setting.quick
    table = DHTable((DHRow("hip_1"), DHRow("hip_2", alpha=np.pi / 2, d=-B1), DHRow("knee", a=L1, d=-B2)))
    robot = robot_from_dh(table, "leg")
    draws = rng.uniform(-np.pi, np.pi, (ANGLES // 20 if few else ANGLES, 3))
    beside = [(pose(robot, q, "tool"), printed(*q), pose(robot, q, "tool", (L2, 0.0, 0.0))) for q in draws]
    off = max(float(np.abs(here.matrix - T).max()) for here, T, _ in beside)
    yield Row(f"the paper's leg, {len(draws)} postures: robot of the table off (2.9)", "1, m", 0.0, off, EXACT)
    off = max(float(np.abs(foot.position - (T @ (L2, 0.0, 0.0, 1.0))[:3]).max()) for _, T, foot in beside)
    yield Row("its foot off (2.10)", "m", 0.0, off, EXACT)
    for convention in CONVENTIONS:
        count = TABLES // 20 if few else TABLES
        off = max(_round_trip(rng, convention) for _ in range(count))
        title = f"{count} random tables, {convention} convention: table, its robot, that robot's tables"
        yield Row(
            f"{title}, apart", "1, m", 0.0, off, EXACT, how="1 to 8 joints, turning and sliding; axes that meet or are parallel"
        )
    for name in robots.names():
        found = list(_chains(robots.load(name), rng, few))
        title = f"{name}: tables of {len(found) // 2} chains, both conventions, off forward kinematics"
        yield Row(title, "1, m", 0.0, max(found), EXACT)


def printed(one: float, two: float, three: float) -> np.ndarray:
    """Johnnie (2.9), as printed."""
    c, s = np.cos, np.sin
    minus, plus = three - one + two, one + two + three
    x = 0.5 * L1 * c(two - one) + 0.5 * L1 * c(one + two) - s(one) * B2 - s(one) * B1
    y = 0.5 * L1 * s(one + two) - 0.5 * L1 * s(two - one) + c(one) * B2 + c(one) * B1
    return np.array(
        [
            [0.5 * c(minus) + 0.5 * c(plus), -0.5 * s(minus) - 0.5 * s(plus), s(one), x],
            [0.5 * s(plus) - 0.5 * s(minus), 0.5 * c(plus) - 0.5 * c(minus), -c(one), y],
            [s(two + three), c(two + three), 0.0, s(two) * L1],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def _round_trip(rng: np.random.Generator, convention: str) -> float:
    """A random table, half of its numbers special ones: how far the ways of computing its tool are apart."""
    special, rows = (0.0, np.pi / 2, -np.pi / 2, np.pi), []
    for i in range(rng.integers(1, 9)):
        alpha, theta = (float(rng.choice(special) if rng.random() < 0.5 else rng.uniform(-3, 3)) for _ in range(2))
        a, d = (float(rng.choice((0.0, 1.0)) * rng.uniform(0.05, 1.0)) for _ in range(2))
        rows.append(DHRow(f"joint_{i}", alpha, a, d, theta, "revolute" if rng.random() < 0.7 else "prismatic"))
    table, q = DHTable(tuple(rows), convention), rng.uniform(-2.0, 2.0, len(rows))
    robot, T = robot_from_dh(table), table.transform(q)
    others = [pose(robot, q, "tool").matrix, *(dh_table(robot, "tool", convention=each).transform(q) for each in CONVENTIONS)]
    return max(float(np.abs(other - T).max()) for other in others)


def _chains(robot: Robot, rng: np.random.Generator, few: bool) -> Iterator[float]:
    """From the world, and from every link, to every link and frame that moves against it."""
    targets = robot.layout.targets
    bases = ("world",) if few else ("world", *(link.name for link in robot.links))
    for base in bases:
        for target in targets:
            if targets[base].body != targets[target].body:
                q = random_configuration(robot, rng)
                T = np.linalg.solve(pose(robot, q, base).matrix, pose(robot, q, target).matrix)
                for convention in CONVENTIONS:
                    table = dh_table(robot, target, base, convention)
                    yield float(np.abs(table.transform(dh_variables(robot, q, table)) - T).max())


def legs(setting: Setting) -> Iterator[Row]:
    """Random reachable poses of a foot, from straight to folded: forward kinematics by plain matrices after the closed form,
    with the knee forward and back; rates beside the Jacobian; a goal beyond reach.
    """
    rng, count = np.random.default_rng(setting.seed), FEW if setting.quick else GOALS
    for name in LEGS:
        own = leg(robots.load(name), "sole_left")
        planar = own.robot.space == "planar"
        low, high = RANGES[own.robot.space]
        places, axes = _forward(own, rng.uniform(low, high, (count, len(low))))
        pitch = np.arctan2(axes[:, 0, 2], axes[:, 0, 0])
        p, R = (np.ascontiguousarray(places[:, [0, 2]]), pitch) if planar else (places, axes)
        worst, lacking = 0.0, 0.0
        for knee in ("forward", "back"):
            angles, beyond = own.many(p, R, knee)
            again = _forward(own, angles)
            worst = max(worst, *(float(np.abs(one - two).max()) for one, two in zip(again, (places, axes), strict=True)))
            lacking = max(lacking, float(np.abs(beyond).max()))
        yield Row(f"{name}: {count} poses of a foot, both knees, forward(inverse) off", "m, 1", 0.0, worst, EXACT)
        yield Row(f"{name}: said to be beyond reach, at most", "m", 0.0, lacking, EXACT)
        taken = 1e6 * processor_time(lambda own=own, p=p, R=R: own.many(p, R), 5) / count  # type: ignore[misc]
        yield Row(f"{name}: time of one solution in a compiled loop", "us", MICROSECONDS, taken, 0.0, "<=")
        if name != "person":  # whose hips have no names for their angles
            yield from _singular(own)


def _singular(own: Leg) -> Iterator[Row]:
    """Rates next to a straight leg, and a goal 10 cm too far."""
    robot, size = own.robot, 3 if own.robot.space == "planar" else 6
    near, pitch, down = 0.1, "" if size == 3 else "_pitch", np.zeros(size)
    down[robot.dim - 1] = -1.0
    fastest = 0.0
    for knee in np.geomspace(1e-8, 1.0, 200):
        q = robot.configuration({f"hip{pitch}_left": -knee / 2, "knee_left": knee, f"ankle{pitch}_left": -knee / 2})
        fastest = max(fastest, *(abs(rate) for rate in own.rates(q, down, near=near).values()))
    n = own.numbers
    bound = 1.2 * (n.thigh + n.shank) / (near * n.thigh * n.shank)
    title = f"{robot.name}: fastest joint as a leg comes straight at 1 m/s, damped below a sine of the knee of {near:g}"
    yield Row(title, "rad/s", bound, fastest, 0.0, "<=")
    goal = np.array(n.hip, float)
    goal[-1] -= n.thigh + n.shank + 0.1
    foot = leg(robot, "foot_left")
    yield Row(f"{robot.name}: said of a goal 0.1 m beyond reach", "m", 0.1, foot.inverse((goal, np.eye(robot.dim))).beyond, EXACT)


def _forward(own: Leg, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place and axes of the foot, by the matrices of a textbook; the legs of these robots hang straight down at zero."""
    n, columns = own.numbers, angles.T
    if len(columns) == 3:
        zero = np.zeros(len(angles))
        columns = np.array([zero, zero, *columns, zero])
    yaw, roll, pitch, knee, ankle, last = columns
    hip = _about(2, yaw) @ _about(0, roll) @ _about(1, pitch)
    shank = hip @ _about(1, knee)
    foot = shank @ _about(1, ankle) @ _about(0, last)
    start, sole = ((v[0], 0.0, v[1]) if len(v) == 2 else v for v in (n.hip, n.foot))
    place = np.array(start) + hip @ (0.0, 0.0, -n.thigh) + shank @ (0.0, 0.0, -n.shank) + foot @ np.array(sole)
    return place, foot


def _about(axis: int, angle: np.ndarray) -> np.ndarray:
    R, (i, j) = np.zeros((len(angle), 3, 3)), ((1, 2), (2, 0), (0, 1))[axis]
    R[:, axis, axis] = 1.0
    R[:, i, i] = R[:, j, j] = np.cos(angle)
    R[:, j, i] = np.sin(angle)
    R[:, i, j] = -R[:, j, i]
    return R


STUDIES = {"dh": dh, "leg": legs}
