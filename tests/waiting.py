"""Waiting for what comes sooner or later, however busy the machine is."""

import threading
import time
from concurrent.futures import Future

LONG = 600  # seconds; what takes longer hangs


def wait_until(true):
    """Return as soon as a function says so."""
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def act_on_each_wait(monkeypatch, act):
    """Hand the monitor to a function each time a fit begins to wait for a cluster."""
    from widemargin.engine.dask.monitor import Monitor

    until = Monitor.until

    def act_first(self, done):
        act(self)
        until(self, done)

    monkeypatch.setattr(Monitor, "until", act_first)


def without_hanging(function):
    """What a function returns; fails if it does not return."""
    result = Future()

    def run():
        try:
            result.set_result(function())
        except Exception as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return result.result(LONG)
