"""Dan, Saha and Rama Krishna: impacts by momenta, DeNOC beside Lagrange's equations, and where digits are lost."""

from collections.abc import Iterator

import numpy as np

from footfall import dynamics, robots
from footfall.reproduce import Row, Setting
from footfall.reproduce._strikes import Compared, compare
from footfall.reproduce._textbook import Textbook, solved

WALKERS = tuple(name for name in robots.names() if robots.load(name).feet)
STRIKES, FEW = 1000, 20
FORMULATIONS = ("recursive", "denoc", "lagrange")


def impacts(setting: Setting) -> Iterator[Row]:
    """A foot strikes, with or without bouncing, while another stays or lifts: by momenta, by a dense solve, by the contact solver."""
    count = FEW if setting.quick else STRIKES
    found = setting.each(_compared, [(name, count, setting.seed) for name in WALKERS])
    for name, (dense, solver, simulated, met) in zip(WALKERS, found, strict=True):
        missing = count - met.get("all", 0)
        how = f"{name}: {', '.join(f'{many} {what}' for what, many in met.items())}; as simulated {simulated:.1g}"
        yield Row(f"{name}: momenta off the dense solve, {count} strikes", "1", 0.0, dense, 1e-9)
        yield Row(f"{name}: contact solver off the momenta", "1", 0.0, solver if not missing else np.nan, 1e-9, how=how)


def _compared(item: tuple[str, int, int]) -> Compared:
    return compare(*item)


def gimbal_lock(_: Setting) -> Iterator[Row]:
    """Hip axes nearly in line: how far each formulation is off a dense solve in extended precision, beside condition times eps."""
    robot = robots.load("wendlandt-3d")
    v, tau = np.random.default_rng(2).normal(size=(2, robot.nv))
    for off in (1e-2, 1e-3, 1e-4):
        q = robot.configuration(hip_roll_left=np.pi / 2 - off)
        M, h = Textbook(robot, q, v).equations(robot.gravity)
        reference = solved(M, tau - h)
        bound = np.linalg.cond(M.astype(float)) * np.finfo(float).eps
        for name in FORMULATIONS:
            a = dynamics.forward(robot, q, v, tau, formulation=name)
            wrong = float(np.abs(a - reference).max() / np.abs(reference).max())
            how = f"{name}, {off:g} rad: {wrong:.1e} of the largest acceleration"
            yield Row(f"{name}, {off:g} rad from the lock: error over what rounding may do", "1", 1.0, wrong / bound, 0.0, "<=", how)


STUDIES = {"impacts": impacts, "gimbal-lock": gimbal_lock}
