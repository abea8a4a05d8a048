"""Sine and cosine of one angle together.

The C library's `sin` and `cos` each reduce the angle anew and branch on its size, which costs a planar recursion a third of its
time when states vary. Compiled, this is one reduction by pi/2 (Cody and Waite, in three parts) and two polynomials (with the
coefficients of fdlibm's k_sin.c and k_cos.c) without a branch, exact to two units in the last place. Traced or plain, it is
numpy's.
"""

import numpy as np

from footfall.core.jit import kernel

TWO_OVER_PI = 0.6366197723675814
HALF_PI_1 = 1.57079632673412561417  # the first 33 bits of pi/2, so that n times it is exact
HALF_PI_2 = 6.07710050630396597660e-11  # the next 33
HALF_PI_3 = 2.02226624879595063154e-21  # the rest
ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it and taking it away rounds to the nearest whole number
FAR = 1e5  # beyond this the reduction would lose digits
CLEARLY = 1e-9  # cosines and sines that differ by more differ without doubt


@kernel
def cos_sin_by_polynomial(x):
    if not (-FAR < x.real < FAR):
        return np.cos(x), np.sin(x)
    n = (x.real * TWO_OVER_PI + ROUND) - ROUND
    r = ((x - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3
    z = r * r
    sine = r + r * z * (
        -1.66666666666666324348e-01
        + z * (8.33333333332248946124e-03
        + z * (-1.98412698298579493134e-04
        + z * (2.75573137070700676789e-06
        + z * (-2.50507602534068634195e-08
        + z * 1.58969099521155010221e-10)))))  # fmt: skip
    half = 0.5 * z
    w = 1.0 - half
    cosine = w + (((1.0 - w) - half) + z * z * (
        4.16666666666666019037e-02
        + z * (-1.38888888888741095749e-03
        + z * (2.48015872894767294178e-05
        + z * (-2.75573143513906633035e-07
        + z * (2.08757232129817482790e-09
        + z * -1.13596475577881948265e-11))))))  # fmt: skip
    quarter = int(n)
    odd = quarter & 1
    c, s = (sine, cosine) if odd else (cosine, sine)
    return c * (1 - ((quarter + 1) & 2)), s * (1 - (quarter & 2))


@kernel(compiled_from=cos_sin_by_polynomial)
def cos_sin(x):
    return np.cos(x), np.sin(x)


@kernel
def nearest_within(angle, low, high):
    """The angle from low to high that is nearest on the circle."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    off = angle - middle
    off -= 2.0 * np.pi * np.floor(off / (2.0 * np.pi) + 0.5)
    return middle + min(max(off, -half), half)
