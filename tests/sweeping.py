"""A sweep that takes its time, for tests that kill it:  python -m sweeping FOLDER PLACE"""

import os
import sys
import time

import footfall as ff

STUDY, VARY, SETTINGS = "stand-push", {"push": "0:100:15", "friction": "0.4:0.8:4"}, {"seconds": 0.3}
RUNS = 60


def paused(run):
    """Nothing, after a pause that costs no computing time."""
    time.sleep(float(os.environ.get("PAUSE", "0")))
    return 0.0


def swept(**more):
    import sweeping

    return ff.sweep(STUDY, VARY, settings=SETTINGS, measure=["survived", "speed", sweeping.paused], **more)


if __name__ == "__main__":
    swept(out=sys.argv[1], on=sys.argv[2])
