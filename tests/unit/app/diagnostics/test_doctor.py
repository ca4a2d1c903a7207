"""What the doctor finds, and that it tells nobody's name and no place."""

import getpass
import json
import os
import socket
from pathlib import Path

import pytest

from app.diagnostics import doctor
from app.diagnostics import doctor as probing
from app.diagnostics import system_facts as libraries
from app.diagnostics import system_facts as packages
from app.diagnostics import system_facts as places
from app.diagnostics import system_facts as system
from app.diagnostics.system_facts import Library, LibraryUse, SoundOutput
from project.entities.study_records import Json
from project.session.optional_parts import OPTIONAL_PARTS
from project.session.settings import log_path
from tests.builders.terminal import Terminal

_WORKS: dict[str, dict[str, Json]] = {
    probing.DECODER_PROBE: {"libavcodec": "62.28.102"},
    probing.VLC_PROBE: {"version": "3.0.21", "plugins": True},
    probing.ONNX_PROBE: {"providers": ["CPUExecutionProvider"]},
    probing.WHISPER_PROBE: {"devices": 0},
    probing.TORCH_PROBE: {"cuda": "", "devices": 0},
    probing.LANDMARKS_PROBE: {},
}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, probing.ProbeResult]:
    """What the libraries answer, without their being loaded."""
    said = {question: probing.ProbeResult(answer) for question, answer in _WORKS.items()}
    monkeypatch.setattr(probing, "run_probe", lambda question: said[question])
    monkeypatch.setattr(libraries, "missing_libraries", lambda uses: [])
    monkeypatch.setattr(packages, "installed_version", lambda name: "" if name == "onnxruntime-gpu" else "1")
    monkeypatch.setattr(packages, "missing_packages", lambda: [])
    return said


class _Silent:
    def progress(self, done: int, total: int, text: str = "") -> None: ...

    def check_cancelled(self) -> None: ...


def problems() -> list[str]:
    return [f"{problem.description} {problem.fix}" for problem in doctor.run_diagnostics(_Silent()).problems]


def test_the_whole_of_it_holds_no_path_and_no_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "Ada Lovelace"
    home.mkdir()
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(home))
    for name in [name for name in os.environ if name.startswith("GREENROOM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GREENROOM_AOUT", f"{home}/aout")
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "/home/ada")
    log_path().write_text(f"Traceback\n  File {home}\nValueError: {home} of Ada\nValueError\nno.KeyError: x\n", "utf-8")
    slow = {probing.TORCH_PROBE, probing.LANDMARKS_PROBE}
    ask = probing.run_probe
    monkeypatch.setattr(probing, "run_probe", lambda one: probing.ProbeResult(_WORKS[one]) if one in slow else ask(one))
    report = doctor.run_diagnostics(_Silent())
    monkeypatch.setattr("app.cli.machine.run_diagnostics", lambda bar: report)
    greenroom = Terminal(capsys)
    said = greenroom("doctor")
    found = greenroom.json("doctor")
    assert found["ok"]
    assert found["Program"]["Unexpected errors in the log"] == "ValueError (2 times), KeyError"
    assert found["Program"]["Variables that are set"] == "GREENROOM_AOUT"
    for text in (said, json.dumps(found)):
        for secret in ("Ada", "Lovelace", "/", str(tmp_path), f" {socket.gethostname()} "):
            assert secret not in text
        assert getpass.getuser() not in text.split()


def test_where_everything_works_nothing_is_to_be_put_right(answers: dict[str, probing.ProbeResult]) -> None:
    assert problems() == []


def test_it_says_which_optional_parts_are_there_and_how_to_get_what_is_missing(
    answers: dict[str, probing.ProbeResult], request: pytest.FixtureRequest
) -> None:
    assert doctor.run_diagnostics(_Silent()).sections["Optional parts"]["names"] == "presidio-analyzer 1, spacy 1"
    request.getfixturevalue("without_names")
    report = doctor.run_diagnostics(_Silent())
    assert report.sections["Optional parts"].keys() == OPTIONAL_PARTS.keys()
    assert report.sections["Optional parts"]["names"] == (
        "Searching texts for personal information needs the optional part “names”, which is not installed. "
        "Get it: greenroom models fetch names"
    )
    assert not report.problems, "a plain installation lacks it, and works"


@pytest.mark.parametrize(
    ("works", "said"), [(True, "taken away by the kernel (seccomp)"), (False, "not taken away: this kernel takes no")]
)
def test_it_says_whether_the_kernel_takes_the_network_from_what_plays(
    answers: dict[str, probing.ProbeResult], monkeypatch: pytest.MonkeyPatch, works: bool, said: str
) -> None:
    monkeypatch.setattr(doctor, "filter_works", lambda: works)
    report = doctor.run_diagnostics(_Silent())
    assert report.sections["Playback"]["Network of what plays"].startswith(said)
    assert not report.problems


def test_it_says_where_the_sound_goes(answers: dict[str, probing.ProbeResult], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "sound_output", lambda: SoundOutput.NONE)
    assert (
        doctor.run_diagnostics(_Silent()).sections["Playback"]["Sound output"] == "none, recordings play without sound"
    )


def test_each_missing_library_is_a_problem_with_its_command(
    answers: dict[str, probing.ProbeResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    gone = Library("libvlc.so.5", "libvlc5", LibraryUse.PLAYBACK)
    monkeypatch.setattr(libraries, "missing_libraries", lambda uses: [gone] if LibraryUse.PLAYBACK in uses else [])
    assert problems() == [
        "libvlc.so.5 is missing, which playback with sound needs. Run: sudo apt install libvlc5",
    ]


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (probing.VLC_PROBE, probing.ProbeResult({"version": "3.0.21", "plugins": False}), "plugins are missing"),
        (
            probing.DECODER_PROBE,
            probing.ProbeResult({}, "ImportError"),
            "PyAV, which decodes recordings, cannot be loaded: Imp",
        ),
        (
            probing.ONNX_PROBE,
            probing.ProbeResult({}, "crashed (-11)"),
            "onnxruntime, which runs networks, cannot be loaded: cra",
        ),
        (
            probing.LANDMARKS_PROBE,
            probing.ProbeResult({}, "OSError"),
            "mediapipe, which finds landmarks of faces, cannot",
        ),
    ],
)
def test_a_library_that_does_not_load_is_a_problem(
    question: str, answer: probing.ProbeResult, said: str, answers: dict[str, probing.ProbeResult]
) -> None:
    answers[question] = answer
    assert any(said in problem for problem in problems())


def test_of_two_packages_of_one_module_the_one_for_the_graphics_card_has_to_lie_on_top(
    answers: dict[str, probing.ProbeResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "installed_version", lambda name: "1")
    assert problems() == [
        "onnxruntime lies over onnxruntime-gpu, so networks do not reach the graphics card. "
        "Run: pip install --force-reinstall --no-deps onnxruntime-gpu"
    ]
    answers[probing.ONNX_PROBE] = probing.ProbeResult({"providers": ["CUDAExecutionProvider", "CPUExecutionProvider"]})
    assert problems() == []


def test_a_folder_that_cannot_be_written_and_one_that_is_full_are_problems(
    answers: dict[str, probing.ProbeResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = places.ProgramFolder("models", "GREENROOM_MODELS", writable=False, free_bytes=0)
    found = [closed, places.ProgramFolder("cache", "XDG_CACHE_HOME", writable=True, free_bytes=5_000_000)]
    monkeypatch.setattr(places, "program_folders", lambda: found)
    first, second = problems()
    assert first.startswith("The folder for models cannot be written.")
    assert "GREENROOM_MODELS" in first
    assert second.startswith("Little room is left for cache: 5.0 MB.")


def test_a_question_that_fails_crashes_or_says_nothing_is_an_answer() -> None:
    assert probing.run_probe("answer = {'one': 1}") == probing.ProbeResult({"one": 1})
    assert probing.run_probe("print('noise')\nanswer = {}") == probing.ProbeResult({})
    assert probing.run_probe("raise ValueError('/home/ada')") == probing.ProbeResult({}, "ValueError")
    assert probing.run_probe("import os\nos.abort()").error == "crashed (-6)"


def test_a_text_of_the_system_that_could_hold_a_path_is_left_out() -> None:
    assert system.safe_text("NVIDIA H100 80GB HBM3, 81559 MiB, 570.1") != ""
    assert [system.safe_text(text) for text in ("/home/ada", "ada@lab", "\x1b[2J")] == ["", "", ""]


def test_a_folder_is_looked_at_where_it_would_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not" / "there"))
    cache = next(program_folder for program_folder in places.program_folders() if program_folder.purpose == "cache")
    assert cache.writable
    assert cache.free_bytes > 0
    assert not os.path.lexists(tmp_path / "not")
    assert [*tmp_path.iterdir()] == []
