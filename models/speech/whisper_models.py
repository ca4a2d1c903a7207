"""The Whisper models on this machine: checks model folders, and chooses the default."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from models.weights import installed_weights, weights_catalogue
from models.weights.weights_catalogue import EditionFile, Weights
from project.errors import UserError, path_not_found
from project.files.atomic_files import explain_os_errors
from project.files.fingerprints import file_sha256
from project.text_format import escape_unprintable

MODEL_FILE = "model.bin"
OWN_MODEL = "whisper"
"""The catalogue's name of a model that a lab brings itself."""
_NEEDED = (MODEL_FILE, "config.json", "tokenizer.json")
_VOCABULARIES = ("vocabulary.json", "vocabulary.txt")
_LEAST_BYTES = 1000


@dataclass(frozen=True, slots=True)
class WhisperFolder:
    """A folder that holds what a model needs.

    Attributes:
        sha256: of its weights, in hexadecimal.
        name: of the catalogue's entry with the same weights; "" where it has none.
    """

    path: Path
    sha256: str
    name: str


def require_files(folder: Path) -> None:
    """Return quietly where all files of a model are there; none is read whole."""
    if not folder.is_dir():
        raise path_not_found("folder", folder, "Choose the folder of a Whisper model for CTranslate2.")
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        missing.append(_VOCABULARIES[0])
    if missing:
        name = escape_unprintable(folder.absolute().name)
        raise UserError(
            f"“{name}” is not the folder of a Whisper model for CTranslate2: {missing[0]} is missing.",
            "Choose another folder, or get a model: greenroom model list",
        )


def inspect_folder(folder: Path) -> WhisperFolder:
    """Read a folder's weights once and say which model it is."""
    require_files(folder)
    try:
        with explain_os_errors(f"The model in {folder} cannot be read", "Check its files and their permissions."):
            size = (folder / MODEL_FILE).stat().st_size
            digest = file_sha256(folder / MODEL_FILE)
            json.loads((folder / "config.json").read_text("utf-8"))
    except ValueError:
        raise UserError(f"The model in {folder} is damaged: config.json is not JSON.", "Get the model again.") from None
    listed = [(weights.name, part) for weights, part in known_weights()]
    known = {part.sha256: name for name, part in listed}
    known |= {sha256: OWN_MODEL for file, sha256 in installed_weights.sha256s(OWN_MODEL).items() if file == MODEL_FILE}
    lookalike = next((name for name, part in listed if part.size == size), "")
    if digest not in known and (lookalike or size < _LEAST_BYTES):
        wanted = f", and that of {lookalike} is another one" if lookalike else ""
        raise damaged_model_error(folder, digest, f"the checksum of {MODEL_FILE} is {digest}{wanted}")
    return WhisperFolder(folder, digest, known.get(digest, ""))


def damaged_model_error(folder: Path, digest: str, why: str = "") -> UserError:
    """Return the error for weights that are not what they should be."""
    reason = why or f"{MODEL_FILE} with the checksum {digest} cannot be loaded"
    return UserError(
        f"The model in {folder} is damaged: {reason}.",
        "Get the model again. If it is your own, add it first: greenroom model add whisper FOLDER",
    )


NAME_PREFIX = "whisper-"
_ENGLISH = (".en", "distil-large-v3")
"""How the names of models end that know English only."""
_LARGEST_WITHOUT_GPU = 600_000_000


@dataclass(frozen=True, slots=True)
class WhisperModel:
    """A model of the catalogue."""

    name: str
    size: int
    purpose: str
    installed: bool
    english: bool


def list_whisper_models() -> list[WhisperModel]:
    """Return the models of the catalogue, and that of a lab itself where it was added, the smallest first."""
    found = [
        WhisperModel(
            weights.name,
            weights.editions[0].size,
            weights.purpose,
            installed_weights.is_installed(weights.name),
            weights.name.endswith(_ENGLISH),
        )
        for weights, _ in known_weights()
    ]
    if installed_weights.is_installed(OWN_MODEL):
        size = sum(file.stat().st_size for file in installed_weights.weights_location(OWN_MODEL).iterdir())
        found.append(WhisperModel(OWN_MODEL, size, weights_catalogue.WEIGHTS[OWN_MODEL].purpose, True, english=False))
    return sorted({model.name: model for model in found}.values(), key=lambda model: (model.size, model.name))


def known_weights() -> list[tuple[Weights, EditionFile]]:
    """Return each Whisper entry of the catalogue with the file of its weights, once for each of its editions."""
    return [
        (weights, part)
        for weights in weights_catalogue.WEIGHTS.values()
        if weights.name.startswith(NAME_PREFIX)
        for edition in weights.editions
        for part in edition.parts
        if part.file == MODEL_FILE
    ]


def default_model(language: str | None = None) -> str | None:
    """Return the best installed model that this machine is fast enough for; None where none is installed.

    A model that knows English only is taken for English, or where there is no other.
    """
    there = [model for model in list_whisper_models() if model.installed]
    fitting = [model for model in there if has_gpu() or model.size <= _LARGEST_WITHOUT_GPU] or there[:1]
    if language not in (None, "en"):
        multilingual = [model for model in there if not model.english]
        fitting = [model for model in fitting if not model.english] or multilingual[:1]
    several = [model for model in fitting if not model.english]
    if language is None and several:
        fitting = several
    best = max(fitting, key=lambda model: (model.size, model.english == (language == "en")), default=None)
    return best.name if best else None


def has_gpu() -> bool:
    """Tell whether there seems to be an NVIDIA GPU; asks no library that would have to be loaded."""
    return shutil.which("nvidia-smi") is not None


def resolve_model(model: str | None, language: str | None = None) -> tuple[str, Path]:
    """Return the name and folder of a model; it is named with or without `whisper-`, as a folder, or the usual one."""
    if model is not None and not _catalogue_name(model):
        folder = Path(model).expanduser()
        if not folder.exists():
            names = ", ".join(model.name for model in list_whisper_models())
            raise UserError(
                f"There is no model or folder “{escape_unprintable(model)}”.", f"Choose a folder, or one of {names}."
            )
        require_files(folder)
        return "", folder.absolute()
    name = _catalogue_name(model) if model else default_model(language)
    if name is None:
        raise _none_installed(language)
    return name, installed_weights.verified_path(name)


def _catalogue_name(model: str) -> str:
    """Return the name that is meant, "" where it is a folder: one that is there goes before a short name."""
    names = {model.name for model in list_whisper_models()}
    if model in names:
        return model
    short = NAME_PREFIX + model
    return short if short in names and not Path(model).is_dir() else ""


def _none_installed(language: str | None) -> UserError:
    there = [model for model in list_whisper_models() if language in (None, "en") or not model.english]
    first = there[0].name if there else "NAME"
    if any(model.installed for model in list_whisper_models()):
        return UserError(
            "The installed models support English only.", f"Get a multilingual model: greenroom model fetch {first}"
        )
    return UserError(
        "No speech recognition model is installed.",
        f"Get one: greenroom model fetch {first}. To find speech without a model: --speech-only.",
    )
