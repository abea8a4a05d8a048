"""CasADi reads the same text as the compiler: equal answers, and derivatives that are right."""

import casadi
import numpy as np
import pytest

import footfall as ff
from trees import close, random_robot, random_state

SPACES = ["planar", "spatial"]
TOLERANCE = 1e-11
pytestmark = pytest.mark.parametrize("space", SPACES)
seeds = pytest.mark.parametrize("seed", range(12))


def values(function, *arguments):
    results = function(*arguments)
    results = results if isinstance(results, tuple) else (results,)
    return [np.array(result).squeeze() for result in results]


@seeds
def test_trace_equals_compiled(space, seed):
    robot = random_robot(seed, space, links=1 + 3 * seed)
    q, v, x = random_state(robot, seed)
    close(values(ff.symbolic.forward(robot), q, v, x)[0], ff.dynamics.forward(robot, q, v, x).squeeze(), TOLERANCE, "forward")
    close(values(ff.symbolic.inverse(robot), q, v, x)[0], ff.dynamics.inverse(robot, q, v, x).squeeze(), TOLERANCE, "inverse")
    close(values(ff.symbolic.mass_matrix(robot), q)[0], ff.dynamics.mass_matrix(robot, q).squeeze(), TOLERANCE, "mass matrix")
    position, rotation = values(ff.symbolic.pose(robot, "tip"), q)
    pose = ff.kinematics.pose(robot, q, "tip")
    close(position, pose.position, TOLERANCE, "position")
    close(rotation, pose.rotation, TOLERANCE, "rotation")
    close(values(ff.symbolic.velocity(robot, "tip"), q, v)[0], ff.kinematics.velocity(robot, q, v, "tip"), TOLERANCE, "velocity")
    accel = ff.kinematics.acceleration(robot, q, v, x, "tip")
    close(values(ff.symbolic.acceleration(robot, "tip"), q, v, x)[0], accel, TOLERANCE, "acceleration")
    close(values(ff.symbolic.center_of_mass(robot), q)[0], ff.dynamics.center_of_mass(robot, q), TOLERANCE, "com")
    close(values(ff.symbolic.momentum(robot), q, v)[0], ff.dynamics.momentum(robot, q, v), TOLERANCE, "momentum")
    close(values(ff.symbolic.energy(robot), q, v), ff.dynamics.energy(robot, q, v), TOLERANCE, "energy")


@pytest.mark.parametrize("name", ff.robots.names())
def test_ready_robots(space, name):
    robot = ff.robots.load(name)
    if robot.space == space:
        q, v, x = random_state(robot, 1)
        still = np.squeeze(ff.dynamics.forward(robot, q, v, x))
        close(values(ff.symbolic.forward(robot), q, v, x)[0], still, TOLERANCE, "forward")
        close(
            values(ff.symbolic.inverse(robot), q, v, x)[0], np.squeeze(ff.dynamics.inverse(robot, q, v, x)), TOLERANCE, "inverse"
        )


@pytest.mark.parametrize("seed", range(6))
def test_jacobian_of_inverse_dynamics(space, seed):
    robot = random_robot(seed, space, links=1 + 2 * seed)
    q, v, a = random_state(robot, seed + 1)
    function = ff.symbolic.inverse(robot)
    exact = values(function.jacobian(), q, v, a, np.zeros(robot.nv))
    for index, block in enumerate(exact):
        arguments = [q, v, a]
        columns = []
        for k in range(len(arguments[index])):
            h = 1e-5

            def at(step, index=index, k=k):
                moved = [argument.copy() for argument in (q, v, a)]
                moved[index][k] += step
                return values(function, *moved)[0]

            columns.append((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h))
        close(block.reshape(robot.nv, -1), np.array(columns).T.reshape(robot.nv, -1), 1e-6, f"block {index}")


@seeds
def test_mass_matrix_rate_less_coriolis_is_skew_exactly(space, seed):
    robot = random_robot(seed, space, links=1 + 2 * seed)
    q, v, _ = random_state(robot, seed)
    coordinates = casadi.SX.sym("q", robot.nq)
    along = casadi.SX.sym("rate", robot.nq)
    M = ff.symbolic.mass_matrix(robot)(coordinates)
    rate = casadi.Function("rate", [coordinates, along], [casadi.jtimes(M, coordinates, along)])
    M_rate = np.array(rate(q, ff.kinematics.rate(robot, q, v)))
    S = M_rate - 2 * ff.dynamics.coriolis(robot, q, v)
    close(S, -S.T, 1e-10, "M' - 2 C")


def test_euler_lagrange(space):
    """d/dt dT/dv - dT/dq + dV/dq = tau, differentiated from the traced energies, for robots whose v is dq/dt."""
    for seed in range(6):
        robot = random_robot(seed, "planar", links=6)
        robot = robot if space == "planar" else robot.in_space()
        q, v, a = random_state(robot, seed)
        energy = ff.symbolic.energy(robot)
        sq, sv, sa = (casadi.SX.sym(name, robot.nv) for name in ("q", "v", "a"))
        kinetic, potential = energy(sq, sv)
        p = casadi.gradient(kinetic, sv)
        force = casadi.jtimes(p, sq, sv) + casadi.jtimes(p, sv, sa) - casadi.gradient(kinetic - potential, sq)
        lagrange = casadi.Function("lagrange", [sq, sv, sa], [force])
        close(np.array(lagrange(q, v, a)).ravel(), ff.dynamics.inverse(robot, q, v, a), 1e-10, "Euler-Lagrange")
