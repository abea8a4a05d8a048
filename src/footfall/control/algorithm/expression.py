"""Expressions of an algorithm: affine combinations of accelerations, forces and known quantities.

An expression only says what it is. Its numbers are worked out by the compiled tick, once for all expressions in force.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.control.fields import ControlError
from footfall.core.equations import tables

UNKNOWN = (
    tables.A_COORDINATE,
    tables.A_POINT,
    tables.A_SPIN,
    tables.A_COM,
    tables.SPIN_RATE,
    tables.MOMENTUM_RATE,
    tables.CLOSES,
)
FORCES = (tables.TORQUE, tables.HINGE_FORCE, tables.HINGE_MOMENT, tables.EXTERNAL)
LINEAR = (tables.A_COM, tables.V_COM, tables.P_COM, tables.MOMENTUM_RATE, tables.MOMENTUM)
WHOLE = (*LINEAR, tables.SPIN_RATE, tables.SPIN_MOMENTUM)
MOST_ROWS = 3
ITS_NUMBER = "algo.value(...) gives the present number of what is known"


@dataclass(frozen=True, eq=False)
class Atom:
    """One quantity of the robot, a row of up to three numbers."""

    kind: int
    width: int
    name: str
    unit: str = ""
    body: int = 0
    dof: int = 0
    point: Any = None  # (DIM,) in the body's axes
    turn: Any = None  # (ROTATION,)
    curve: Any = None  # (width, DEGREE + 1)
    span: tuple[float, float, int] = (0.0, 0.0, 0)
    hold: Any = None  # whose force it is
    algo: Any = None  # the algorithm that it is a quantity of; a curve is of none


@dataclass(frozen=True, eq=False)
class Expression:
    """A sum of quantities, each with a matrix before it, and a constant: a number, or a row of two or three."""

    terms: tuple[tuple[Atom, np.ndarray], ...]
    constant: np.ndarray = field(default_factory=lambda: np.zeros(1))
    scalar: bool = True

    __hash__ = object.__hash__
    __array_ufunc__ = None  # an array leaves arithmetic to the expression

    @classmethod
    def of(cls, atom: Atom, scalar: bool | None = None) -> "Expression":
        """A quantity by itself."""
        one = atom.width == 1 if scalar is None else scalar
        return cls(((atom, np.eye(atom.width)),), np.zeros(atom.width), one)

    @property
    def rows(self) -> int:
        return len(self.constant)

    @property
    def known(self) -> bool:
        """Whether it is known from places and velocities alone."""
        return not any(atom.kind in UNKNOWN + FORCES for atom, _ in self.terms)

    def __repr__(self) -> str:
        names = " + ".join(dict.fromkeys(atom.name for atom, _ in self.terms)) or "constant"
        return f"<{'number' if self.scalar else f'row of {self.rows}'}: {names}>"

    # --- arithmetic -------------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> "Expression":
        other = self.like(other)
        return Expression(self.terms + other.terms, self.constant + other.constant, self.scalar)

    def __radd__(self, other: Any) -> "Expression":
        return self if isinstance(other, int) and other == 0 else self + other  # sum() begins with 0

    def __neg__(self) -> "Expression":
        return self * -1.0

    def __sub__(self, other: Any) -> "Expression":
        return self + -self.like(other)

    def __rsub__(self, other: Any) -> "Expression":
        return -self + other

    def __mul__(self, factor: Any) -> "Expression":
        if isinstance(factor, Expression):
            raise ControlError(f"{self!r} times {factor!r}: a product of quantities is not linear; equations and costs must be")
        k = number(factor, "a factor")
        return Expression(tuple((atom, k * M) for atom, M in self.terms), k * self.constant, self.scalar)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> "Expression":
        k = number(divisor, "a divisor")
        if k == 0.0:
            raise ControlError(f"{self!r} is divided by zero")
        return self * (1.0 / k)

    def __rtruediv__(self, other: Any) -> "Expression":
        raise ControlError(f"{other!r:.40} divided by {self!r} is not linear; equations and costs must be")

    def __rmatmul__(self, matrix: Any) -> "Expression":
        return self._times(matrix)

    def __matmul__(self, direction: Any) -> "Expression":
        """Its part along a direction."""
        return self._times(direction)

    def _times(self, matrix: Any) -> "Expression":
        if isinstance(matrix, Expression):
            raise ControlError(f"{self!r} times {matrix!r}: a product of quantities is not linear; equations and costs must be")
        try:
            M = np.array(matrix, float)
        except (TypeError, ValueError, OverflowError):
            M = np.array(np.nan)
        rows = np.atleast_2d(M)
        if M.ndim not in (1, 2) or M.shape[-1] != self.rows or not 0 < len(rows) <= MOST_ROWS or not np.isfinite(M).all():
            raise ControlError(
                f"{self!r}: a matrix or direction must have {self.rows} columns, and 1 to {MOST_ROWS} rows, of finite numbers, "
                f"got {matrix!r:.60}"
            )
        return Expression(tuple((atom, rows @ N) for atom, N in self.terms), rows @ self.constant, M.ndim == 1)

    def __getitem__(self, which: Any) -> "Expression":
        try:
            picked = np.eye(self.rows)[which]
        except (IndexError, TypeError) as error:
            raise ControlError(f"{self!r} has entries 0 to {self.rows - 1}, asked for {which!r:.40}") from error
        if not picked.size:
            raise ControlError(f"{self!r} has entries 0 to {self.rows - 1}, asked for none of them: {which!r:.40}")
        return self._times(picked)

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.rows))

    def __len__(self) -> int:
        return self.rows

    @property
    def x(self) -> "Expression":
        return self[0]

    @property
    def y(self) -> "Expression":
        if self.rows < 3:
            raise ControlError(f"{self!r} is in the plane: it has x and z")
        return self[1]

    @property
    def z(self) -> "Expression":
        return self[self.rows - 1]

    @property
    def horizontal(self) -> "Expression":
        """Without its last entry, which is up."""
        if self.rows < 2:
            raise ControlError(f"{self!r} is a single number: it has no horizontal part")
        return self[: self.rows - 1]

    # --- what becomes of it -----------------------------------------------------------------------------------------------

    def __eq__(self, value: Any) -> "Relation":  # type: ignore[override]
        return Relation(self - value, "==", self)

    def __ge__(self, value: Any) -> "Relation":
        return Relation(self - value, ">=")

    def __le__(self, value: Any) -> "Relation":
        return Relation(self.like(value) - self, ">=")

    def __gt__(self, value: Any) -> "Relation":
        raise ControlError(f"{self!r}: a limit is written with >= or <=, not with > or <; {ITS_NUMBER}")

    __lt__ = __gt__

    def __abs__(self) -> "Expression":
        raise ControlError(f"the size of {self!r} is not linear; write two limits, one with >= and one with <=")

    def __float__(self) -> float:
        raise ControlError(f"{self!r} is a quantity, not a number; {ITS_NUMBER}")

    def __bool__(self) -> bool:
        raise ControlError(f"{self!r} is a quantity, not true or false; {ITS_NUMBER}")

    if not TYPE_CHECKING:  # types would take what has it for an array

        def __array__(self, *_given: Any, **_more: Any) -> Any:
            raise ControlError(f"{self!r} is no array: NumPy cannot take quantities; add them with sum(), and {ITS_NUMBER}")

    def __pow__(self, power: int) -> "Cost":
        if isinstance(power, Expression) or power != 2:
            raise ControlError(f"{self!r}: a cost is quadratic, so its power must be 2, got {power!r:.20}")
        return Cost(((1.0, self),))

    def like(self, other: Any) -> "Expression":
        """A number, or a row, as an expression of as many rows."""
        if isinstance(other, Expression):
            if other.rows != self.rows:
                raise ControlError(f"{self!r} and {other!r} do not have as many entries: {self.rows} and {other.rows}")
            return other
        try:
            constant = np.array(other, float)
        except (TypeError, ValueError, OverflowError):
            raise ControlError(f"{self!r}: it can be compared with numbers and quantities, got {other!r:.60}") from None
        if not np.isfinite(constant).all() or constant.shape not in ((), (self.rows,)):
            wanted = "a finite number" if self.rows == 1 else f"{self.rows} finite numbers"
            raise ControlError(f"{self!r}: a value must be {wanted}, got {other!r:.60}")
        return Expression((), np.zeros(self.rows) + constant, self.scalar)


@dataclass(frozen=True, eq=False)
class Relation:
    """Something that is to be zero (==), or zero or more (>=)."""

    expression: Expression
    sign: str
    left: Expression | None = None  # of an equation, as it was written

    def __bool__(self) -> bool:
        what = "an equation" if self.sign == "==" else "a limit"
        raise ControlError(
            f"{self.expression!r} {self.sign} 0 is {what}, not true or false; hand it to equate() or limit(). "
            f"In a condition of your own {ITS_NUMBER}"
        )


@dataclass(frozen=True, eq=False)
class Cost:
    """A weighted sum of squares."""

    parts: tuple[tuple[float, Expression], ...]

    def __add__(self, other: "Cost") -> "Cost":
        if not isinstance(other, Cost):
            raise ControlError(f"a cost is a sum of squares, such as body.acceleration**2; got {other!r:.60} as well")
        return Cost(self.parts + other.parts)

    def __radd__(self, other: Any) -> "Cost":
        return self if isinstance(other, int) and other == 0 else self + other

    def __mul__(self, weight: Any) -> "Cost":
        k = number(weight, "a weight")
        if k < 0.0:
            raise ControlError(f"a weight of a cost must be 0 or more, got {k:g}")
        return Cost(tuple((k * w, part) for w, part in self.parts))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> "Cost":
        k = number(divisor, "a divisor of a cost")
        if not k > 0.0:
            raise ControlError(f"a divisor of a cost must be above 0, got {k:g}")
        return self * (1.0 / k)

    def __neg__(self) -> "Cost":
        raise ControlError("a cost is a sum of squares, none of which is subtracted: it would have no least value")

    def __sub__(self, other: Any) -> "Cost":
        return -self

    __rsub__ = __sub__


def number(given: Any, what: str) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        raise ControlError(f"{what} must be a number, got {given!r:.60}") from None
    if not np.isfinite(value):
        raise ControlError(f"{what} must be finite, got {value}")
    return value


def not_negative(given: Any, what: str, unit: str) -> float:
    """A finite number, 0 or more."""
    value = number(given, what)
    if value < 0.0:
        raise ControlError(f"{what} must be 0 {unit} or more, got {value:g}")
    return value
