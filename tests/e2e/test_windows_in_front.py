"""Windows and dialogs lie over the main window, whatever window manager the desktop has."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.gui.files.study_files import make_sample_study
from tests.builders.waiting import HANG_S

pytestmark = pytest.mark.e2e
MANAGERS = ["openbox", *(pytest.param(name, marks=pytest.mark.soak) for name in ("icewm", "metacity", "twm"))]
ROOT = Path(__file__).resolve().parents[2]


def asked(command: list[str], display: dict[str, str]) -> str:
    done = subprocess.run(command, env=display, capture_output=True, text=True, check=False, timeout=HANG_S)
    return done.stdout


def transient_for(window: int, display: dict[str, str]) -> int:
    """Return the number of the window that the X server knows a window to belong to; 0 for none."""
    text = asked(["xprop", "-id", str(window), "WM_TRANSIENT_FOR"], display)
    found = re.search(r"window id # (0x[0-9a-f]+)", text)
    return int(found.group(1), 16) if found else 0


def stacked(display: dict[str, str]) -> list[int]:
    """Return the numbers of all windows of the screen, those above others first, each after its frame."""
    lines = asked(["xwininfo", "-root", "-tree"], display).splitlines()
    return [int(found.group(1), 16) for line in lines if (found := re.match(r"\s+(0x[0-9a-f]+) ", line))]


@pytest.mark.parametrize("manager", MANAGERS)
def test_windows_belong_to_the_main_window_and_lie_over_it(
    manager: str, display: dict[str, str], tmp_path: Path
) -> None:
    program = shutil.which(manager)
    if program is None or shutil.which("xprop") is None or shutil.which("xwininfo") is None:
        pytest.skip(f"{manager} or x11-utils is not installed: sudo apt install {manager} x11-utils")
    study = make_sample_study(tmp_path / "study")
    # By itself twm asks where each window goes.
    (tmp_path / "twmrc").write_text("RandomPlacement\n")
    arguments = [program, *(["-f", str(tmp_path / "twmrc")] if manager == "twm" else [])]
    with (
        subprocess.Popen(arguments, env=display, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as managing,
        subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.windows_in_turn", str(study)],
            env=display,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as opening,
    ):
        assert opening.stdin is not None
        assert opening.stdout is not None
        wrong, seen = [], 0
        try:
            while (told := json.loads(opening.stdout.readline()))["name"]:
                seen += 1
                owner, order = transient_for(told["window"], display), stacked(display)
                if owner != told["main"]:
                    wrong.append(f"{told['name']} belongs to {owner:#x}, not to {told['main']:#x}")
                if told["window"] not in order or order.index(told["window"]) > order.index(told["main"]):
                    wrong.append(f"{told['name']} lies behind the main window")
                opening.stdin.write("\n")
                opening.stdin.flush()
        finally:
            opening.kill()
            managing.kill()
    assert wrong == []
    assert seen == 8
