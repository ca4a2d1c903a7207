"""Which Whisper models there are on this machine, and which of them is used when nobody says."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from models import weights
from models.speech.whisper_folder import MODEL, OWN, require_files
from models.weights import catalogue
from models.weights.editions import Part, Weights
from project.errors import UserError
from project.names import shown

PREFIX = "whisper-"
_ENGLISH = (".en", "distil-large-v3")
"""How the names of models end that know English only."""
_LARGEST_WITHOUT_GPU = 600_000_000


@dataclass(frozen=True, slots=True)
class WhisperModel:
    """A model of the catalogue.

    Attributes:
        name: in the catalogue, such as `whisper-small`.
        size: of all its files in bytes.
        purpose: as the catalogue says it.
        installed: whether it is on this machine.
        english: whether it knows English only.
    """

    name: str
    size: int
    purpose: str
    installed: bool
    english: bool


def whisper_models() -> list[WhisperModel]:
    """Return the models of the catalogue, and that of a lab itself where it was added, the smallest first."""
    found = [
        WhisperModel(
            one.name, one.editions[0].size, one.purpose, weights.installed(one.name), one.name.endswith(_ENGLISH)
        )
        for one, _ in known_weights()
    ]
    if weights.installed(OWN):
        size = sum(file.stat().st_size for file in weights.place(OWN).iterdir())
        found.append(WhisperModel(OWN, size, catalogue.WEIGHTS[OWN].purpose, True, english=False))
    return sorted({one.name: one for one in found}.values(), key=lambda one: (one.size, one.name))


def known_weights() -> list[tuple[Weights, Part]]:
    """Return each Whisper entry of the catalogue with the file of its weights, once for each of its editions."""
    return [
        (one, part)
        for one in catalogue.WEIGHTS.values()
        if one.name.startswith(PREFIX)
        for edition in one.editions
        for part in edition.parts
        if part.file == MODEL
    ]


def usual(language: str | None = None) -> str | None:
    """Return the best installed model that this machine is fast enough for; None where none is installed.

    A model that knows English only is taken for English, or where there is no other.
    """
    there = [one for one in whisper_models() if one.installed]
    fitting = [one for one in there if has_gpu() or one.size <= _LARGEST_WITHOUT_GPU] or there[:1]
    if language not in (None, "en"):
        fitting = [one for one in fitting if not one.english] or [one for one in there if not one.english][:1]
    several = [one for one in fitting if not one.english]
    if language is None and several:
        fitting = several
    best = max(fitting, key=lambda one: (one.size, one.english == (language == "en")), default=None)
    return best.name if best else None


def has_gpu() -> bool:
    """Tell whether there seems to be an NVIDIA GPU; asks no library that would have to be loaded."""
    return shutil.which("nvidia-smi") is not None


def place_of(model: str | None, language: str | None = None) -> tuple[str, Path]:
    """Return the name and folder of a model, whose files are all there.

    Args:
        model: name in the catalogue, with or without `whisper-`, or a folder; the usual one where None.
        language: that is spoken, where somebody said so.

    Raises:
        UserError: there is none of that name, it is not installed or damaged, or the folder holds no model.
    """
    if model is not None and not _named(model):
        folder = Path(model).expanduser()
        if not folder.exists():
            names = ", ".join(one.name for one in whisper_models())
            raise UserError(f"There is no model or folder “{shown(model)}”.", f"Name a folder, or one of: {names}.")
        require_files(folder)
        return "", folder.absolute()
    name = _named(model) if model else usual(language)
    if name is None:
        raise _none_installed(language)
    return name, weights.path(name)


def _named(model: str) -> str:
    """Return the name that is meant, "" where it is a folder: one that is there goes before a short name."""
    names = {one.name for one in whisper_models()}
    if model in names:
        return model
    short = PREFIX + model
    return short if short in names and not Path(model).is_dir() else ""


def _none_installed(language: str | None) -> UserError:
    there = [one for one in whisper_models() if language in (None, "en") or not one.english]
    first = there[0].name if there else "NAME"
    if any(one.installed for one in whisper_models()):
        return UserError(
            "The installed models know English only.", f"Get one that knows more: greenroom models fetch {first}"
        )
    return UserError(
        "No model that recognises speech is installed.",
        f"Get one: greenroom models fetch {first}. Where somebody speaks is found without one: --speech-only.",
    )
