"""The window is used at random, with mouse and keys, under a window manager: nothing unexpected happens."""

import ctypes.util
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.gui.files.study_files import make_sample_study
from tests.builders.waiting import HANG_S

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("seed", "seconds"), [(0, 15), *(pytest.param(seed, 600, marks=pytest.mark.soak) for seed in (1, 2, 3))]
)
def test_whatever_is_opened_and_typed_ends_in_no_error(
    seed: int, seconds: int, display: dict[str, str], tmp_path: Path
) -> None:
    manager = shutil.which("openbox")
    if manager is None or ctypes.util.find_library("Xtst") is None:
        pytest.skip("openbox or libXtst is not installed: sudo apt install openbox libxtst6")
    homes = {f"XDG_{name}_HOME": str(tmp_path / "home" / name) for name in ("CONFIG", "CACHE", "DATA", "STATE")}
    environment = display | homes | {"HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    (tmp_path / "home").mkdir()
    driver = (sys.executable, "-m", "tests.e2e.window_driver")
    end = time.monotonic() + seconds
    part = 0
    with subprocess.Popen([manager], env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as managing:
        try:
            # Each time that somebody quits, the program is started again, on new studies.
            while (left := end - time.monotonic()) > 1:
                studies = [make_sample_study(tmp_path / f"{name}-{part}") for name in ("study", "other")]
                # A file, because a window that was opened beside stays, and would hold a pipe open.
                said = tmp_path / f"said-{part}.txt"
                with said.open("w") as written:
                    done = subprocess.run(
                        [*driver, f"{seed}.{part}", str(left), *map(str, studies)],
                        env=environment,
                        cwd=tmp_path,
                        stdout=written,
                        stderr=subprocess.STDOUT,
                        check=False,
                        timeout=left + HANG_S,
                    )
                assert done.returncode == 0, said.read_text()[-8_000:]
                assert "Traceback" not in said.read_text(), said.read_text()[-8_000:]
                part += 1
        finally:
            managing.kill()
