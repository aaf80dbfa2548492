"""Waiting for what comes sooner or later, however busy the machine is."""

import time

LONG = 600  # seconds; what takes longer hangs


def wait_until(true):
    """Return as soon as a function says so."""
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
