"""The camera follows the centre of mass as a critically damped second-order system, so that the robot's motion is seen.

After section 2.1 of M. Kelly, "Two walking robot simulators" (2014). With the reference r and the camera's place x,

    x'' = w^2 (r - x) + 2 w (r' - x'),

so that the camera does not lag behind a robot that walks evenly. Where r moves evenly within a frame, e = x - r has the closed
form e(t) = (e + (e' + w e) t) exp(-w t), which is exact for frames of any length.
"""

import numpy as np

W = 2.0  # 1/s
FAR = 3.0  # robot's heights: a jump of the reference, such as a reset


class Follower:
    """The place (3,) that the camera looks at."""

    def __init__(self, size: float = 1.0, w: float = W):
        self.w, self.size = w, size
        self.place = np.zeros(3)
        self._before: np.ndarray | None = None
        self._e, self._e_dot, self._r_dot = np.zeros(3), np.zeros(3), np.zeros(3)

    def snap(self, reference: np.ndarray) -> None:
        """Be there at once, at rest."""
        self._before, self.place = reference.copy(), reference.copy()
        self._e, self._e_dot, self._r_dot = np.zeros(3), np.zeros(3), np.zeros(3)

    def follow(self, reference: np.ndarray, dt: float) -> np.ndarray:
        """The place dt (s) later, with the reference by then."""
        if self._before is None or np.linalg.norm(reference - self._before) > FAR * self.size + 20.0 * dt:
            self.snap(reference)
            return self.place
        if dt > 0.0:
            rate = (reference - self._before) / dt
            e_dot = self._e_dot + self._r_dot - rate  # the camera's own velocity does not jump
            push, decay = e_dot + self.w * self._e, np.exp(-self.w * dt)
            self._e, self._e_dot = (self._e + push * dt) * decay, (e_dot - self.w * push * dt) * decay
            self._r_dot, self._before = rate, reference.copy()
            self.place = reference + self._e
        return self.place
