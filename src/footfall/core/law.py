"""How the loop asks a controller: law(obs, params, state, goal, command) returns 0, or another number to stop the run."""

from typing import Any, NamedTuple

from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic


class Observation(NamedTuple):
    """What a controller sees."""

    time: Any  # s
    q: Any  # (nq,) coordinates
    v: Any  # (nv,) velocities
    force: Any  # (contacts, DIM) of the ground on the robot, N
    mode: Any  # (contacts,) int: 0 open, 1 sticks, 2 slides
    wrench: Any  # (feet, 3 or 6) force and moment at every foot with a FootForce, in its axes; not a number at others
    acceleration: Any  # (accelerometers, DIM) specific force at every Accelerometer, in its axes


class Command(NamedTuple):
    """What the innermost controller says, held until it is asked again: at every degree of freedom a motor delivers

        tau + stiffness (target - q) - damping v

    within its limits. The spring and damper are the motor's own loop, which is faster than any step and bears any gain; they act
    at hinges only.
    """

    tau: Any  # (nv,) those of a floating base count for nothing
    stiffness: Any  # (nv,)
    target: Any  # (nv,)
    damping: Any  # (nv,)


class Answer(NamedTuple):
    """All numbers that a law may write for others to read; they must be finite."""

    first: Any  # (n,)
    second: Any  # (n,)


NOT_WHOLE = "must return 0, or another whole number to stop the run"
NOT_FINITE = -(1 << 40)  # status of a law that wrote infinity or not-a-number


@intrinsic
def whole(typing: Any, status: Any) -> Any:  # noqa: ARG001
    """The status that a law returned: a whole number, or it is not compiled."""
    kind = status.type if isinstance(status, types.Optional) else status
    if not isinstance(kind, types.Integer | types.Boolean):
        raise TypingError(f"{NOT_WHOLE}, got {kind}")

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return context.cast(builder, given[0], signature.args[0], types.int64)

    return types.int64(status), generate


def ask(time, where):
    """A law as it is called by a pointer; `frame` and `law` are bound where it is compiled."""
    seen, params, state, goal, command, answer = frame(where)  # noqa: F821
    obs = Observation(time, seen.q, seen.v, seen.force, seen.mode, seen.wrench, seen.acceleration)
    status = whole(law(obs, params, state, goal, command))  # noqa: F821
    if status == 0:
        check = 0.0
        for i in range(len(answer.first)):
            check += 0.0 * answer.first[i]
        for i in range(len(answer.second)):
            check += 0.0 * answer.second[i]
        if check != 0.0:  # not finite times zero is not a number
            status = NOT_FINITE
    return status + 1
