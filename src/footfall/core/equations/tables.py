"""Named equations as arrays: terms that add up to rows, and the room in which the rows are solved.

A row is an affine function of the unknowns x = (a, lambda): the accelerations of all degrees of freedom, and, where forces count,
those that hold points and bodies of the robot. Row r is A[r] x + b[r], and an equation demands that it be rhs[r].
Arrays have room to spare: `size` says how much of them is in use, so that equations come and go without new arrays.
"""

from typing import Any, NamedTuple

import numpy as np

# kinds of terms; those of accelerations and forces have unknowns, the others are known numbers
A_COORDINATE, V_COORDINATE, Q_COORDINATE = 0, 1, 2
A_POINT, V_POINT, P_POINT = 3, 4, 5
A_SPIN, V_SPIN, TURN = 6, 7, 8
A_COM, V_COM, P_COM = 9, 10, 11
SPIN_RATE, SPIN_MOMENTUM = 12, 13
MOMENTUM_RATE, MOMENTUM = 14, 15
POLYNOMIAL = 16
TORQUE, HINGE_FORCE, HINGE_MOMENT, EXTERNAL = 17, 18, 19, 20
CLOSES, OPENS = 21, 22  # a row of a loop: its acceleration, and by how much it is open

# places in `size`: terms; where equations, costs, limits and gaps of held points end; held rows;
# whether forces are unknowns, whether the whole body's momentum is asked for, whether joint forces are wanted besides, whether
# rows are only looked at
TERMS, EQUATIONS, COSTS, LIMITS, GAPS, HELD, FORCES, WHOLE, BY_PRODUCT, LOOK = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
SIZES = 10

DEGREE = 5  # of polynomials of time


class Terms(NamedTuple):
    """Term t adds `factor` times what it is to `rows` rows from `row` on."""

    kind: Any  # (t,) int
    row: Any  # (t,) int
    rows: Any  # (t,) int: how many
    width: Any  # (t,) int: how many numbers it is
    body: Any  # (t,) int
    dof: Any  # (t,) int: first degree of freedom, coordinate or held row
    factor: Any  # (t, 3, 3)
    point: Any  # (t, DIM) in the body's axes
    turn: Any  # (t, ROTATION) wanted
    curve: Any  # (t, 3, DEGREE + 1) coefficients of time since its start
    span: Any  # (t, 3) start, duration, and which derivative it is


class Rows(NamedTuple):
    """The rows, and what was found."""

    A: Any  # (r, n)
    b: Any  # (r,)
    made: Any  # (r,) sizes of all that was added up in A
    known: Any  # (r,) sizes of all that was added up in b
    rhs: Any  # (r,)
    weight: Any  # (r,) of a cost
    level: Any  # (r,) int: priority, 0 first
    held: Any  # (r,) int: 1 + the unknown force of a row that holds, 0 of others
    gap: Any  # (r,) int: 1 + the row with the gap of an equation that is kept in place, 0 of others
    residual: Any  # (r,)
    size: Any  # (SIZES,) int


class Room(NamedTuple):
    """Where rows are made and solved."""

    J: Any  # (nv + 2, MOTION)
    K: Any  # (nv + 2, MOTION) momentum of the whole body: per unit rate; its rate for no acceleration; itself
    M: Any  # (nv, nv)
    h: Any  # (nv,) motor forces for no acceleration
    zero: Any  # (nv,)
    unit: Any  # (n, MOTION) force of each unknown about its body's origin
    unit_body: Any  # (n,) int
    com: Any  # (2, DIM) place of the centre of mass; mass, in the first entry of the second row
    W: Any  # (n, r) rows of unit length, as columns, turned to a triangle
    r: Any  # (r,)
    scale: Any  # (r,) length of each equation and limit
    pivot: Any  # (n,) int: the row of each step
    reflector: Any  # (n, n)
    y: Any  # (n,)
    x: Any  # (n,)
    Z: Any  # (n, n) directions that are left, as columns
    D: Any  # (r, n) costs along these
    G: Any  # (n, n) the cost along these, as its Cholesky factor
    g: Any  # (n,)
    S: Any  # (r / 2, r / 2) speeds of what is held, per impulse on it
    s: Any  # (r / 2,) impulses that stop it
    t: Any  # (r / 2,) and that put it back in its place
    taken: Any  # (r,) int: 1 + the step in which a row was a pivot, 0 if it depends on others
    share: Any  # (r,) coefficients of a row that depends on others
    wanted: Any  # (r,) right-hand sides of equations that yield to limits; units of limits
    conflict: Any  # (r,) size of the contradiction that a row is part of
    at_bounds: Any  # (1,) int: how many limits were at their bounds in the last tick; the program has them
    answer: Any  # (4,) rank, directions that no cost determines, smallest pivot, largest residual


class PassiveJoints(NamedTuple):
    """What acts at joints besides motors, and where there are none. The first fields are those of `core.passive.Springs`."""

    coordinate: Any  # (nv,) int
    damping: Any  # (nv,)
    stiffness: Any  # (nv,)
    rest: Any  # (nv,)
    tendons: Any
    loops: Any  # rows of closed loops, `core.maximal.loops.Loops`
    without_motor: Any  # (m,) int: degrees of freedom
    tau: Any  # (nv,) joint forces of springs, dampers and tendons in the present state


class Answer(NamedTuple):
    """What a tick gives."""

    q: Any  # (nq,)
    v: Any  # (nv,)
    a: Any  # (nv,)
    tau: Any  # (nv,)
    wrench: Any  # (n+1, MOTION) of what holds each body, about its origin
    jump: Any  # (nv,) of the velocities, where something held is stopped
    shift: Any  # (nv,) of the coordinates, which takes drift away
    time: Any  # (1,)


def sizes_of_terms(t: int, dim: int, rotation: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays of so many terms."""
    whole: dict[str, tuple[int, ...]] = dict.fromkeys(("kind", "row", "rows", "width", "body", "dof"), (t,))
    return whole | {
        "factor": (t, 3, 3),
        "point": (t, dim),
        "turn": (t, rotation),
        "curve": (t, 3, DEGREE + 1),
        "span": (t, 3),
    }


def terms(t: int, dim: int, rotation: int) -> Terms:
    """Room for so many terms."""
    shapes = sizes_of_terms(t, dim, rotation)
    return Terms(**{name: np.zeros(shape, np.int64 if shape == (t,) else float) for name, shape in shapes.items()})


def rows(r: int, n: int) -> Rows:
    """Room for so many rows and unknowns."""
    whole = {name: np.zeros(r, np.int64) for name in ("level", "held", "gap")}
    return Rows(
        A=np.zeros((r, n)),
        b=np.zeros(r),
        made=np.zeros(r),
        known=np.zeros(r),
        rhs=np.zeros(r),
        weight=np.zeros(r),
        residual=np.zeros(r),
        size=np.zeros(SIZES, np.int64),
        **whole,
    )


def room(r: int, n: int, nv: int, motion: int, dim: int) -> Room:
    """Room to solve so many rows for so many unknowns."""
    shapes: dict[str, tuple[int, ...]] = {"J": (nv + 2, motion), "K": (nv + 2, motion), "M": (nv, nv), "h": (nv,), "zero": (nv,)}
    shapes |= {"unit": (n, motion), "com": (2, dim), "W": (n, r), "r": (r,), "scale": (r,), "reflector": (n, n), "y": (n,)}
    shapes |= {
        "x": (n,),
        "Z": (n, n),
        "D": (r, n),
        "G": (n, n),
        "g": (n,),
        "S": (r // 2 + 1, r // 2 + 1),  # a row that is held has one for its place, too
        "s": (r // 2 + 1,),
        "t": (r // 2 + 1,),
        "share": (r,),
        "wanted": (r,),
        "conflict": (r,),
        "answer": (4,),
    }
    whole = {"unit_body": np.zeros(n, np.int64), "pivot": np.zeros(n, np.int64), "taken": np.zeros(r, np.int64)}
    whole["at_bounds"] = np.zeros(1, np.int64)
    return Room(**{name: np.zeros(shape) for name, shape in shapes.items()}, **whole)


def answer(nq: int, nv: int, bodies: int, motion: int) -> Answer:
    """Room for the answer of a tick."""
    shapes = {
        "q": (nq,),
        "v": (nv,),
        "a": (nv,),
        "tau": (nv,),
        "wrench": (bodies, motion),
        "jump": (nv,),
        "shift": (nv,),
        "time": (1,),
    }
    return Answer(**{name: np.zeros(shape) for name, shape in shapes.items()})
