"""Random pushes, loads and ground from a seed (domain randomisation), as plain numbers that a saved study keeps."""

import numbers
from typing import Any

import numpy as np

from footfall.errors import WorldError
from footfall.model.robot import Robot
from footfall.world.terrain import Blocks, Profile, Waves
from footfall.world.world import Load, Push

LOOKED_AT = 500.0  # m
LONGEST = 1e6  # s
MOST = 100_000  # pushes, loads, waves, steps or pieces of ground


def _check(title: str, seed: Any, **values: tuple[Any, float, float]) -> None:
    """Each value is a number from its lowest to its highest."""
    for name, (value, low, high) in {"seed": (seed, 0, 2**128), **values}.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not low <= value <= high:  # type: ignore[operator]
            raise WorldError(f"{title}: {name} must be a number from {low:g} to {high:g}, got {value!r:.60}")
    for name in {"seed", "waves", "count"} & {"seed", *values}:
        value = seed if name == "seed" else values[name][0]
        if not isinstance(value, numbers.Integral):
            raise WorldError(f"{title}: {name} must be a whole number, got {value!r:.60}")


def _times(title: str, every: float, seconds: float, seed: int, length: float) -> tuple[np.random.Generator, list[float]]:
    """When something begins: once in each `every` seconds after the first."""
    _check(title, seed, every=(every, 1e-3, LONGEST), seconds=(seconds, 0.0, LONGEST), length=(length, 1e-6, LONGEST))
    if seconds / every > MOST:
        raise WorldError(f"{title}: at most {MOST:,} are made, got one every {every:g} s for {seconds:g} s")
    return np.random.default_rng(seed), np.arange(every, seconds, every).tolist()


def random_pushes(
    robot: Robot, on: str, impulse: float, every: float, seconds: float, seed: int, length: float = 0.1
) -> tuple[Push, ...]:
    """Pushes of one impulse (N s) in random directions (along x in the plane, level in space), one in each `every` seconds."""
    if not isinstance(robot, Robot):
        raise WorldError(f"random_pushes: robot must be a Robot, got {robot!r:.60}")
    rng, times = _times("random_pushes", every, seconds, seed, length)
    _check("random_pushes", seed, impulse=(impulse, -1e12, 1e12))
    pushes = []
    for begin in times:
        direction: Any = (rng.choice((-1.0, 1.0)), 0.0)
        if robot.space == "spatial":
            angle = rng.uniform(0.0, 2 * np.pi)
            direction = (np.cos(angle), np.sin(angle), 0.0)
        start = float(begin + rng.uniform(0.0, max(every - length, 0.0)))
        pushes.append(Push(on, tuple(float(x) * impulse / length for x in direction), start, start + length))
    return tuple(pushes)


def random_loads(on: str, mass: float, every: float, seconds: float, seed: int, length: float = 1.0) -> tuple[Load, ...]:
    """Loads of up to `mass` (kg), each for `length` seconds, one in each `every` seconds."""
    rng, times = _times("random_loads", every, seconds, seed, length)
    _check("random_loads", seed, mass=(mass, 0.0, 1e12))
    loads = []
    for begin in times:
        start = float(begin + rng.uniform(0.0, max(every - length, 0.0)))
        loads.append(Load(on, float(rng.uniform(0.0, mass)), start, start + length))
    return tuple(loads)


def random_hills(height: float, length: float, seed: int, waves: int = 8) -> Waves:
    """Hills in all directions: sines of lengths around `length` (m), together `height` (m) in the root mean square."""
    _check("random_hills", seed, height=(height, 0.0, 1e6), length=(length, 1e-3, 1e9), waves=(waves, 1, MOST))
    rng = np.random.default_rng(seed)
    lengths = length * 2.0 ** rng.uniform(-0.5, 0.5, waves)
    ways, phases = rng.uniform(0.0, 2 * np.pi, (2, waves))
    amplitude = height * np.sqrt(2.0 / waves)
    return Waves(tuple((float(amplitude), *row) for row in np.transpose((lengths, ways, phases)).tolist()))


def hills_of(slope: float, rise: float, span: float, seed: int, waves: int = 4) -> Waves:
    """Hills along x from 0 to `span` (m): `slope` rad where steepest, `rise` (m) from the lowest place to the highest.

    One of the two is exact; the other is exact, or exceeded by up to an eighth where another place becomes the highest or
    steepest. Of a longer span only the first 500 m are checked; the hills continue in the same way.
    """
    steepest = (slope, float(np.radians(0.1)), float(np.radians(80.0)))
    _check("hills_of", seed, slope=steepest, rise=(rise, 1e-6, 1e6), span=(span, 1e-3, 1e9), waves=(waves, 1, MOST))
    rng, x, steep = np.random.default_rng(seed), np.linspace(0.0, min(span, LOOKED_AT), 20_000), np.tan(slope)
    if rise >= steep * x[-1]:
        raise WorldError(
            f"hills_of: at {np.degrees(slope):g} degrees nothing rises by {rise:g} m within {x[-1]:g} m; "
            f"rise must be below {steep * x[-1]:g} m"
        )
    lengths, phases = 2.0 ** rng.uniform(-0.7, 0.7, waves), rng.uniform(0.0, 2 * np.pi, waves)
    amplitudes, last = lengths * rng.uniform(0.5, 1.0, waves), 8
    for turn in range(last + 1):  # longer waves have other places in the span, so height and slope are made right in turns
        z = (amplitudes * np.sin(2 * np.pi * x[:, None] / lengths + phases)).sum(axis=1)
        higher, steeper = rise / np.ptp(z), steep / np.abs(np.gradient(z, x)).max()
        amplitudes = amplitudes * (higher if turn < last else max(higher, steeper))
        lengths = lengths * (higher / steeper if turn < last else 1.0)
    return Waves(tuple((a, length, 0.0, p) for a, length, p in np.transpose((amplitudes, lengths, phases)).tolist()))


def random_steps(rise: float, run: float, seed: int, count: int = 20, start: float = 0.5) -> Profile:
    """Level treads of depth `run` (m) from x = start on, each higher or lower than the one before by up to `rise` (m)."""
    _check("random_steps", seed, rise=(rise, 0.0, 1e6), run=(run, 1e-3, 1e6), count=(count, 1, MOST), start=(start, -1e9, 1e9))
    levels = np.concatenate(([0.0], np.cumsum(np.random.default_rng(seed).uniform(-rise, rise, count))))
    edges = start + run * np.arange(count)
    return Profile(tuple(np.repeat(edges, 2).tolist()), tuple(np.repeat(levels, 2)[1:-1].tolist()))


def random_ground(
    rise: float, slope: float, seed: int, span: float, *, piece: float = 1.0, start: float = 1.0, exact: bool = False
) -> Profile:
    """Pieces of about `piece` m from x = start to `span`, at least one, each at up to `slope` rad, sharp steps of up to `rise` m
    between.

    With `exact`, every slope is +-`slope`, and every step is +-`rise` or none, each as likely.
    """
    _check(
        "random_ground", seed, rise=(rise, 0.0, 1e6), slope=(slope, 0.0, 1.5), start=(start, -1e9, 1e9), span=(span, -1e9, 1e9)
    )
    _check("random_ground", seed, piece=(piece, max(1e-3, (span - start) / MOST), 1e9))
    rng, x, z = np.random.default_rng((seed, 0)), [start], [0.0]
    while x[-1] < span or len(x) == 1:
        if exact:
            step, tilt = rise * rng.choice((-1.0, 0.0, 1.0)), np.tan(slope * rng.choice((-1.0, 1.0)))
        else:
            step, tilt = rng.uniform(-rise, rise), np.tan(rng.uniform(-slope, slope))
        long = piece * rng.uniform(2 / 3, 4 / 3)
        x += [x[-1], x[-1] + long]
        z += [z[-1] + step, z[-1] + step + long * tilt]
    return Profile(tuple(map(float, x)), tuple(map(float, z)))


def random_blocks(length: float, seed: int) -> Blocks:
    """Boxes on the way from x = 0 to `length` (m), one to four, 0.9 m or more from one to the next.

    Half of them are low bars across the way, 0.45 boxes of up to 1.2 m, and 0.05 walls of 0.2 to 0.8 m from side to side.
    """
    _check("random_blocks", seed, length=(length, 2.5, 100.0))
    rng = np.random.default_rng((seed, 1))
    most = int((length - 2.0) / 0.9) + 1
    count = int(rng.integers(1, min(most, 4) + 1))
    slack = np.sort(rng.uniform(0.0, length - 2.0 - 0.9 * (count - 1), count))
    rows = []
    for x in 1.1 + slack + 0.9 * np.arange(count):
        kind = rng.uniform()
        if kind < 0.5:
            row = (
                rng.uniform(-0.4, 0.4),
                rng.uniform(-0.3, 0.3),
                rng.uniform(0.03, 0.1),
                rng.uniform(0.8, 3.0),
                rng.uniform(0.02, 0.1),
            )
        elif kind < 0.95:
            row = (rng.uniform(-0.5, 0.5), rng.uniform(-1.5, 1.5), *rng.uniform(0.2, 0.7, 2), rng.uniform(0.1, 1.2))
        else:
            row = (0.0, rng.uniform(-0.1, 0.1), rng.uniform(0.1, 0.3), 10.0, rng.uniform(0.2, 0.8))
        rows.append((x, *row))
    return Blocks(tuple(tuple(float(round(value, 3)) for value in row) for row in rows))
