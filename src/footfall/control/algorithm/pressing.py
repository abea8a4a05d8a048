"""What is held, and how a foot may press on the ground."""

from typing import Any, NamedTuple

import numpy as np

from footfall.control.algorithm.expression import Expression, not_negative
from footfall.control.algorithm.handles import rotation_of, vector_of
from footfall.control.fields import ControlError
from footfall.model.parts import Point as PointPad
from footfall.model.robot import Robot


class Hold(NamedTuple):
    """Something that is held, and the forces that hold it, in world axes."""

    name: str
    force: Expression | None
    moment: Expression | None


def flat(robot: Robot, body: int) -> bool:
    """Whether a body can give a moment where it stands: not if all that it touches the ground with is one point."""
    pads = [pad for foot in robot.feet for pad in foot.pads if robot.target(pad.link).body == body]
    return not (len(pads) == 1 and isinstance(pads[0], PointPad))


def pressing(name: str, foot: Hold, friction: float, sole: Any, least: float, axes: Any) -> tuple[Expression, ...]:
    """What is not negative while a flat foot presses on the ground without slipping, tipping or turning, in the sole's axes.

    `sole` is half its length, in space with half its breadth, or two of these: where the force may act, and where the corners
    are, which give the moment about the vertical (Caron, Pham and Nakamura, "Stability of surface contacts", 2015).
    """
    if not isinstance(foot, Hold) or foot.force is None:
        raise ControlError(f"press {name!r}: it takes what stand() gave, or hold() of a point or body, got {foot!r:.60}")
    force, moment = foot.force, foot.moment
    if (moment is None) != (sole is None):
        told = "touches in one point and has no sole: leave `sole` out" if sole is not None else "has a sole: say how large"
        raise ControlError(f"press {name!r}: {foot.name!r} {told}, got {sole!r:.60}")
    friction = not_negative(friction, f"press {name!r}: friction", "")
    least = not_negative(least, f"press {name!r}: least", "N")
    if axes is not None:
        if force.rows == 2:
            raise ControlError(f"press {name!r}: in the plane a sole has no axes of its own, got {axes!r:.60}")
        turn = rotation_of(axes, 3)
        force, moment = turn.T @ force, None if moment is None else turn.T @ moment
    both, pressed = np.array(((1.0,), (-1.0,))), force.z - least
    up = np.ones((2, 1)) @ force.z
    if moment is None:
        mu = friction / np.sqrt(force.rows - 1)
        return pressed, *(mu * up + both @ force[k] for k in range(force.rows - 1))
    what = "half the length of a sole (in space with half its breadth)"
    pair = isinstance(sole, tuple) and len(sole) == 2 and np.ndim(sole[0]) == 1
    acts, ends = (vector_of(np.atleast_1d(half), force.rows - 1, what) for half in (sole if pair else (sole, sole)))
    if not (np.minimum(acts, ends) > 0.0).all():
        raise ControlError(f"half the length and breadth of a sole must be above 0 m, got {sole!r:.60}")
    if force.rows == 2:
        return pressed, friction * up + both @ force.x, acts[0] * up + both @ moment
    mu, (X, Y) = friction / np.sqrt(2.0), ends
    limited = ((force.x, mu), (force.y, mu), (moment.x, acts[1]), (moment.y, acts[0]))
    turning = (
        np.ones((2, 1)) @ (mu * (X + Y) * force.z - sign * moment.z - a * (Y * force.x + sign * mu * moment.x))
        + both @ (X * force.y + sign * mu * moment.y)
        for sign in (1.0, -1.0)
        for a in (1.0, -1.0)
    )
    return (pressed, *(most * up + both @ part for part, most in limited), *turning)
