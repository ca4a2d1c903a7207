"""Files that are no recordings but name some: who reads one reads what it names, on this machine or another one."""

from functools import cache
from pathlib import Path

import av

from project.errors import UserError
from project.names import shown

_NAMING = frozenset(
    {
        *("avisynth", "concat", "dash", "dvdvideo", "hls", "image2", "image2pipe", "imf", "lavfi", "rtp", "rtsp"),
        *("sap", "sdp", "vapoursynth", "vobsub", "webm_dash_manifest"),
        *("alsa", "fbdev", "kmsgrab", "oss", "video4linux2,v4l2", "x11grab"),
    }
)
"""Readers of FFmpeg that open what a file names, run scripts, or record from a device."""
_HEAD = 1024
_MARKS = (b"<", b"[", b"#ext", b"ffconcat", b"rtsptext", b"smiltext", b"v=0")
"""How playlists, manifests and descriptions of streams begin, in small letters."""


@cache
def readers() -> str:
    """Return the readers of FFmpeg that read nothing but the file that they are given, for its `format_whitelist`."""
    return ",".join(sorted(av.formats_available - _NAMING))


def require_no_playlist(path: Path) -> None:
    """Return quietly where a file is no list of other files; what it holds beside that is not looked at.

    Raises:
        UserError: it is one.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    plain = head.removeprefix(b"\xef\xbb\xbf")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        plain = head[2:].replace(b"\0", b"")
    if plain.lstrip().lower().startswith(_MARKS):
        raise UserError(
            f"{shown(path.name)} is no recording: it names other files, which are not opened.",
            "Choose a video or sound file.",
        )
