"""What the operating system, its screen and its graphics cards are, in words that hold no path and nobody's name."""

import os
import platform
import re
import subprocess

_PLAIN = re.compile(r"[A-Za-z0-9 ._:;,()+-]*")
_WITHIN_S = 20


def distribution() -> str:
    """Return the name and version of the operating system."""
    try:
        told = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        told = ""
    return plain(told.replace("/", " ")) or platform.system()


def kernel() -> str:
    """Return the numbers of the kernel's version; what follows them may be a name that somebody gave it."""
    return re.sub(r"^(\d+(\.\d+)*).*", r"\1", platform.release())


def c_library() -> str:
    """Return the C library and its version."""
    return " ".join(platform.libc_ver()).strip() or "unknown"


def machine() -> str:
    """Return the kind of processor."""
    return platform.machine()


def memory() -> int:
    """Return the bytes of main memory; 0 where that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def screen() -> str:
    """Return what windows open on."""
    if os.environ.get("WAYLAND_DISPLAY"):
        return "Wayland"
    return "X11" if os.environ.get("DISPLAY") else "none"


def variable(*names: str) -> str:
    """Return the first of some variables that is set, where it cannot hold a path."""
    told = next((value for name in names if (value := os.environ.get(name))), "")
    return plain(told) or "unknown"


def nvidia_cards() -> list[str]:
    """Return name, memory and driver of each card that NVIDIA's own program sees."""
    try:
        said = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=_WITHIN_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [plain(line) for line in said.splitlines() if line.strip()]


def plain(text: str) -> str:
    """Return a text as long as it cannot hold a path or steer a terminal; else nothing."""
    return text if _PLAIN.fullmatch(text) else ""
