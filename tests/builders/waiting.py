"""How long tests wait for what another thread, process or decoder does: until it happens.

Only a hang reaches the limit, however busy the machine is. A claim about time belongs in `tools/bench`.
"""

import time
from collections.abc import Callable

HANG_S = 300.0
HANG_MS = round(HANG_S * 1000)


def wait_until(happened: Callable[[], object], tell: Callable[[], object] = lambda: "it did not happen") -> None:
    """Return as soon as a condition holds; fail with what `tell` returns where it never does."""
    deadline = time.monotonic() + HANG_S
    while not happened():
        assert time.monotonic() < deadline, tell()
        time.sleep(0.005)
