"""The doctor: a report on this machine for bug reports, without paths and names of people or files.

Libraries that may crash, hang or load slowly are probed in a subprocess.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from app.diagnostics import system_facts
from app.diagnostics.system_facts import SoundOutput, sound_output
from models.connection.network_sandbox import filter_works
from models.weights.model_list import list_models
from project.entities.study_records import Json
from project.progress import Progress
from project.text_format import format_size
from project.version import __version__

_TIMEOUT_S = 60

VLC_PROBE = """
import vlc
said = vlc.libvlc_get_version()
made = vlc.Instance(["--quiet", "--no-xlib"])
answer = {"version": said.decode("ascii", "replace").split()[0], "plugins": made is not None}
"""
DECODER_PROBE = """
import av
answer = {name: ".".join(map(str, version)) for name, version in av.library_versions.items()}
"""
ONNX_PROBE = """
import onnxruntime
answer = {"providers": onnxruntime.get_available_providers()}
"""
WHISPER_PROBE = """
import ctranslate2
answer = {"devices": ctranslate2.get_cuda_device_count()}
"""
TORCH_PROBE = """
import torch
cuda = torch.cuda.is_available()
answer = {"cuda": torch.version.cuda or "", "devices": torch.cuda.device_count() if cuda else 0}
"""
LANDMARKS_PROBE = """
import mediapipe
answer = {}
"""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of a probe.

    Attributes:
        answer: set by the probe; empty if it failed.
        error: why it failed, as the name of an exception, because its text may contain paths.
    """

    answer: dict[str, Json]
    error: str = ""


def run_probe(question: str) -> ProbeResult:
    """Run a probe in a subprocess and return what it leaves in `answer`."""
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
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ProbeResult({}, f"no answer in {_TIMEOUT_S} s")
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return ProbeResult({}, f"crashed ({done.returncode})")
    return ProbeResult(found.get("said", {}), found.get("failed", ""))


@dataclass(frozen=True, slots=True)
class DiagnosticProblem:
    """A problem that a user can fix.

    Attributes:
        description: a sentence.
        fix: what to do about it, in a sentence.
    """

    description: str
    fix: str


@dataclass(frozen=True, slots=True)
class DiagnosticReport:
    """The report of the doctor.

    Attributes:
        sections: title -> name -> finding.
        problems: what to fix.
    """

    sections: Mapping[str, Mapping[str, str]]
    problems: tuple[DiagnosticProblem, ...]

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "ok": not self.problems,
            "problems": [{"what": problem.description, "todo": problem.fix} for problem in self.problems],
            **{title: {**lines} for title, lines in self.sections.items()},
        }


_SOUND_TEXTS = {
    SoundOutput.SERVER: "a sound server",
    SoundOutput.CARD: "a sound card",
    SoundOutput.NONE: "none, recordings play without sound",
}
_NETWORK_REFUSED = "taken away by the kernel (seccomp)"
_NETWORK_NOT_REFUSED = (
    "not taken away: this kernel takes no filter (seccomp). Only the check of each file before it is played keeps "
    "libVLC from connecting"
)

SectionResult = tuple[dict[str, str], list[DiagnosticProblem]]


def run_diagnostics(progress: Progress) -> DiagnosticReport:
    """Run all checks; takes some seconds, because each library is loaded in a subprocess.

    Raises:
        Cancelled: the user stopped it.
    """
    section_checks: dict[str, Callable[[], SectionResult]] = {
        "Program": _program,
        "System": _system,
        "Playback": _playback,
        "Graphics card": _graphics_card,
        "Packages": _packages,
        "Optional parts": lambda: (system_facts.optional_parts(), []),
        "Models": _models,
        "Folders": _folders,
    }
    sections: dict[str, dict[str, str]] = {}
    problems: list[DiagnosticProblem] = []
    for number, (title, check) in enumerate(section_checks.items()):
        progress.check_cancelled()
        progress.progress(number, len(section_checks), title)
        sections[title], found = check()
        problems += found
    return DiagnosticReport(sections, tuple(problems))


def _program() -> SectionResult:
    bugs = [f"{kind} ({count} times)" if count > 1 else kind for kind, count in system_facts.logged_errors().items()]
    variables = sorted(name for name in os.environ if name.startswith("GREENROOM_"))
    return {
        "Greenroom": __version__,
        "Python": platform.python_version(),
        "Unexpected errors in the log": ", ".join(bugs) or "none",
        "Variables that are set": ", ".join(variables) or "none",
    }, []


def _system() -> SectionResult:
    gone = system_facts.missing_libraries(system_facts.LibraryUse)
    return {
        "System": system_facts.distribution(),
        "Kernel": system_facts.kernel(),
        "C library": system_facts.c_library(),
        "Processors": f"{os.cpu_count() or 1}, {platform.machine()}",
        "Memory": format_size(system_facts.memory()),
        "Screen": system_facts.screen(),
        "Desktop": system_facts.environment_variable("XDG_CURRENT_DESKTOP"),
        "Language": system_facts.environment_variable("LC_ALL", "LANG"),
        "Missing libraries": ", ".join(library.file for library in gone) or "none",
    }, [
        DiagnosticProblem(f"{library.file} is missing, which {library.use} needs.", _install_hint(library.package))
        for library in gone
    ]


def _playback() -> SectionResult:
    decoder = run_probe(DECODER_PROBE)
    lines = {
        "PyAV": system_facts.installed_version("av"),
        "FFmpeg in it": _probe_text(decoder, "libavcodec", "libavcodec {}"),
        "Sound output": _SOUND_TEXTS[sound_output()],
        "Network of what plays": _NETWORK_REFUSED if filter_works() else _NETWORK_NOT_REFUSED,
    }
    problems = _load_problems("PyAV, which decodes recordings,", "av", decoder)
    if system_facts.missing_libraries([system_facts.LibraryUse.PLAYBACK]):
        return {**lines, "libVLC": "missing"}, problems
    vlc = run_probe(VLC_PROBE)
    whole = bool(vlc.answer.get("plugins"))
    if not whole:
        problems.append(
            DiagnosticProblem(
                "libVLC does not start: its plugins are missing.", _install_hint(system_facts.VLC_PLUGINS)
            )
        )
    return {
        **lines,
        "libVLC": _probe_text(vlc, "version", "{}"),
        "Its plugins": "there" if whole else "missing",
    }, problems


def _graphics_card() -> SectionResult:
    networks, whisper = run_probe(ONNX_PROBE), run_probe(WHISPER_PROBE)
    problems = [
        *_load_problems("onnxruntime, which runs networks,", "onnxruntime", networks),
        *_load_problems("ctranslate2, which recognises speech,", "ctranslate2", whisper),
    ]
    providers = networks.answer.get("providers")
    known = (
        [str(provider).removesuffix("ExecutionProvider") for provider in providers]
        if isinstance(providers, list)
        else []
    )
    if known and "CUDA" not in known and all(map(system_facts.installed_version, system_facts.ONNXRUNTIME_PACKAGES)):
        problems.append(
            DiagnosticProblem(
                "onnxruntime lies over onnxruntime-gpu, so networks do not reach the graphics card.",
                "Run: pip install --force-reinstall --no-deps onnxruntime-gpu",
            )
        )
    torch, more = _torch()
    return {
        "NVIDIA": "; ".join(system_facts.nvidia_cards()) or "none found",
        "Providers of onnxruntime": ", ".join(known) or f"failed: {networks.error}",
        "Devices for speech recognition": _probe_text(whisper, "devices", "{}"),
        "PyTorch": torch,
    }, [*problems, *more]


def _torch() -> tuple[str, list[DiagnosticProblem]]:
    if find_spec("torch") is None:
        return "not installed", []
    answer = run_probe(TORCH_PROBE)
    if answer.error:
        return f"failed: {answer.error}", _load_problems("PyTorch", "torch", answer)
    built = f"CUDA {answer.answer['cuda']}" if answer.answer["cuda"] else "no CUDA"
    return f"{system_facts.installed_version('torch')}, {built}, {answer.answer['devices']} devices", []


def _packages() -> SectionResult:
    known = system_facts.tested_packages()
    lacking = system_facts.missing_packages()
    problems = [
        DiagnosticProblem(f"The Python package {name} is missing.", "Install Greenroom again.") for name in lacking
    ]
    if len({system_facts.installed_version(name) for name in system_facts.OPENCV_PACKAGES} - {""}) > 1:
        wanted = next(package.tested for package in known if package.name in system_facts.OPENCV_PACKAGES)
        names = " ".join(f"{name}=={wanted}" for name in system_facts.OPENCV_PACKAGES)
        problems.append(DiagnosticProblem("Two versions of OpenCV lie over one another.", f"Run: pip install {names}"))
    if "mediapipe" not in lacking:
        landmarks = run_probe(LANDMARKS_PROBE)
        problems += _load_problems("mediapipe, which finds landmarks of faces,", "mediapipe", landmarks)
    differ = [
        f"{package.name} {package.installed} (tested: {package.tested})"
        for package in known
        if package.is_other_version
    ]
    return {
        "Qt for Python": system_facts.installed_version("PySide6-Essentials") or "missing",
        "As tested": f"{sum(bool(package.installed) and not package.is_other_version for package in known)} packages",
        "In another version": ", ".join(differ) or "none",
    }, problems


def _models() -> SectionResult:
    return {model.name: format_size(model.on_disk) for model in list_models() if model.installed} or {
        "Installed": "none"
    }, []


def _folders() -> SectionResult:
    lines: dict[str, str] = {}
    problems: list[DiagnosticProblem] = []
    for program_folder in system_facts.program_folders():
        if not program_folder.writable:
            what = f"The folder for {program_folder.purpose} cannot be written."
            todo = f"Give yourself the right to write there, or set {program_folder.variable} to another folder."
            problems.append(DiagnosticProblem(what, todo))
        elif program_folder.free_bytes < system_facts.MIN_FREE_BYTES:
            what = f"Little room is left for {program_folder.purpose}: {format_size(program_folder.free_bytes)}."
            todo = f"Delete what is not needed, or set {program_folder.variable} to a folder on another disk."
            problems.append(DiagnosticProblem(what, todo))
        lines[program_folder.purpose.capitalize()] = (
            f"{'writable' if program_folder.writable else 'not writable'}, "
            f"{format_size(program_folder.free_bytes)} free"
        )
    return lines, problems


def _load_problems(what: str, package: str, answer: ProbeResult) -> list[DiagnosticProblem]:
    if not answer.error:
        return []
    todo = f"Run: pip install --force-reinstall --no-deps {package}"
    return [DiagnosticProblem(f"{what} cannot be loaded: {answer.error}.", todo)]


def _install_hint(package: str) -> str:
    command = system_facts.install_command([package])
    return f"Run: {command}" if command.startswith("sudo") else f"{command.capitalize()}."


def _probe_text(answer: ProbeResult, key: str, text: str) -> str:
    return text.format(answer.answer[key]) if key in answer.answer else f"failed: {answer.error}"
