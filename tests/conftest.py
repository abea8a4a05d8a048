"""Quick tests first, so that a failure shows early; pictures without a screen."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
