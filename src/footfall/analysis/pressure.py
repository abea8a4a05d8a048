"""Centre of pressure (CoP), zero-moment point (ZMP), and their distance to the edge of the support.

The centre of pressure is measured: contact points, weighted by their normal forces. The zero-moment point is computed from the
motion: the point on the level plane through the feet where the ground force that this motion needs has no tipping moment.
On level ground they are the same point (Sardain and Bessonnet 2004), so their difference shows how well motion and forces
of a run agree. Both are those of the mean force since the row before, impacts included. Where there is no such point, as in
flight, `valid` is False and the place is zero.
"""

from dataclasses import dataclass

import numpy as np

from footfall import kinematics
from footfall.analysis import motion
from footfall.motion.support import depth, hull
from footfall.sim.run import Run
from footfall.world import Flat

LIGHT = 1e-3  # of the weight: pressing less is flight


@dataclass(frozen=True)
class Track:
    """A point of the ground over time."""

    place: np.ndarray  # (rows, 2 or 3) m, zero where it is not valid
    valid: np.ndarray  # (rows,) bool


@dataclass(frozen=True)
class Pressure:
    """Both points and their margins: distance to the edge of the support in m, negative outside, zero where not valid."""

    time: np.ndarray
    cop: Track
    zmp: Track
    cop_margin: np.ndarray
    zmp_margin: np.ndarray


def pressure(run: Run) -> Pressure:
    """Centre of pressure and zero-moment point of a run, with their margins."""
    cop, zmp = center_of_pressure(run), zero_moment_point(run)
    return Pressure(run.time, cop, zmp, margin(run, cop), margin(run, zmp))


def center_of_pressure(run: Run) -> Track:
    """Mean of the points where pads pressed, each with the weight of its normal force; feet that are held may also pull."""
    press = _pressing(run)
    total, weight = press.sum(axis=1), motion.weight(run)
    valid = total > LIGHT * weight
    place = np.einsum("ik,ikd->id", press, run.center)
    place[~valid] = 0.0
    place[valid] /= total[valid, None]
    return Track(place, valid)


def zero_moment_point(run: Run) -> Track:
    """From momentum, weight and pushes, on the level plane through the centre of pressure.

    Rates of momentum are changes since the row before; the first row has those of the second. For a robot that is mounted on the
    world, its mount's forces count as the ground's.
    """
    cop, up = center_of_pressure(run), run.robot.dim - 1
    if len(run.time) < 2:
        return Track(np.zeros_like(cop.place), np.zeros(len(run.time), dtype=bool))
    middle, rate = _balance(run)
    force, moment = rate[:, : up + 1] - motion.mass(run)[:, None] * motion.gravity(run), rate[:, up + 1 :]
    lift = force[:, up]
    valid = cop.valid & (lift > LIGHT * motion.weight(run))
    place = np.where(valid[:, None], cop.place, 0.0)
    arm, lift = (cop.place - middle)[valid, up], lift[valid]
    tip = moment[valid, 0] if up == 1 else moment[valid, 1]
    place[valid, 0] = middle[valid, 0] + (arm * force[valid, 0] - tip) / lift
    if up == 2:
        place[valid, 1] = middle[valid, 1] + (arm * force[valid, 1] + moment[valid, 0]) / lift
    return Track(place, valid)


def _balance(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Mean place of the centre of mass since the row before, and the rates of momentum and of angular momentum about that place
    that pushes do not explain. Weight has no moment about it.
    """
    center, momenta, dim = motion.center_of_mass(run), motion.momentum(run), run.robot.dim
    dt = np.diff(run.time)[:, None]
    linear = momenta[:, :dim]
    v = linear / motion.mass(run)[:, None]
    middle = 0.5 * (center[1:] + center[:-1]) - dt / 12 * (v[1:] - v[:-1])
    spins = [momenta[rows, dim:] + _moments(center[rows] - middle, linear[rows]) for rows in (slice(1, None), slice(-1))]
    rate = np.hstack((np.diff(linear, axis=0), spins[0] - spins[1])) / dt - _pushes(run, middle)
    return np.concatenate((middle[:1], middle)), np.concatenate((rate[:1], rate))


def support(run: Run, row: int) -> np.ndarray:
    """The convex hull of the pads in touch, and of where pads pressed since the row before, seen from above.

    In the plane (2, 1): its lowest and highest x. In space (n, 2): corners, anticlockwise. Without any touch it is empty.
    """
    pressed = run.force[row].any(axis=1)
    points = np.concatenate((run.point[row, run.mode[row] != 0, :-1], run.center[row, pressed, :-1]))
    if len(points) == 0:
        return np.zeros((0, run.robot.dim - 1))
    return np.array([points.min(axis=0), points.max(axis=0)]) if points.shape[1] == 1 else hull(points)


def margin(run: Run, track: Track) -> np.ndarray:
    """(rows,) distance from a point to the edge of the support: positive inside, negative outside, zero where not valid."""
    inside = np.zeros(len(run.time))
    for i in np.flatnonzero(track.valid):
        corners = support(run, int(i))
        if len(corners):
            inside[i] = _depth(corners, track.place[i, :-1])
    return inside


def _pressing(run: Run) -> np.ndarray:
    """(rows, pads) normal forces."""
    world, times = run.study.world, motion.moments(run)
    grounds = [world.terrain_at(float(time)) for time in times] if world.changes else [world.terrain] * len(times)
    if all(isinstance(ground, Flat) for ground in grounds):
        return run.force[..., -1]
    press = np.zeros(run.mode.shape)
    for i, k in np.argwhere(run.force.any(axis=2)):
        normal = grounds[i].normal(*run.center[i, k, :-1])
        press[i, k] = run.force[i, k] @ (normal if run.robot.dim == 3 else normal[[0, 2]])
    return press


def _pushes(run: Run, middle: np.ndarray) -> np.ndarray:
    """(rows - 1, 3 or 6) mean forces of all pushes since the row before, and their moments about a place."""
    total = np.zeros((len(run.time) - 1, 3 * (run.robot.dim - 1)))
    before, after = run.time[:-1], run.time[1:]
    for push in run.study.world.pushes:
        fraction = np.maximum(np.minimum(after, push.end) - np.maximum(before, push.start), 0.0) / (after - before)
        for i in np.flatnonzero(fraction):
            place = 0.5 * sum(kinematics.pose(run.robot, q, push.on, push.at).position for q in run.q[i : i + 2])
            force = np.array(push.force)
            total[i] += fraction[i] * np.concatenate((force, _moments(place - middle[i], force)))
    return total


def _moments(arm: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Moments of forces, about y in the plane."""
    if arm.shape[-1] == 3:
        return np.cross(arm, force)
    return (arm[..., 1] * force[..., 0] - arm[..., 0] * force[..., 1])[..., None]


def _depth(corners: np.ndarray, point: np.ndarray) -> float:
    if corners.shape[1] == 1:
        return float(min(point[0] - corners[0, 0], corners[1, 0] - point[0]))
    return depth(corners, point)
