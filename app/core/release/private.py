"""What must not stand in a release, and the scrubber that takes it out of texts."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from anonymize.methods.registry import METHODS, method_type
from anonymize.pii.kinds import KINDS
from anonymize.sound.kinds import COVERS
from anonymize.text import LEFT_OUT, Scrubber, telling
from anonymize.voice.registry import VOICES, voice_type
from app.core.interchange.csv_table import COLUMNS
from app.core.pii.replacing import private_replacements
from app.core.pii.scrubbing import finders_of, quoted_finder
from app.core.release.codes import annotator_codes
from app.core.release.plan import SOUND, TEXTS, VIDEO, WITHOUT_CONSENT
from app.core.release.rules import RULES
from app.core.session import Session
from project.queries.annotators import all_annotators
from project.queries.media import all_media
from project.queries.participants import all_participants
from project.queries.private_words import replacements
from project.queries.recordings import all_recordings
from project.types import ParticipantRole
from resources import resource

_LEAST = 2
_LEAST_NOTE = 4
_LEAST_BYTES = 6
_OURS = ("release", "schemes")
_FOLDERS = ("annotations", "video", "frames", "manifest", "recordings", "participants")


@dataclass(frozen=True, slots=True)
class Private:
    """Words that must not leave.

    Attributes:
        words: searched for as whole words in every text of a release: private words and the names of annotators,
            recordings and files.
        texts: searched for as they are: participants' notes, file names with their endings, folders.
    """

    words: tuple[str, ...]
    texts: tuple[str, ...]

    def as_json(self) -> dict[str, list[str]]:
        """Return it as a JSON object."""
        return {"words": [*self.words], "texts": [*self.texts]}


def scrubber_of(session: Session, *, quoting: bool = False) -> Scrubber:
    """Return what scrubs the texts of a study: private words, annotators, recordings, and what looks personal.

    Args:
        session: of the study.
        quoting: what is scrubbed quotes texts of the study, such as a question that says what a node says.
    """
    study = session.study
    words = private_replacements(session)
    for name, code in annotator_codes(all_annotators(study), _pseudonyms(session)).items():
        words.setdefault(name, code)
    for one in all_recordings(study):
        for name in _names(one.name):
            words.setdefault(name, f"recording {one.number}")
    numbers = {one.id: one.number for one in all_recordings(study)}
    for medium in all_media(study):
        for name in _names(medium.path):
            words.setdefault(name, f"recording {numbers[medium.recording_id]}")
    for note in _notes(session):
        words.setdefault(note, LEFT_OUT)
    find, keep = finders_of(session)
    return Scrubber(words, (find, telling, *([quoted_finder(session)] if quoting else [])), keep)


def private_of(session: Session) -> Private:
    """Return what the finished release is searched for.

    Names of annotators, recordings and files that are also words of our own templates and schemes, such as a file
    called `video.mp4`, are only searched for with their endings: they would be found in every release. The scrubber
    takes them out of texts all the same. Private words are always searched for.
    """
    study = session.study
    own = _own_words()
    secret = {*replacements(study)}
    names = {one.name for one in all_annotators(study)}
    places = [one.path for one in all_media(study)]
    for one in all_recordings(study):
        names |= set(_names(one.name))
    for path in places:
        names |= set(_names(path))
    words = secret | {name for name in names if len(name) >= _LEAST and not _ours(name, own)}
    files = {PurePosixPath(path).name for path in places} | {study.path.name}
    folders = {str(study.folder), str(Path.home())}
    folders |= {str(PurePosixPath(path).parent) for path in places if path.count("/") > 1}
    texts = {*files, *folders, *_notes(session)}
    return Private(
        tuple(sorted(words)), tuple(sorted(text for text in texts if len(text) >= _LEAST_NOTE and text != "/"))
    )


def bytes_to_find(private: Private) -> list[bytes]:
    """Return what pictures and sound are searched for: texts long enough not to stand there by chance, lower case."""
    found = {form for text in (*private.words, *private.texts) for form in _forms(text)}
    return sorted(one for one in found if len(one) >= _LEAST_BYTES)


def _forms(text: str) -> Iterable[bytes]:
    lower = text.lower()
    return lower.encode(), lower.encode("utf-16-le"), lower.encode("utf-16-be")


def _pseudonyms(session: Session) -> list[str]:
    return [one.pseudonym for one in all_participants(session.study)]


def _notes(session: Session) -> list[str]:
    found = (line.strip() for one in all_participants(session.study) for line in one.note.splitlines())
    return [line for line in found if len(line) >= _LEAST_NOTE]


def _names(path: str) -> list[str]:
    """Return what a recording or file may be called in a text, longest first; what is only a number is no name."""
    name = PurePosixPath(path).name
    forms = dict.fromkeys((name, PurePosixPath(name).stem, re.sub(r"[\s_.-]+", " ", PurePosixPath(name).stem)))
    return [form for form in forms if len(form) >= _LEAST and not form.strip().isdecimal()]


def _ours(name: str, own: Mapping[str, None]) -> bool:
    parts = re.findall(r"\w+", name.casefold())
    return all(part in own for part in parts) and "." not in name


def _own_words() -> dict[str, None]:
    """Return the words of our templates, schemes, methods, rules and columns, in order."""
    texts = [path.read_text("utf-8") for folder in _OURS for path in sorted(resource(folder).iterdir())]
    texts += [text for told in (VIDEO, SOUND, TEXTS, WITHOUT_CONSENT) for pair in told.items() for text in pair]
    texts += [f"{name} {method_type(name).title} {method_type(name).description}" for name in METHODS]
    texts += [
        f"{name} {kind.title} {kind.description} {kind.weakness}" for name in VOICES for kind in [voice_type(name)]
    ]
    texts += [*COVERS, *COVERS.values(), *(f"{key} {kind.title} {kind.label}" for key, kind in KINDS.items())]
    texts += [*(rule.title for rule in RULES.values()), " ".join((*COLUMNS, *ParticipantRole, *_FOLDERS))]
    return dict.fromkeys(word for text in texts for word in re.findall(r"[^\W_]+", text.casefold()))
