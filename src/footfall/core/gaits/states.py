"""What controllers with gaits and states share: the gait that is wanted, the state they are in, since when, and which feet stand.

The memory of such a controller begins with its goal, the number of a gait and a speed, which a controller above it may set, and
with the number of switches that its own schedule has made. A machine of states keeps two numbers, from `at` on: the state, and
when it was entered.
"""

from footfall.core.jit import kernel

GAIT, SPEED, SWITCHED = 0, 1, 2  # head of the memory
HEAD = 3


@kernel
def follow_schedule(switches, memory, time):
    """Switches (time, gait) that are due become the goal; who sets another one later has the last word."""
    at = 2 * int(memory[SWITCHED])
    while at < len(switches) and time >= switches[at]:
        memory[GAIT] = switches[at + 1]
        memory[SWITCHED] += 1.0
        at += 2


@kernel
def enter(memory, at, state, time):
    """Be in a state from now on."""
    memory[at], memory[at + 1] = state, time


@kernel
def time_in(memory, at, time):
    """How long it has been in its state."""
    return time - memory[at + 1]


@kernel
def stands(felt, first, last):
    """Whether any pad from `first` up to, not including, `last` presses on the ground."""
    found = False
    for k in range(first, last):
        found = found or felt.mode[k] > 0
    return found


@kernel
def since_touch(memory, at, touches, time):
    """Time since the last touch, which memory[at] keeps: a foot that lifts for a moment still stands."""
    if touches:
        memory[at] = time
    return time - memory[at]
