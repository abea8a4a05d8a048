"""Gaussian noise from a counter: the same seed gives the same bits on every machine.

The generator is Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). It has no
state: the number of a sample is enciphered with a key, so streams with different keys are independent and any sample can be had
without those before it. Words of 32 bits are kept in int64, which compiled code and plain Python treat alike.

The normal deviate is the inverse of the normal distribution, Wichura's algorithm AS 241 (PPND16, 1988), accurate to 1 in 10^16.
It needs +, -, *, / and the square root, which are rounded alike everywhere, and the logarithm, which is worked out here.
"""

import numpy as np

from footfall.core.jit import kernel

WORD = 0xFFFFFFFF
PARITY = 0x1BD11BDA
LOG_2 = 0.6931471805599453
SQRT_2 = 1.4142135623730951


@kernel
def rotate_left(word, bits):
    return ((word << bits) & WORD) | (word >> (32 - bits))


@kernel
def mix(x0, x1, bits):
    x0 = (x0 + x1) & WORD
    return x0, rotate_left(x1, bits) ^ x0


@kernel
def threefry(key0, key1, count0, count1):
    """Two words of 32 random bits, from two words of a key and two of a counter."""
    key2 = key0 ^ key1 ^ PARITY
    x0, x1 = (count0 + key0) & WORD, (count1 + key1) & WORD
    for turn in range(5):
        if turn % 2 == 0:
            x0, x1 = mix(x0, x1, 13)
            x0, x1 = mix(x0, x1, 15)
            x0, x1 = mix(x0, x1, 26)
            x0, x1 = mix(x0, x1, 6)
        else:
            x0, x1 = mix(x0, x1, 17)
            x0, x1 = mix(x0, x1, 29)
            x0, x1 = mix(x0, x1, 16)
            x0, x1 = mix(x0, x1, 24)
        key0, key1, key2 = key1, key2, key0  # the key schedule: its words come round and round
        x0, x1 = (x0 + key0) & WORD, (x1 + key1 + turn + 1) & WORD
    return x0, x1


@kernel(exact=True)
def uniform(key0, key1, count0, count1):
    """A number in (0, 1) of 52 random bits: the middle of one of 2^52 equal intervals, so never 0 or 1."""
    high, low = threefry(key0, key1, count0, count1)
    return (float(high << 20 | low >> 12) + 0.5) / 4503599627370496.0


@kernel(exact=True)
def logarithm(x):
    """The natural logarithm of a number in (0, 1), by the series of atanh around 1; the same bits everywhere."""
    halvings = 0
    while x < 1.0 / SQRT_2:
        x *= 2.0
        halvings += 1
    s = (x - 1.0) / (x + 1.0)
    square, term, total = s * s, s, s
    for k in range(1, 12):
        term *= square
        total += term / (2 * k + 1)
    return 2.0 * total - halvings * LOG_2


@kernel(exact=True)
def normal_quantile(p):
    """The x below which a standard normal variable is with probability p, AS 241."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * (((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r
            + 4.5921953931549871457e4) * r + 1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r
            + 1.3314166789178437745e2) * r + 3.3871328727963666080e0) / (
            ((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r + 3.9307895800092710610e4) * r
            + 2.1213794301586595867e4) * r + 5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r
            + 4.2313330701600911252e1) * r + 1.0)  # fmt: skip
    r = np.sqrt(-logarithm(p if q < 0.0 else 1.0 - p))
    if r <= 5.0:
        r -= 1.6
        x = (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r
            + 1.27045825245236838258e0) * r + 3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r
            + 4.63033784615654529590e0) * r + 1.42343711074968357734e0) / (
            ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r
            + 1.48103976427480074590e-1) * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r
            + 2.05319162663775882187e0) * r + 1.0)  # fmt: skip
    else:
        r -= 5.0
        x = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r
            + 2.65321895265761230930e-2) * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r
            + 5.46378491116411436990e0) * r + 6.65790464350110377720e0) / (
            ((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r
            + 7.86869131145613259100e-4) * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r
            + 5.99832206555887937690e-1) * r + 1.0)  # fmt: skip
    return -x if q < 0.0 else x


@kernel(exact=True)
def normal(key0, key1, count0, count1):
    """A standard normal variable."""
    return normal_quantile(uniform(key0, key1, count0, count1))


@kernel(exact=True)
def normals(key0, key1, count1, out):
    """The first samples of a stream."""
    for i in range(len(out)):
        out[i] = normal(key0, key1, i, count1)
