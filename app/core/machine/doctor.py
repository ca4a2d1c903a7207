"""What the program finds on this machine, fit to be pasted into a bug report: no paths, no names of people or files."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from app.core.machine import libraries, packages, places, probing, system
from app.core.machine.sound_output import SoundOutput, sound_output
from app.core.model_list import models
from models.connection.network_filter import filter_works
from project.progress import Progress
from project.sizes import size_text
from project.types import Json
from project.version import __version__


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a user can put right.

    Attributes:
        what: a sentence.
        todo: what to do about it, another one.
    """

    what: str
    todo: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was found.

    Attributes:
        sections: by title, what was looked at and what it is like.
        problems: what to put right.
    """

    sections: Mapping[str, Mapping[str, str]]
    problems: tuple[Problem, ...]

    def as_json(self) -> dict[str, Json]:
        """Return it for `--json`."""
        return {
            "ok": not self.problems,
            "problems": [{"what": one.what, "todo": one.todo} for one in self.problems],
            **{title: {**lines} for title, lines in self.sections.items()},
        }


_SOUND = {
    SoundOutput.SERVER: "a sound server",
    SoundOutput.CARD: "a sound card",
    SoundOutput.NONE: "none, recordings play without sound",
}
_REFUSED = "taken away by the kernel (seccomp)"
_NOT_REFUSED = (
    "not taken away: this kernel takes no filter (seccomp). Only the check of each file before it is played keeps "
    "libVLC from connecting"
)

Found = tuple[dict[str, str], list[Problem]]


def examine(progress: Progress) -> Report:
    """Look at everything. Takes some seconds, because each library is loaded in a process of its own.

    Raises:
        Cancelled: the user stopped it.
    """
    looks: dict[str, Callable[[], Found]] = {
        "Program": _program,
        "System": _system,
        "Playback": _playback,
        "Graphics card": _graphics_card,
        "Packages": _packages,
        "Models": _models,
        "Folders": _folders,
    }
    sections: dict[str, dict[str, str]] = {}
    problems: list[Problem] = []
    for at, (title, look) in enumerate(looks.items()):
        progress.check_cancelled()
        progress.progress(at, len(looks), title)
        sections[title], found = look()
        problems += found
    return Report(sections, tuple(problems))


def _program() -> Found:
    bugs = [f"{kind} ({count} times)" if count > 1 else kind for kind, count in places.bugs().items()]
    variables = sorted(name for name in os.environ if name.startswith("GREENROOM_"))
    return {
        "Greenroom": __version__,
        "Python": packages.python(),
        "Unexpected errors in the log": ", ".join(bugs) or "none",
        "Variables that are set": ", ".join(variables) or "none",
    }, []


def _system() -> Found:
    gone = libraries.missing(libraries.Use)
    return {
        "System": system.distribution(),
        "Kernel": system.kernel(),
        "C library": system.c_library(),
        "Processors": f"{os.cpu_count() or 1}, {system.machine()}",
        "Memory": size_text(system.memory()),
        "Screen": system.screen(),
        "Desktop": system.variable("XDG_CURRENT_DESKTOP"),
        "Language": system.variable("LC_ALL", "LANG"),
        "Missing libraries": ", ".join(one.file for one in gone) or "none",
    }, [Problem(f"{one.file} is missing, which {one.use} needs.", _install(one.package)) for one in gone]


def _playback() -> Found:
    decoder = probing.ask(probing.DECODER)
    lines = {
        "PyAV": packages.version("av"),
        "FFmpeg in it": _told(decoder, "libavcodec", "libavcodec {}"),
        "Sound output": _SOUND[sound_output()],
        "Network of what plays": _REFUSED if filter_works() else _NOT_REFUSED,
    }
    problems = _unless_loaded("PyAV, which decodes recordings,", "av", decoder)
    if libraries.missing([libraries.Use.PLAYBACK]):
        return {**lines, "libVLC": "missing"}, problems
    vlc = probing.ask(probing.VLC)
    whole = bool(vlc.said.get("plugins"))
    if not whole:
        problems.append(Problem("libVLC does not start: its plugins are missing.", _install(libraries.VLC_PLUGINS)))
    return {**lines, "libVLC": _told(vlc, "version", "{}"), "Its plugins": "there" if whole else "missing"}, problems


def _graphics_card() -> Found:
    networks, whisper = probing.ask(probing.ONNX), probing.ask(probing.WHISPER)
    problems = [
        *_unless_loaded("onnxruntime, which runs networks,", "onnxruntime", networks),
        *_unless_loaded("ctranslate2, which recognises speech,", "ctranslate2", whisper),
    ]
    providers = networks.said.get("providers")
    known = [str(one).removesuffix("ExecutionProvider") for one in providers] if isinstance(providers, list) else []
    if known and "CUDA" not in known and all(map(packages.version, packages.SAME_MODULE)):
        problems.append(
            Problem(
                "onnxruntime lies over onnxruntime-gpu, so networks do not reach the graphics card.",
                "Run: pip install --force-reinstall --no-deps onnxruntime-gpu",
            )
        )
    torch, more = _torch()
    return {
        "NVIDIA": "; ".join(system.nvidia_cards()) or "none found",
        "Providers of onnxruntime": ", ".join(known) or f"failed: {networks.failed}",
        "Devices for speech recognition": _told(whisper, "devices", "{}"),
        "PyTorch": torch,
    }, [*problems, *more]


def _torch() -> tuple[str, list[Problem]]:
    if find_spec("torch") is None:
        return "not installed", []
    answer = probing.ask(probing.TORCH)
    if answer.failed:
        return f"failed: {answer.failed}", _unless_loaded("PyTorch", "torch", answer)
    built = f"CUDA {answer.said['cuda']}" if answer.said["cuda"] else "no CUDA"
    return f"{packages.version('torch')}, {built}, {answer.said['devices']} devices", []


def _packages() -> Found:
    known = packages.packages()
    lacking = packages.lacking()
    problems = [Problem(f"The Python package {name} is missing.", "Install Greenroom again.") for name in lacking]
    if len({packages.version(name) for name in packages.SAME_OPENCV} - {""}) > 1:
        wanted = next(one.tested for one in known if one.name in packages.SAME_OPENCV)
        names = " ".join(f"{name}=={wanted}" for name in packages.SAME_OPENCV)
        problems.append(Problem("Two versions of OpenCV lie over one another.", f"Run: pip install {names}"))
    if "mediapipe" not in lacking:
        landmarks = probing.ask(probing.LANDMARKS)
        problems += _unless_loaded("mediapipe, which finds landmarks of faces,", "mediapipe", landmarks)
    differ = [f"{one.name} {one.installed} (tested: {one.tested})" for one in known if one.differs]
    return {
        "Qt for Python": packages.version("PySide6-Essentials") or "missing",
        "Optional parts": ", ".join(name for name, whole in packages.parts().items() if whole) or "none",
        "As tested": f"{sum(bool(one.installed) and not one.differs for one in known)} packages",
        "In another version": ", ".join(differ) or "none",
    }, problems


def _models() -> Found:
    return {one.name: size_text(one.on_disk) for one in models() if one.installed} or {"Installed": "none"}, []


def _folders() -> Found:
    lines: dict[str, str] = {}
    problems: list[Problem] = []
    for one in places.places():
        if not one.writable:
            what = f"The folder for {one.what} cannot be written."
            todo = f"Give yourself the right to write there, or set {one.variable} to another folder."
            problems.append(Problem(what, todo))
        elif one.free < places.LITTLE:
            what = f"Little room is left for {one.what}: {size_text(one.free)}."
            todo = f"Delete what is not needed, or set {one.variable} to a folder on another disk."
            problems.append(Problem(what, todo))
        lines[one.what.capitalize()] = f"{'writable' if one.writable else 'not writable'}, {size_text(one.free)} free"
    return lines, problems


def _unless_loaded(what: str, package: str, answer: probing.Answer) -> list[Problem]:
    if not answer.failed:
        return []
    todo = f"Run: pip install --force-reinstall --no-deps {package}"
    return [Problem(f"{what} cannot be loaded: {answer.failed}.", todo)]


def _install(package: str) -> str:
    command = libraries.install_command([package])
    return f"Run: {command}" if command.startswith("sudo") else f"{command.capitalize()}."


def _told(answer: probing.Answer, key: str, text: str) -> str:
    return text.format(answer.said[key]) if key in answer.said else f"failed: {answer.failed}"
