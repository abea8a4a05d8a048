"""What controllers with states share: where they are, since when, and which feet stand.

A machine of states keeps two numbers in the memory of its controller, from `at` on: the state, and when it was entered.
"""

from footfall.core.jit import kernel


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
    for k in range(first, last):
        if felt.mode[k] > 0:
            return True
    return False


@kernel
def note_touch(memory, at, touches, time):
    """Keep the time of the last touch in memory[at]. Returns how long ago it was: a foot that lifts for a moment still stands."""
    if touches:
        memory[at] = time
    return time - memory[at]
