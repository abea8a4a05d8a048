"""Quick tests first, so that a failure shows early; pictures without a screen; Ctrl-C is heard, whoever started the tests."""

import os
import signal

os.environ.setdefault("MPLBACKEND", "Agg")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background (`make test &`) is born deaf to it


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
