"""Loads what the program loads by and by in the work that is killed, once, so that each life is work from its start."""

from importlib import import_module

from app.cli.main import COMMANDS
from app.core.jobs import KINDS

_BY_AND_BY = (
    "anonymize.render",
    "anonymize.check",
    "anonymize.methods.blur",
    "app.core.rendering.batch",
    "app.core.merge_report",
    "av",
    "cryptography.hazmat.primitives.ciphers.aead",
    "cryptography.hazmat.primitives.kdf.argon2",
    "cv2",
    "faster_whisper",
    "models.faces.centerface",
    "models.judges.openai_compatible.judge",
    "models.speech.whisper",
    "onnxruntime",
    "openai",
    "project.creation",
    "project.recovering.recover",
    "project.synthetic",
    "sqlite_utils",
    "tests.faults.victims.editing",
    "tests.faults.victims.sealing",
    "tests.faults.victims.stubborn",
)

for _name in (*(f"app.cli.{target.split(':')[0]}" for target in COMMANDS.values()), *KINDS.values(), *_BY_AND_BY):
    import_module(_name)
