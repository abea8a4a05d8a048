"""A low-pass of first or second order, as declared in continuous time and as the channels run it in steps."""

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from footfall.core.sensors.channels import TAPS

HIGHEST = 0.1  # of the rate: up to twice such a bandwidth the steps follow the declared response within 1 %
NARROW = 0.02  # of the rate: below, three taps are as good, and five would lose digits
LOWEST = 1e-6  # of the rate


@dataclass(frozen=True)
class LowPass:
    """H(s) = w^2 / (s^2 + 2 damping w s + w^2), or with damping 0: H(s) = w / (s + w).

    `bandwidth` (Hz) is where the magnitude has fallen to 1/sqrt(2), that is by 3 dB.
    """

    bandwidth: float
    damping: float = 0.0

    @property
    def natural(self) -> float:
        """w, rad/s."""
        corner = 2.0 * np.pi * self.bandwidth
        if self.damping == 0.0:
            return corner
        k = 1.0 - 2.0 * self.damping**2
        return corner / sqrt(k + hypot(k, 1.0))

    def response(self, frequency: float) -> complex:
        """H at a frequency (Hz)."""
        s, w = 2j * np.pi * frequency, self.natural
        return w / (s + w) if self.damping == 0.0 else w * w / (s * s + 2.0 * self.damping * w * s + w * w)

    def steps(self, rate: float) -> tuple[np.ndarray, np.ndarray]:
        """Numerator (TAPS) and denominator (after the 1) of the same at so many steps a second.

        The poles are mapped by z = exp(s / rate). The numerator is chosen so that the response is the declared one at 0, at the
        bandwidth and (unless that is narrow) at twice the bandwidth, in magnitude and phase.
        """
        w, narrow = self.natural, self.bandwidth < NARROW * rate
        poles = np.array([-w, -np.inf]) if self.damping == 0.0 else np.roots([1.0, 2.0 * self.damping * w, w * w])
        denominator = np.poly(np.exp(poles / rate)).real
        met = (1.0,) if narrow else (1.0, 2.0)
        rows, wanted, powers = [np.ones(1 + 2 * len(met))], [denominator.sum()], np.arange(1 + 2 * len(met))
        for times in met:
            z = np.exp(-2j * np.pi * times * self.bandwidth / rate)
            here = self.response(times * self.bandwidth) * np.polynomial.polynomial.polyval(z, denominator)
            rows += [(z**powers).real, (z**powers).imag]
            wanted += [here.real, here.imag]
        numerator = np.zeros(TAPS)
        numerator[: len(powers)] = np.linalg.solve(np.array(rows), np.array(wanted))
        return numerator, denominator[1:]
