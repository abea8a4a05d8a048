"""Joint stops, met within the step: against equations written by hand and integrated to each event by scipy."""

import dataclasses

import footfall as ff
import numpy as np
import pytest
from footfall.reproduce.world import stops
from footfall.reproduce.world.convergence import order
from footfall.world import Rigid, World

SIZES = (2e-3, 1e-3, 5e-4, 2.5e-4)


@pytest.mark.parametrize("case", stops.CASES, ids=lambda case: case.name)
def test_stops_converge_with_second_order(case):
    found = stops.errors(case, SIZES)
    assert order(SIZES, found) > 1.8
    assert found[1] < 1e-4
