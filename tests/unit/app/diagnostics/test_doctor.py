"""What the doctor finds, and that it tells nobody's name and no place."""

import getpass
import json
import os
import socket
from pathlib import Path

import pytest

from app.diagnostics import doctor, system_facts
from app.diagnostics.system_facts import Library, LibraryUse
from project.entities.study_records import Json
from project.progress import Silent
from project.session.optional_parts import OPTIONAL_PARTS
from project.session.settings import log_path
from tests.builders.terminal import Terminal

_WORKS: dict[str, dict[str, Json]] = {
    doctor.DECODER_PROBE: {"libavcodec": "62.28.102"},
    doctor.VLC_PROBE: {"version": "3.0.21", "plugins": True},
    doctor.ONNX_PROBE: {"providers": ["CPUExecutionProvider"]},
    doctor.WHISPER_PROBE: {"devices": 0},
    doctor.TORCH_PROBE: {"cuda": "", "devices": 0},
    doctor.LANDMARKS_PROBE: {},
}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, doctor.ProbeResult]:
    """What the libraries answer, without their being loaded."""
    said = {question: doctor.ProbeResult(answer) for question, answer in _WORKS.items()}
    monkeypatch.setattr(doctor, "run_probe", lambda question: said[question])
    monkeypatch.setattr(system_facts, "missing_libraries", lambda uses: [])
    monkeypatch.setattr(system_facts, "installed_version", lambda name: "" if name == "onnxruntime-gpu" else "1")
    monkeypatch.setattr(system_facts, "missing_packages", lambda: [])
    return said


def problems() -> list[str]:
    return [f"{problem.description} {problem.fix}" for problem in doctor.run_diagnostics(Silent()).problems]


def test_the_whole_of_it_holds_no_path_and_no_name(
    greenroom: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
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
    slow = {doctor.TORCH_PROBE, doctor.LANDMARKS_PROBE}
    ask = doctor.run_probe
    monkeypatch.setattr(doctor, "run_probe", lambda one: doctor.ProbeResult(_WORKS[one]) if one in slow else ask(one))
    report = doctor.run_diagnostics(Silent())
    monkeypatch.setattr("app.cli.setup.run_diagnostics", lambda bar: report)
    said = greenroom("doctor")
    found = greenroom.json("doctor")
    assert found["ok"]
    assert found["Program"]["Unexpected errors in the log"] == "ValueError (2 times), KeyError"
    assert found["Program"]["Variables that are set"] == "GREENROOM_AOUT"
    assert [system_facts.safe_text(text) for text in ("/home/ada", "ada@lab", "\x1b[2J")] == ["", "", ""]
    for text in (said, json.dumps(found)):
        for secret in ("Ada", "Lovelace", "/", str(tmp_path), f" {socket.gethostname()} "):
            assert secret not in text
        assert getpass.getuser() not in text.split()


def test_it_says_which_optional_parts_are_there_and_how_to_get_what_is_missing(
    answers: dict[str, doctor.ProbeResult], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "filter_works", lambda: False)
    report = doctor.run_diagnostics(Silent())
    assert report.sections["Playback"]["Network of what plays"].startswith("not taken away: this kernel takes no")
    assert not report.problems
    assert doctor.run_diagnostics(Silent()).sections["Optional parts"]["names"] == "presidio-analyzer 1, spacy 1"
    request.getfixturevalue("without_names")
    report = doctor.run_diagnostics(Silent())
    assert report.sections["Optional parts"].keys() == OPTIONAL_PARTS.keys()
    assert report.sections["Optional parts"]["names"] == (
        "Searching texts for personal information needs the optional part “names”, which is not installed. "
        "Get it: greenroom model fetch names"
    )
    assert not report.problems, "a plain installation lacks it, and works"


def test_each_missing_library_is_a_problem_with_its_command(
    answers: dict[str, doctor.ProbeResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    gone = Library("libvlc.so.5", "libvlc5", LibraryUse.PLAYBACK)
    monkeypatch.setattr(system_facts, "missing_libraries", lambda uses: [gone] if LibraryUse.PLAYBACK in uses else [])
    assert problems() == [
        "libvlc.so.5 is missing, which playback with sound needs. Run: sudo apt install libvlc5",
    ]


@pytest.mark.parametrize(
    ("question", "error", "said"),
    [
        (doctor.DECODER_PROBE, "ImportError", "PyAV, which decodes recordings, cannot be loaded: Imp"),
        (doctor.ONNX_PROBE, "crashed (-11)", "onnxruntime, which runs networks, cannot be loaded: cra"),
    ],
)
def test_a_library_that_does_not_load_is_a_problem(
    question: str, error: str, said: str, answers: dict[str, doctor.ProbeResult]
) -> None:
    answers[question] = doctor.ProbeResult({}, error)
    answers[doctor.VLC_PROBE] = doctor.ProbeResult({"version": "3.0.21", "plugins": False})
    assert any(said in problem for problem in problems())
    assert any("plugins are missing" in problem for problem in problems())


def test_of_two_packages_of_one_module_the_one_for_the_graphics_card_has_to_lie_on_top(
    answers: dict[str, doctor.ProbeResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_facts, "installed_version", lambda name: "1")
    assert problems() == [
        "onnxruntime lies over onnxruntime-gpu, so networks do not reach the graphics card. "
        "Run: pip install --force-reinstall --no-deps onnxruntime-gpu"
    ]
    answers[doctor.ONNX_PROBE] = doctor.ProbeResult({"providers": ["CUDAExecutionProvider", "CPUExecutionProvider"]})
    assert problems() == []


def test_a_folder_that_cannot_be_written_and_one_that_is_full_are_problems(
    answers: dict[str, doctor.ProbeResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = system_facts.ProgramFolder("models", "GREENROOM_MODELS", writable=False, free_bytes=0)
    found = [closed, system_facts.ProgramFolder("cache", "XDG_CACHE_HOME", writable=True, free_bytes=5_000_000)]
    monkeypatch.setattr(system_facts, "program_folders", lambda: found)
    first, second = problems()
    assert first.startswith("The folder for models cannot be written.")
    assert "GREENROOM_MODELS" in first
    assert second.startswith("Little room is left for cache: 5.0 MB.")


def test_a_question_that_fails_crashes_or_says_nothing_is_an_answer() -> None:
    assert doctor.run_probe("answer = {'one': 1}") == doctor.ProbeResult({"one": 1})
    assert doctor.run_probe("print('noise')\nanswer = {}") == doctor.ProbeResult({})
    assert doctor.run_probe("raise ValueError('/home/ada')") == doctor.ProbeResult({}, "ValueError")
    assert doctor.run_probe("import os\nos.abort()").error == "crashed (-6)"
