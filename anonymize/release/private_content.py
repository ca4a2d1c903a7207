"""What must not leave: collected from a study, removed from texts by a scrubber, searched for in finished files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from annotate.interchange.formats.csv_table import COLUMNS as CSV_TABLE_COLUMNS
from anonymize.methods.face_methods import METHODS, method_type
from anonymize.pii_detection.pii_hit import KINDS
from anonymize.pii_detection.text_scrubber import OMISSION_MARK, PhraseMatcher, TextScrubber, find_identifying
from anonymize.pii_review.review_hits import build_finders, build_quoted_finder, private_replacements
from anonymize.release.release_plan import (
    SOUND_CHOICES,
    TEXT_CHOICES,
    VIDEO_CHOICES,
    WITHOUT_CONSENT_CHOICES,
    assign_annotator_codes,
)
from anonymize.release.release_rules import RULES
from anonymize.sound.voice_methods import COVERS, VOICES, voice_type
from project.entities.study_records import Changes, ParticipantRole
from project.errors import UserError
from project.queries import pii_rows
from project.queries.annotator_rows import all_annotators
from project.queries.pii_rows import PrivateWord, replacements
from project.queries.recording_rows import all_media, all_participants, all_recordings
from project.session.session import Session
from project.text_matching.text_views import fold
from resources import resource

_MIN_NAME_CHARS = 2
_MIN_NOTE_CHARS = 4
_MIN_PATTERN_BYTES = 6
_CHUNK_BYTES = 1 << 20
_RESOURCE_FOLDERS = ("release", "schemes")
_RELEASE_FOLDERS = ("annotations", "video", "frames", "manifest", "recordings", "participants")


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


def build_scrubber(session: Session, *, quoting: bool = False) -> TextScrubber:
    """Return what scrubs the texts of a study: private words, annotators, recordings, and what looks personal.

    With `quoting`, what is scrubbed quotes texts of the study, such as a question that says what a node says.
    """
    study = session.study
    words = private_replacements(session)
    for name, code in assign_annotator_codes(all_annotators(study), _pseudonyms(session)).items():
        words.setdefault(name, code)
    for recording in all_recordings(study):
        for name in _names(recording.name):
            words.setdefault(name, f"recording {recording.number}")
    numbers = {recording.id: recording.number for recording in all_recordings(study)}
    for medium in all_media(study):
        for name in _names(medium.path):
            words.setdefault(name, f"recording {numbers[medium.recording_id]}")
    for note in _notes(session):
        words.setdefault(note, OMISSION_MARK)
    find, keep = build_finders(session)
    return TextScrubber(words, (find, find_identifying, *([build_quoted_finder(session)] if quoting else [])), keep)


def collect_private(session: Session) -> Private:
    """Return what the finished release is searched for.

    Names of annotators, recordings and files that are also words of our own templates and schemes, such as a file
    called `video.mp4`, are only searched for with their endings: they would be found in every release. The scrubber
    takes them out of texts all the same. Private words are always searched for.
    """
    study = session.study
    own = _program_words()
    secret = {*replacements(study)}
    names = {annotator.name for annotator in all_annotators(study)}
    places = [medium.path for medium in all_media(study)]
    for recording in all_recordings(study):
        names |= set(_names(recording.name))
    for path in places:
        names |= set(_names(path))
    words = secret | {name for name in names if len(name) >= _MIN_NAME_CHARS and not _is_program_name(name, own)}
    files = {PurePosixPath(path).name for path in places} | {study.path.name}
    folders = {str(study.folder), str(Path.home())}
    folders |= {str(PurePosixPath(path).parent) for path in places if path.count("/") > 1}
    texts = {*files, *folders, *_notes(session)}
    return Private(
        tuple(sorted(words)), tuple(sorted(text for text in texts if len(text) >= _MIN_NOTE_CHARS and text != "/"))
    )


def set_private_words(session: Session, words: Mapping[str, str]) -> Changes:
    """Replace the study's private words: word or phrase -> what is written in its place. Kinds of known ones stay."""
    clean = {" ".join(word.split()): " ".join(after.split()) for word, after in words.items()}
    if not all(clean) or not all(clean.values()):
        raise UserError("A private word or its replacement is empty.", "Give both, such as Anna = P01.")
    before = {private_word.word: private_word for private_word in pii_rows.private_words(session.study)}
    with session.step("Set private words") as step:
        for word in before.keys() - clean.keys():
            pii_rows.delete_private_word(session.study, word)
        for word, after in clean.items():
            known = before.get(word, PrivateWord(word, ""))
            if known.replacement != after:
                pii_rows.put_private_word(session.study, replace(known, replacement=after))
    return step.changes


def _pseudonyms(session: Session) -> list[str]:
    return [participant.pseudonym for participant in all_participants(session.study)]


def _notes(session: Session) -> list[str]:
    found = (line.strip() for participant in all_participants(session.study) for line in participant.note.splitlines())
    return [line for line in found if len(line) >= _MIN_NOTE_CHARS]


def _names(path: str) -> list[str]:
    """Return what a recording or file may be called in a text, longest first; what is only a number is no name."""
    name = PurePosixPath(path).name
    forms = dict.fromkeys((name, PurePosixPath(name).stem, re.sub(r"[\s_.-]+", " ", PurePosixPath(name).stem)))
    return [form for form in forms if len(form) >= _MIN_NAME_CHARS and not form.strip().isdecimal()]


def _is_program_name(name: str, own: Mapping[str, None]) -> bool:
    parts = re.findall(r"\w+", name.casefold())
    return all(part in own for part in parts) and "." not in name


def _program_words() -> dict[str, None]:
    """Return the words of our templates, schemes, methods, rules and columns, in order."""
    texts = [path.read_text("utf-8") for folder in _RESOURCE_FOLDERS for path in sorted(resource(folder).iterdir())]
    texts += [
        text
        for told in (VIDEO_CHOICES, SOUND_CHOICES, TEXT_CHOICES, WITHOUT_CONSENT_CHOICES)
        for pair in told.items()
        for text in pair
    ]
    texts += [f"{name} {method_type(name).title} {method_type(name).description}" for name in METHODS]
    texts += [
        f"{name} {kind.title} {kind.description} {kind.weakness}" for name in VOICES for kind in [voice_type(name)]
    ]
    texts += [*COVERS, *COVERS.values(), *(f"{key} {kind.title} {kind.label}" for key, kind in KINDS.items())]
    texts += [
        *(rule.title for rule in RULES.values()),
        " ".join((*CSV_TABLE_COLUMNS, *ParticipantRole, *_RELEASE_FOLDERS)),
    ]
    return dict.fromkeys(word for text in texts for word in re.findall(r"[^\W_]+", text.casefold()))


# Names such as Ada stand in every manifest by chance, between the digits of a checksum or an id.
_CHECKSUMS = re.compile(
    r"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9a-f])"
)


class PrivateSearch:
    """Searches texts and bytes for what must not leave."""

    def __init__(self, private: Private) -> None:
        self._words = PhraseMatcher(dict.fromkeys(private.words, "-"))
        self._texts = [fold(text) for text in private.texts]
        patterns = {form for text in (*private.words, *private.texts) for form in _byte_forms(text)}
        longest_first = sorted(patterns, key=len, reverse=True)
        self._pattern = re.compile(b"|".join(map(re.escape, longest_first))) if patterns else None
        self._overlap = max(map(len, patterns), default=1)

    def find_in_text(self, text: str, where: str) -> Iterator[str]:
        """Yield what private things stand in a text."""
        text = _CHECKSUMS.sub(" ", text)
        found = self._words.find_first(text)
        if found is not None:
            yield f"{where} holds the private word or name “{found}”"
        plain = fold(text)
        for private_text in self._texts:
            if private_text in plain:
                yield f"{where} holds the name of a file or folder, or a participant's note: “{private_text[:40]}”"

    def find_in_bytes(self, path: Path) -> Iterator[str]:
        """Yield that something private stands in the bytes of a file; a pattern is long enough to be no chance."""
        if self._pattern and any(
            self._pattern.search(chunk.lower()) for chunk in read_overlapping(path, self._overlap)
        ):
            yield "its bytes hold a private word, a name or a path"


def _byte_forms(text: str) -> Iterator[bytes]:
    for code in ("utf-8", "utf-16-le", "utf-16-be"):
        form = text.lower().encode(code)
        if len(form) >= _MIN_PATTERN_BYTES:
            yield form


def read_overlapping(path: Path, overlap: int) -> Iterator[bytes]:
    """Yield the content of a file in chunks that begin with so many bytes of the one before."""
    rest = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield rest + chunk
            rest = chunk[-overlap:]
