"""Collects what must not be in a release, builds the scrubber that removes it, and scrubs the texts of a study.

Frozen benchmark items never change, so replacing texts of the study does not reach them: they are counted.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from annotate.interchange.formats.csv_table import COLUMNS as CSV_TABLE_COLUMNS
from anonymize.methods.face_methods import METHODS, method_type
from anonymize.pii_detection.pii_hit import KINDS
from anonymize.pii_detection.text_scrubber import OMISSION_MARK, ScrubResult, TextScrubber, find_identifying
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
from project.entities.study_records import Json, ParticipantRole
from project.errors import UserError
from project.ids import is_id
from project.queries.annotator_rows import all_annotators
from project.queries.item_set_rows import all_sets, items_of
from project.queries.pii_rows import replacements
from project.queries.recording_rows import all_media, all_participants, all_recordings, hold_outs
from project.queries.transcript_rows import utterances_of
from project.search.free_texts import QUOTED, FreeText, free_texts
from project.session.session import Session
from project.text_format import write_csv
from project.timebase import format_time
from resources import resource

_MIN_NAME_CHARS = 2
_MIN_NOTE_CHARS = 4
_MIN_PATTERN_BYTES = 6
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

    Args:
        session: of the study.
        quoting: what is scrubbed quotes texts of the study, such as a question that says what a node says.
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


def private_byte_patterns(private: Private) -> list[bytes]:
    """Return what pictures and sound are searched for: texts long enough not to stand there by chance, lower case."""
    found = {form for text in (*private.words, *private.texts) for form in _forms(text)}
    return sorted(pattern for pattern in found if len(pattern) >= _MIN_PATTERN_BYTES)


def _forms(text: str) -> Iterable[bytes]:
    lower = text.lower()
    return lower.encode(), lower.encode("utf-16-le"), lower.encode("utf-16-be")


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


COPY_COLUMNS = ("recording", "start", "end", "what", "field", "text", "replaced")
NEVER_COPIED_TABLES = frozenset({"participant", "recording"})
"""Tables whose texts are about who is behind a pseudonym or a number: they never leave, and are no copies of."""


@dataclass(frozen=True, slots=True)
class ScrubbedText:
    """A text of the study, and how it may leave."""

    text: FreeText
    scrubbed: ScrubResult


def scrub_texts(session: Session) -> Iterator[ScrubbedText]:
    """Yield every text that is worth a copy, scrubbed."""
    plain, quoting = build_scrubber(session), build_scrubber(session, quoting=True)
    for free_text in free_texts(session.study):
        if free_text.table not in NEVER_COPIED_TABLES and free_text.text.strip():
            yield ScrubbedText(free_text, (quoting if free_text.table in QUOTED else plain).scrub(free_text.text))


def write_copies(session: Session, folder: Path) -> list[str]:
    """Write scrubbed copies to a new folder, without recordings that are held out; return the names of its files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(f"The folder {folder} is not empty.", "Name a new one, so that nothing is mixed up.")
        numbers = {recording.id: recording.number for recording in all_recordings(session.study)}
        kept_back = hold_outs(session.study)
        with (folder / "texts.csv").open("x", encoding="utf-8", newline="") as file:
            rows = [
                (
                    *(
                        numbers.get(scrub_text.text.recording_id or "", ""),
                        scrub_text.text.start_us / 1e6,
                        scrub_text.text.end_us / 1e6,
                    ),
                    *(
                        scrub_text.text.table,
                        scrub_text.text.field,
                        scrub_text.scrubbed.text,
                        len(scrub_text.scrubbed.replacements),
                    ),
                )
                for scrub_text in scrub_texts(session)
                if scrub_text.text.recording_id not in kept_back
            ]
            write_csv(file, COPY_COLUMNS, rows)
        written = ["texts.csv"]
        scrubber = build_scrubber(session)
        for recording in all_recordings(session.study):
            if recording.id not in kept_back and (text := _captions(session, recording.id, scrubber)):
                name = f"recording-{recording.number:04d}.vtt"
                (folder / name).write_text(text, "utf-8")
                written.append(name)
    except OSError as error:
        raise UserError(f"The copies cannot be written: {error}.", "Name another folder, or make room.") from None
    return written


def _captions(session: Session, recording_id: str, scrubber: TextScrubber) -> str:
    """Return the transcript of a recording as WebVTT, speakers by pseudonym; "" where nothing is said."""
    people = {participant.id: participant.pseudonym for participant in all_participants(session.study)}
    cues = []
    for utterance in utterances_of(session.study, recording_id):
        text = " ".join(scrubber.scrub(utterance.text).text.split())
        if not text:
            continue
        who = people.get(utterance.participant_id or "")
        voice = f"<v {html.escape(who, quote=False)}>" if who else ""
        span = f"{_time(utterance.start_us)} --> {_time(utterance.end_us)}"
        cues.append(f"{span}\n{voice}{html.escape(text, quote=False)}\n")
    return "\n".join(["WEBVTT\n", *cues]) if cues else ""


def _time(time_us: int) -> str:
    hours, rest = format_time(time_us).split(":", 1)
    return f"{int(hours):02d}:{rest}"


def count_personal_items(session: Session) -> dict[str, int]:
    """Return name of an item set -> how many of its items hold what would be replaced in a text of the study.

    Draw such a set again from the texts as they are now; a withdrawal takes out the items that are somebody's.
    """
    scrubber = build_scrubber(session, quoting=True)
    known: dict[str, bool] = {}

    def personal(text: str) -> bool:
        if text not in known:
            known[text] = bool(scrubber.scrub(text).replacements)
        return known[text]

    found: dict[str, int] = {}
    for item_set in all_sets(session.study):
        held = sum(
            any(personal(text) for text in _texts(dict(item.content))) for item in items_of(session.study, item_set.id)
        )
        if held:
            found[item_set.name] = held
    return found


def _texts(value: Json) -> Iterator[str]:
    """Yield texts of a value that may be words of somebody: all but ids."""
    match value:
        case str():
            if value.strip() and not is_id(value):
                yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for item in value.values():
                yield from _texts(item)
