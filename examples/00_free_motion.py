"""A biped in free flight: nothing but its own inertia and weight, so energy and momentum must stay what they are.

Prints the robot, lets it fall while its limbs swing, prints how well the invariants are kept, and writes a picture.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import footfall as ff

SECONDS = 0.8


def fly(robot, q, v, times):
    """States at `times` of a robot that nothing touches, by an eighth-order Runge-Kutta method."""

    def rate(_, state):
        q, v = state[: robot.nq], state[robot.nq :]
        return np.concatenate([ff.kinematics.rate(robot, q, v), ff.dynamics.forward(robot, q, v, np.zeros(robot.nv))])

    flown = solve_ivp(rate, times[[0, -1]], np.concatenate([q, v]), "DOP853", times, rtol=1e-11, atol=1e-12)
    return flown.y[: robot.nq].T, flown.y[robot.nq :].T


def main(folder):
    robot = ff.robots.load("wendlandt")
    print(robot, end="\n\n")

    # a jump: crouched, thrown up and forward, one leg swinging ahead and the other behind
    q = robot.configuration({"base.z": 0.9, "hip_left": -0.5, "knee_left": 0.7, "hip_right": 0.2, "knee_right": 0.5})
    v = robot.velocity({"base": (1.5, 3.0, 0.3), "hip_left": 1.8, "knee_left": 1.5, "hip_right": -1.8, "knee_right": 2.5})
    times = np.linspace(0.0, SECONDS, 201)
    qs, vs = fly(robot, q, v, times)

    energy = np.array([ff.dynamics.energy(robot, q, v).total for q, v in zip(qs, vs, strict=True)])
    momentum = np.array([ff.dynamics.momentum(robot, q, v) for q, v in zip(qs, vs, strict=True)])
    weight = robot.mass * robot.gravity
    exchanged = np.ptp([ff.dynamics.energy(robot, q, v).potential for q, v in zip(qs, vs, strict=True)])
    com = np.array([ff.dynamics.center_of_mass(robot, q) for q in qs])
    parabola = com[0] + np.outer(times, momentum[0, :2] / robot.mass) - np.outer(times**2, (0.0, robot.gravity / 2))
    print(f"free flight for {SECONDS:g} s: {exchanged:.0f} J of energy change hands, the invariants stay:")
    print(f"  energy                          {energy[0]:10.3f} J        changes by at most {np.ptp(energy):.1e} J")
    print(
        f"  momentum forward                {momentum[0, 0]:10.3f} N s      changes by at most {np.ptp(momentum[:, 0]):.1e} N s"
    )
    lost = np.abs(momentum[:, 1] - momentum[0, 1] + weight * times).max()
    print(f"  momentum up, weight counted     {momentum[0, 1]:10.3f} N s      changes by at most {lost:.1e} N s")
    print(
        f"  angular momentum                {momentum[0, 2]:10.3f} N m s    changes by at most {np.ptp(momentum[:, 2]):.1e} N m s"
    )
    print(f"  centre of mass off its parabola                          by at most {np.abs(com - parabola).max():.1e} m")

    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "free_motion.png"
    ff.view.picture(robot, qs[::25], target, title="Wendlandt's biped in free flight, every tenth of a second")
    ff.write_robot(robot, folder / "wendlandt.toml")
    print(f"\nwritten: {target} and {folder / 'wendlandt.toml'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
