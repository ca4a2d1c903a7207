"""A recording of three hours is listened to in little memory."""

import json
import os
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import hiss, silence, spoken
from tests.contract.documentation import ROOT

HOURS = 3
RATE = 8000
MOST_BYTES = 2_000_000_000

_MEASURED = """
import json, re, sys
from pathlib import Path
from app.cli.main import run
code = run(sys.argv[1:])
peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps({"peak": int(peak[1]) * 1024}), file=sys.stderr)
sys.exit(code)
"""
"""What getrusage calls the peak of a process is at least that of the one that started it, which may be larger."""


def write_hours(path: Path, hours: float) -> Path:
    """Write a file in which somebody speaks a fifth of the time; half a minute is made, the rest is copied."""
    turn = np.concatenate([spoken(), silence(40), 0.1 * hiss(40), silence(16)])[::2]
    block = (turn.clip(-1, 1) * 32767).astype("<i2").tobytes()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for _ in range(round(hours * 3600 * RATE / len(turn))):
            file.writeframesraw(block)
    return path


@pytest.mark.soak
@pytest.mark.e2e
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("more", [("--speech-only",), ("--model", "model")])
def test_three_hours_stay_under_two_gigabytes(more: tuple[str, ...], tmp_path: Path) -> None:
    write_hours(tmp_path / "long.wav", HOURS)
    write_tiny_whisper(tmp_path / "model")

    def greenroom(*arguments: str) -> tuple[dict[str, object], int]:
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, *arguments, "--json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1])["peak"]

    greenroom("new", "lab.greenroom")
    greenroom("add", "lab.greenroom", "long.wav")
    found, peak = greenroom("speech", "transcribe", "lab.greenroom", *more)
    speech = found["speech"]
    assert isinstance(speech, list)
    total = sum(one["end"] - one["start"] for one in speech)
    assert 0.1 * HOURS * 3600 < total < 0.3 * HOURS * 3600
    assert bool(found["utterances"]) == ("--model" in more)
    assert peak < MOST_BYTES
