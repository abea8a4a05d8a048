"""Our sine and cosine against the C library's."""

import numpy as np
import pytest

from footfall.core.trig import FAR, cos_sin

angles = np.concatenate(
    [
        np.random.default_rng(0).normal(size=20000) * 3,
        np.random.default_rng(1).uniform(-FAR, FAR, 20000),
        np.arange(-4000, 4000) * np.pi / 4,
        [0.0, 1e-300, 1e-20, FAR * (1 - 1e-12), FAR, 1e9, 1e300],
    ]
)


def test_two_units_in_the_last_place():
    compiled = cos_sin["planar"]
    ours = np.array([compiled(x) for x in angles])
    for column, exact in zip(ours.T, (np.cos(angles), np.sin(angles)), strict=True):
        assert np.max(np.abs(column - exact) / np.spacing(np.abs(exact))) <= 2.0


def test_symmetry_is_exact():
    compiled = cos_sin["planar"]
    for x in angles[:5000]:
        c, s = compiled(x)
        assert compiled(-x) == (c, -s)


@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan])
def test_no_angle(x):
    assert np.isnan(cos_sin["planar"](x)).all()
