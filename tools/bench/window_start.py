"""From starting the program to a window that answers, warm, on a screen that is not there."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.bench.row import Row

REPEAT = 9

_START = """
import sys, time
from pathlib import Path
import app.cli.main
from project.gc_control import disable_automatic_collection as search_by_hand
search_by_hand()
from app.gui.startup import leave_sources_unread
leave_sources_unread()
from app.gui.startup import make_application
application = make_application()
from app.gui.window.main_window import MainWindow
window = MainWindow()
window.show()
application.processEvents()
print("usable", flush=True)
import os
os._exit(0)
"""


def run() -> list[Row]:
    """Measure from the start of the interpreter to the first events handled."""
    with tempfile.TemporaryDirectory() as folder:
        places = {f"XDG_{name}_HOME": str(Path(folder, name)) for name in ("CONFIG", "CACHE", "DATA", "STATE")}
        environment = {**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"}
        times = []
        for _ in range(REPEAT + 1):
            started = time.perf_counter()
            with subprocess.Popen([sys.executable, "-c", _START], env=environment, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == b"usable\n"
                times.append(time.perf_counter() - started)
    warm = statistics.median(times[1:])
    return [Row("window usable after start, no model loaded", f"{warm:.2f} s", "", "", "<= 1.5 s, warm", warm <= 1.5)]
