"""Questions to libraries that may crash, hang or take seconds to load, each asked in a process of its own."""

import json
import subprocess
import sys
from dataclasses import dataclass

from project.types import Json

_PATIENCE_S = 60

VLC = """
import vlc
said = vlc.libvlc_get_version()
made = vlc.Instance(["--quiet", "--no-xlib"])
answer = {"version": said.decode("ascii", "replace").split()[0], "plugins": made is not None}
"""
DECODER = """
import av
answer = {name: ".".join(map(str, version)) for name, version in av.library_versions.items()}
"""
ONNX = """
import onnxruntime
answer = {"providers": onnxruntime.get_available_providers()}
"""
WHISPER = """
import ctranslate2
answer = {"devices": ctranslate2.get_cuda_device_count()}
"""
TORCH = """
import torch
cuda = torch.cuda.is_available()
answer = {"cuda": torch.version.cuda or "", "devices": torch.cuda.device_count() if cuda else 0}
"""
LANDMARKS = """
import mediapipe
answer = {}
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        said: as the question put it together; empty where it failed.
        failed: why there is none, as the name of an error: its text may hold paths.
    """

    said: dict[str, Json]
    failed: str = ""


def ask(question: str) -> Answer:
    """Run one of the questions above in a process of its own and return what it leaves in `answer`."""
    code = (
        "import json, os, sys\n"
        "out = os.dup(1)\n"
        "os.dup2(2, 1)\n"
        "try:\n" + "".join(f"    {line}\n" for line in question.strip().splitlines()) + "    said = {'said': answer}\n"
        "except BaseException as error:\n"
        "    said = {'failed': type(error).__name__}\n"
        "os.write(out, json.dumps(said).encode())\n"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer({}, f"no answer in {_PATIENCE_S} s")
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return Answer({}, f"crashed ({done.returncode})")
    return Answer(found.get("said", {}), found.get("failed", ""))
