"""Whether this machine can make a sound, as its devices and sockets show, without opening any."""

import os
import sys
from enum import StrEnum
from pathlib import Path

SOUND_VARIABLE = "GREENROOM_AOUT"
"""Names an output of libVLC; `dummy` is none."""
_FAILURES = ("no suitable audio output", "module not functional", "failed to create audio output")
"""How messages of libVLC begin that say so."""


class SoundOutput(StrEnum):
    """Where sound goes."""

    SERVER = "sound server"
    CARD = "sound card"
    NONE = "none"


def sound_output(root: Path = Path("/")) -> SoundOutput:
    """Return where sound can go. A server is PulseAudio or PipeWire, which speaks its language.

    Args:
        root: of the file system; tests have others.
    """
    if chosen := os.environ.get(SOUND_VARIABLE):
        return {"dummy": SoundOutput.NONE, "alsa": SoundOutput.CARD}.get(chosen, SoundOutput.SERVER)
    if sys.platform != "linux" or _server(root):
        return SoundOutput.SERVER
    devices = [*root.glob("dev/snd/pcm*p"), *root.glob("dev/dsp*")]
    settings = [root / "etc/asound.conf", Path.home() / ".asoundrc", Path.home() / ".config/alsa/asoundrc"]
    return SoundOutput.CARD if devices or any(map(Path.is_file, settings)) else SoundOutput.NONE


def tells_no_output(message: str) -> bool:
    """Whether a message of libVLC says that it could open no output for sound."""
    return message.startswith(_FAILURES)


def _server(root: Path) -> bool:
    if os.environ.get("PULSE_SERVER"):
        return True
    own = os.environ.get("XDG_RUNTIME_DIR") or root / "run/user" / str(os.getuid())
    folders = [os.environ.get("PULSE_RUNTIME_PATH"), Path(own) / "pulse", root / "var/run/pulse", root / "run/pulse"]
    return any((Path(folder) / "native").exists() for folder in folders if folder)
