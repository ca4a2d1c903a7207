"""Facts about this machine without paths and names: system, screen, graphics cards, folders, sound and packages."""

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

import platformdirs

from models.weights import installed_weights
from project.session.optional_parts import OPTIONAL_PARTS, OptionalPart
from project.session.settings import log_path
from project.version import __version__
from resources import resource

_SAFE_TEXT = re.compile(r"[A-Za-z0-9 ._:;,()+-]*")
_TIMEOUT_S = 20


def distribution() -> str:
    """Return the name and version of the operating system."""
    try:
        told = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        told = ""
    return safe_text(told.replace("/", " ")) or platform.system()


def kernel() -> str:
    """Return the numeric version of the kernel; a suffix may contain a name."""
    return re.sub(r"^(\d+(\.\d+)*).*", r"\1", platform.release())


def c_library() -> str:
    """Return the C library and its version."""
    return " ".join(platform.libc_ver()).strip() or "unknown"


def memory() -> int:
    """Return the bytes of main memory; 0 if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def screen() -> str:
    """Return the display server."""
    if os.environ.get("WAYLAND_DISPLAY"):
        return "Wayland"
    return "X11" if os.environ.get("DISPLAY") else "none"


def environment_variable(*names: str) -> str:
    """Return the first of some variables that is set, if it cannot contain a path."""
    told = next((value for name in names if (value := os.environ.get(name))), "")
    return safe_text(told) or "unknown"


def nvidia_cards() -> list[str]:
    """Return name, memory and driver of each card that nvidia-smi lists."""
    try:
        said = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [safe_text(line) for line in said.splitlines() if line.strip()]


def safe_text(text: str) -> str:
    """Return a text if it cannot contain a path or terminal controls; else ""."""
    return text if _SAFE_TEXT.fullmatch(text) else ""


_ERROR = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Z]\w*(?:Error|Exception))(?::|$)")
"""The last line of a traceback."""
_MAX_KINDS = 5
MIN_FREE_BYTES = 2_000_000_000
"""Free bytes below which a rendering or a fetched model may not fit."""


@dataclass(frozen=True, slots=True)
class ProgramFolder:
    """One folder that the program writes to.

    Attributes:
        variable: the environment variable that moves it.
        writable: whether a file can be created there, or in the nearest existing parent.
        free_bytes: 0 if unknown.
    """

    purpose: str
    variable: str
    writable: bool
    free_bytes: int


def program_folders() -> list[ProgramFolder]:
    """Return the folders that the program writes to."""
    return [
        _inspect_folder(what, variable, folder)
        for what, (variable, folder) in {
            "settings": ("XDG_CONFIG_HOME", platformdirs.user_config_path("greenroom")),
            "models": ("GREENROOM_MODELS", installed_weights.weights_folder()),
            "cache": ("XDG_CACHE_HOME", platformdirs.user_cache_path("greenroom")),
            "layout and log": ("XDG_STATE_HOME", platformdirs.user_state_path("greenroom")),
            "temporary files": ("TMPDIR", Path(tempfile.gettempdir())),
        }.items()
    ]


def logged_errors() -> Mapping[str, int]:
    """Return kind -> count of unexpected errors in the log, without their texts, which may contain names."""
    try:
        lines = log_path().read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    kinds = (kind[1] for line in lines if (kind := _ERROR.match(line)))
    return dict(Counter(kinds).most_common(_MAX_KINDS))


def _inspect_folder(what: str, variable: str, folder: Path) -> ProgramFolder:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        free = 0
    return ProgramFolder(what, variable, _is_writable(folder), free)


def _is_writable(folder: Path) -> bool:
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".greenroom-")
    except OSError:
        return False
    os.close(handle)
    Path(name).unlink()
    return True


SOUND_VARIABLE = "GREENROOM_AOUT"
"""Variable with the audio output of libVLC; `dummy` is none."""
_FAILURES = ("no suitable audio output", "module not functional", "failed to create audio output")
"""Prefixes of libVLC messages about a missing audio output."""


class SoundOutput(StrEnum):
    """Where sound goes."""

    SERVER = "sound server"
    CARD = "sound card"
    NONE = "none"


def sound_output(root: Path = Path("/")) -> SoundOutput:
    """Return the available sound output; a server is PulseAudio or PipeWire. Opens no device.

    Args:
        root: of the file system; for tests.
    """
    if chosen := os.environ.get(SOUND_VARIABLE):
        return {"dummy": SoundOutput.NONE, "alsa": SoundOutput.CARD}.get(chosen, SoundOutput.SERVER)
    if sys.platform != "linux" or _has_sound_server(root):
        return SoundOutput.SERVER
    devices = [*root.glob("dev/snd/pcm*p"), *root.glob("dev/dsp*")]
    settings = [root / "etc/asound.conf", Path.home() / ".asoundrc", Path.home() / ".config/alsa/asoundrc"]
    return SoundOutput.CARD if devices or any(map(Path.is_file, settings)) else SoundOutput.NONE


def is_no_output_message(message: str) -> bool:
    """Tell whether a message of libVLC says that it could not open an audio output."""
    return message.startswith(_FAILURES)


def _has_sound_server(root: Path) -> bool:
    if os.environ.get("PULSE_SERVER"):
        return True
    own = os.environ.get("XDG_RUNTIME_DIR") or root / "run/user" / str(os.getuid())
    folders = [os.environ.get("PULSE_RUNTIME_PATH"), Path(own) / "pulse", root / "var/run/pulse", root / "run/pulse"]
    return any((Path(folder) / "native").exists() for folder in folders if folder)


class LibraryUse(StrEnum):
    """What a library is for."""

    WINDOW = "the window"
    X11 = "a window on X11"
    PLAYBACK = "playback with sound"


@dataclass(frozen=True, slots=True)
class Library:
    """A library of the operating system.

    Attributes:
        file: its file name.
        package: its package in Debian and Ubuntu.
    """

    file: str
    package: str
    use: LibraryUse


LIBRARIES = tuple(
    Library(file, package, use)
    for use, files in {
        LibraryUse.WINDOW: {
            "libEGL.so.1": "libegl1",
            "libGL.so.1": "libgl1",
            "libGLESv2.so.2": "libgles2",
            "libglib-2.0.so.0": "libglib2.0-0",
            "libfontconfig.so.1": "libfontconfig1",
            "libdbus-1.so.3": "libdbus-1-3",
            "libxkbcommon.so.0": "libxkbcommon0",
        },
        LibraryUse.X11: {
            "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
            "libX11-xcb.so.1": "libx11-xcb1",
            "libxcb-cursor.so.0": "libxcb-cursor0",
            "libxcb-icccm.so.4": "libxcb-icccm4",
            "libxcb-image.so.0": "libxcb-image0",
            "libxcb-keysyms.so.1": "libxcb-keysyms1",
            "libxcb-randr.so.0": "libxcb-randr0",
            "libxcb-render-util.so.0": "libxcb-render-util0",
            "libxcb-shape.so.0": "libxcb-shape0",
            "libxcb-xkb.so.1": "libxcb-xkb1",
        },
        LibraryUse.PLAYBACK: {"libvlc.so.5": "libvlc5"},
    }.items()
    for file, package in files.items()
)

VLC_PLUGINS = "vlc-plugin-base"
"""The package of libVLC's decoders and outputs, which are not in the library path."""


def missing_libraries(uses: Iterable[LibraryUse]) -> list[Library]:
    """Return the libraries for these uses that cannot be loaded; [] on systems other than Linux."""
    wanted = set(uses)
    return (
        [library for library in LIBRARIES if library.use in wanted and not _can_load(library.file)]
        if sys.platform == "linux"
        else []
    )


def window_uses() -> set[LibraryUse]:
    """Return the uses that a window needs on the present display server."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    on_x11 = platform == "xcb" or (not platform and bool(os.environ.get("DISPLAY")))
    return {LibraryUse.WINDOW, LibraryUse.X11} if on_x11 else {LibraryUse.WINDOW}


def missing_library_text(library: Library) -> str:
    """Return a line about a missing library."""
    return f"{library.file} is missing, which {library.use} needs: {install_command([library.package])}"


def install_command(packages: Iterable[str]) -> str:
    """Return the command that installs system packages, or an instruction if it is unknown."""
    names = " ".join(dict.fromkeys(packages))
    if shutil.which("apt-get") or shutil.which("apt"):
        return f"sudo apt install {names}"
    return f"install what Debian calls {names}"


def _can_load(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True


_TOOLS = ("pip", "setuptools")
"""Packages that are only needed to install."""
ONNXRUNTIME_PACKAGES = ("onnxruntime", "onnxruntime-gpu")
OPENCV_PACKAGES = ("opencv-python", "opencv-contrib-python")


@dataclass(frozen=True, slots=True)
class Package:
    """A package that this release was tested with.

    Attributes:
        tested: the tested version.
        installed: the installed version; "" if it is not installed.
    """

    name: str
    tested: str
    installed: str

    @property
    def is_other_version(self) -> bool:
        """Whether the installed version is not the tested one."""
        return bool(self.installed) and self.installed.partition("+")[0] != self.tested


def tested_packages() -> list[Package]:
    """Return the packages in the constraints of this release, except installers, in their order."""
    lines = resource("constraints", f"{__version__}.txt").read_text("utf-8").splitlines()
    pinned = (line.split("==") for line in lines if not line.startswith("#"))
    return [Package(name, tested, installed_version(name)) for name, tested in pinned if name not in _TOOLS]


def installed_version(name: str) -> str:
    """Return the version of an installed package; "" if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def missing_packages() -> list[str]:
    """Return the required packages that are not installed; [] if the program itself is not installed."""
    try:
        required = metadata.requires("greenroom") or []
    except metadata.PackageNotFoundError:
        return []
    names = [_requirement_name(requirement) for requirement in required if "extra ==" not in requirement]
    return [name for name in names if not installed_version(name)]


def optional_parts() -> dict[str, str]:
    """Return name of each optional part -> its packages and their versions, or what is not possible without it."""
    return {
        part.name: _installed_packages(part) or f"{part.missing_text} {part.hint}" for part in OPTIONAL_PARTS.values()
    }


def _installed_packages(part: OptionalPart) -> str:
    names = [_requirement_name(requirement) for requirement in part.packages]
    return ", ".join(f"{name} {installed_version(name)}" for name in names) if part.is_installed else ""


def _requirement_name(requirement: str) -> str:
    letters = [char if char.isalnum() or char in "-_." else " " for char in requirement]
    return "".join(letters).split()[0]
