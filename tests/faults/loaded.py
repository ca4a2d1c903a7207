"""Loads what the program loads by and by in the work that is killed, once, so that each life is work from its start."""

from importlib import import_module

from app.cli.command_table import command_places
from project.session.jobs import JOB_MODULES

_BY_AND_BY = (
    "anonymize.rendering.face_renderer",
    "anonymize.rendering.residual_faces",
    "anonymize.methods.blur",
    "anonymize.export.export_job",
    "app.merge_text",
    "av",
    "cryptography.hazmat.primitives.ciphers.aead",
    "cryptography.hazmat.primitives.kdf.argon2",
    "cv2",
    "faster_whisper",
    "models.faces.centerface",
    "models.judges.openai_compatible.server_judge",
    "models.speech.whisper",
    "onnxruntime",
    "project.store.creation",
    "project.recovery.recovery",
    "project.synthetic.synthetic_segments",
    "sqlite_utils",
    "tests.faults.victims.editing",
    "tests.faults.victims.encrypting",
    "tests.faults.victims.stubborn",
)

for _name in (*(f"app.cli.{place.split(':')[0]}" for _, place in command_places()), *JOB_MODULES.values(), *_BY_AND_BY):
    import_module(_name)
