"""Random robots and states for the tests; the seed decides everything."""

import numpy as np

import footfall as ff


def random_inertia(rng, mass):
    """Principal moments of a box of random size, turned at random: always physical, never special."""
    x, y, z = rng.uniform(0.05, 0.5, 3) ** 2
    moments = mass / 12 * np.array([y + z, x + z, x + y])
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    J = Q @ np.diag(moments) @ Q.T
    return J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]


def random_robot(seed, space, links=None):
    """A tree of 1 to 40 links with joints of every kind of its space, in an order in which children may come first."""
    rng = np.random.default_rng(seed)
    n = int(links or rng.integers(1, 41))
    dim = 2 if space == "planar" else 3
    inner = ["revolute", "revolute", "prismatic", "fixed"] + (["spherical"] if space == "spatial" else [])
    bases = ["planar", "revolute", "fixed"] + (["free", "free", "spherical"] if space == "spatial" else [])
    parts, joints = [], []
    for i in range(n):
        mass = rng.uniform(0.2, 5.0)
        inertia = mass * rng.uniform(0.001, 0.1) if space == "planar" else random_inertia(rng, mass)
        parts.append(ff.Link(f"l{i}", mass, tuple(rng.normal(0, 0.3, dim)), inertia))
        above = int(rng.integers(max(-1, i - 6), i)) if i else -1
        kind = str(rng.choice(inner if above >= 0 else bases))
        if i == n - 1 and kind == "fixed":  # something must move
            kind = "revolute"
        options = {}
        if kind in ("revolute", "prismatic"):
            options["motor"] = ff.Motor(rotor_inertia=rng.uniform(0, 1e-3), gear=rng.uniform(1, 20))
            if kind == "prismatic" or space == "spatial":
                options["axis"] = tuple(rng.normal(size=dim))
        turn = rng.normal() if space == "planar" else tuple(rng.normal(size=3))
        parent = f"l{above}" if above >= 0 else "world"
        joints.append(ff.Joint(f"j{i}", kind, parent, f"l{i}", at=tuple(rng.normal(0, 0.4, dim)), turn=turn, **options))
    turn = rng.normal() if space == "planar" else tuple(rng.normal(size=3))
    frames = (ff.Frame("tip", f"l{n - 1}", at=tuple(rng.normal(0, 0.4, dim)), turn=turn),)
    order = rng.permutation(n)
    return ff.Robot(f"tree{seed}", space, tuple(parts), tuple(joints[i] for i in order), frames=frames)


def random_state(robot, seed, spread=1.0):
    """q, v, and a third vector for accelerations or forces. Every fifth state is next to the zero position."""
    rng = np.random.default_rng(seed)
    q = ff.kinematics.random_configuration(robot, rng, spread if seed % 5 else 1e-7)
    return q, rng.normal(size=robot.nv), rng.normal(size=robot.nv)


def close(ours, theirs, tolerance, what=""):
    """Largest difference relative to the size of the reference (absolute below 1)."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, f"{what}: shapes {ours.shape} and {theirs.shape}"
    if ours.size:
        error = np.max(np.abs(ours - theirs)) / max(1.0, np.max(np.abs(theirs)))
        assert error <= tolerance, f"{what}: relative difference {error:.2e} > {tolerance:.0e}"
