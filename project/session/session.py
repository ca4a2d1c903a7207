"""An open study with its annotator and the places of its media files.

`PerState` caches a value per session until the study's history or viewer changes.
"""

import logging
import re
import secrets
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath
from types import TracebackType
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from project.entities.study_records import Annotator, Medium, MediumRole, Participant, Recording
from project.errors import UserError, no_longer_in_study
from project.files.fingerprints import fingerprint
from project.ids import new_id
from project.merging.merge import COPY_PROPERTY
from project.queries.annotator_rows import annotator_by_name, insert_annotator
from project.queries.history_rows import revision_key
from project.queries.recording_rows import all_media, all_participants, all_recordings, find_recording, media_of
from project.queries.study_schemes import StudySchemes
from project.schemes.scheme import Scheme
from project.session.settings import Settings, load_settings
from project.session.trust_store import TrustKind, add_trusted, containing_folders, is_inside_allowed, read_trusted
from project.store.study import Study, UndoStep
from project.text_format import escape_unprintable

_log = logging.getLogger(__name__)
_warned: set[Path] = set()
_SECRET = re.compile("[0-9a-f]{64}")
"""Studies of which it was said that nobody may write to them."""


class MediaState(StrEnum):
    """Whether the file of a medium is what the study knows."""

    PRESENT = "present"
    MISSING = "missing"
    REPLACED = "replaced"
    OUTSIDE = "outside"
    """Outside the study's folder, where nobody on this machine pointed to: it is not looked at."""


@dataclass(frozen=True, slots=True)
class LocatedMedium:
    """A medium, where its file should be, and what is there."""

    medium: Medium
    path: Path
    state: MediaState


class Session:
    """One person's work in one study. Belongs to the thread that opened it.

    Attributes:
        patient: whether what takes seconds may be done at once, in this thread; not so in a window, which would stand
            still.
    """

    def __init__(self, study: Study, annotator: str | None = None, settings: Settings | None = None) -> None:
        self.study = study
        self.patient = True
        self._folders = read_trusted(study.id, TrustKind.FOLDER)
        self.settings = settings or load_settings()
        self._annotator_name = ""
        self.annotator_name = annotator or copy_owner(study) or self.settings.annotator
        self.schemes = StudySchemes(study)

    @property
    def annotator_name(self) -> str:
        """The name that edits are recorded under, and whose eyes the study is seen with."""
        return self._annotator_name

    @annotator_name.setter
    def annotator_name(self, name: str) -> None:
        self._annotator_name = name
        self.study.set_viewer(name)

    @property
    def scheme(self) -> Scheme:
        """The scheme that a segment is made under when nobody names another."""
        return self.schemes.default

    @classmethod
    def open(
        cls,
        path: Path,
        annotator: str | None = None,
        *,
        read_only: bool = False,
        when_checked: Callable[[], None] | None = None,
        when_backed_up: Callable[[], None] | None = None,
    ) -> "Session":
        """Open a study to work in, with a backup of it where one is due; what is called when says `Study.open`."""
        settings = load_settings()
        study = Study.open(
            path,
            read_only=read_only,
            when_checked=when_checked,
            backups=settings.backups,
            when_backed_up=when_backed_up,
        )
        if study.backup_problem is not None:
            _log.warning("%s", study.backup_problem)
        if study.defect is not None and study.path not in _warned:
            # Once: a window opens it again and again, to read in a thread.
            _warned.add(study.path)
            _log.warning("%s", study.defect)
        try:
            return cls(study, annotator, settings)
        except BaseException:
            study.close()
            raise

    def close(self) -> None:
        """Close the study; one file is left."""
        self.study.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def annotator(self) -> Annotator | None:
        """Return who works here; None before their first edit in this study."""
        return annotator_by_name(self.study, self.annotator_name)

    def author(self) -> Annotator:
        """Return who works here, in a step of theirs, before which they were introduced."""
        found = self.annotator()
        assert found is not None
        return found

    def require_own(self, annotator_id: str, problem: str, hint: str) -> None:
        """Refuse a change of what somebody else made."""
        self.study.require_writable()
        author = self.annotator()
        if author is None or author.id != annotator_id:
            raise UserError(problem, hint)

    @contextmanager
    def step(self, name: str, merge_key: str | None = None, *, undoable: bool = True) -> Iterator[UndoStep]:
        """One edit: a transaction, a step of the history, recorded under the annotator of this session.

        `undoable` is explained at `Study.step`.
        """
        if not self.annotator_name.strip():
            raise UserError("An edit needs an annotator's name.", "Set your name as annotator first.")
        self.study.require_writable()
        who = annotator_by_name(self.study, self.annotator_name)
        if who is None:
            who = Annotator(new_id(), self.annotator_name)
            with self.study.step(f"Introduce {who.name}", undoable=False):
                insert_annotator(self.study, who)
        with self.study.step(name, who.id, merge_key, undoable=undoable) as step:
            yield step

    def recording(self, recording_id: str) -> Recording:
        """Return a recording of the study."""
        found = find_recording(self.study, recording_id)
        if found is None:
            raise no_longer_in_study("recording")
        return found

    def get_secret(self, name: str) -> str:
        """Return 64 hexadecimal digits that the property of a name holds, made when they are first needed."""
        found = self.study.get_property(name)
        if isinstance(found, str) and _SECRET.fullmatch(found):
            return found
        made = secrets.token_hex(32)
        self.study.require_writable()
        with self.study.step("Make a secret of the study", undoable=False):
            self.study.set_property(name, made)
        return made

    def main_medium(self, recording_id: str) -> Medium | None:
        """Return the file whose picture is worked on, or None for a recording without media."""
        media = media_of(self.study, recording_id)
        return next((m for m in media if m.role is MediumRole.MAIN), None)

    def has_picture(self, recording_id: str) -> bool:
        """Tell whether there is anything to see: a recording may be sound only, or have no file."""
        medium = self.main_medium(recording_id)
        return medium is not None and medium.facts.video is not None

    def may_read(self, place: Path) -> bool:
        """Tell whether a place may be read for the study: in its folder, or where a person pointed to."""
        return is_inside_allowed(self.study.folder, self._folders, place)

    def allow_folders_of(self, files: Iterable[Path]) -> None:
        """Let the study read from the folders of files that a person on this machine chose."""
        chosen = [folder for file in files for folder in containing_folders(file)]
        self._folders = (*dict.fromkeys((*self._folders, *chosen)),)
        add_trusted(
            self.study.id,
            TrustKind.FOLDER,
            (text for text in chosen if not is_inside_allowed(self.study.folder, (), Path(text))),
        )

    def media_path(self, medium: Medium) -> Path | None:
        """Return where the file of a medium should be; None where the study may not look."""
        path = self.study.folder / medium.path
        return path if self.may_read(path) else None

    def seems_present(self, medium: Medium) -> bool:
        """Tell at a glance whether the file of a medium is where it should be; which file it is shows `locate`."""
        place = self.media_path(medium)
        try:
            return place is not None and place.is_file()
        except (OSError, ValueError):
            return False

    def locate(self, medium: Medium) -> LocatedMedium:
        """Say where the file of a medium is, and whether it is still the one that was added."""
        path = self.study.folder / medium.path
        if not self.may_read(path):
            return LocatedMedium(medium, path, MediaState.OUTSIDE)
        try:
            if not path.is_file():
                return LocatedMedium(medium, path, MediaState.MISSING)
            same = path.stat().st_size == medium.facts.size_bytes and fingerprint(path) == medium.fingerprint
        except (OSError, ValueError, UserError):
            return LocatedMedium(medium, path, MediaState.MISSING)
        return LocatedMedium(medium, path, MediaState.PRESENT if same else MediaState.REPLACED)

    def require_picture(self, recording_id: str) -> LocatedMedium:
        """Return the main medium of a recording when its file is there, unchanged, and has a picture."""
        about = self.recording(recording_id)
        medium = self.main_medium(recording_id)
        if medium is None:
            raise UserError(f"Recording {about.number} ({about.name}) has no media file.", "Add its video first.")
        located = self.require_present(medium)
        if medium.facts.video is None:
            raise UserError(
                f"Recording {about.number} ({about.name}) has no picture.", "Choose a recording with video."
            )
        return located

    def require_present(self, medium: Medium) -> LocatedMedium:
        """Return where a file of a recording is when it is there, unchanged."""
        located = self.locate(medium)
        if located.state is not MediaState.PRESENT:
            problem, hint = _FILE_PROBLEMS[located.state]
            number, place = self.recording(medium.recording_id).number, escape_unprintable(located.path)
            raise UserError(f"The file of recording {number} is {problem}: {place}", hint)
        return located


_FILE_PROBLEMS = {
    MediaState.MISSING: ("missing", "Put it back, or relink the folder it was moved to."),
    MediaState.OUTSIDE: (
        "outside the study's folder",
        "A study from elsewhere may name any file. If this one is yours, point to it: relink the folder that it is in.",
    ),
    MediaState.REPLACED: (
        "not the one that was added",
        "Put the original back, or add this file as a recording of its own.",
    ),
}


def copy_owner(study: Study) -> str:
    """Return whose copy a study is, or "" for one that was not split off for anybody."""
    facts = study.get_property(COPY_PROPERTY)
    name = facts.get("annotator") if isinstance(facts, dict) else None
    return name if isinstance(name, str) else ""


def resolve_recording(session: Session, text: str) -> Recording:
    """Return the recording with this number, id, name or file name."""
    recordings = all_recordings(session.study)
    if text.isdecimal():
        fits = [r for r in recordings if r.number == int(text)]
    else:
        named = {m.recording_id for m in all_media(session.study) if text in (m.path, PurePath(m.path).name)}
        fits = [r for r in recordings if text in (r.id, r.name) or r.id in named]
    if len(fits) == 1:
        return fits[0]
    if not recordings:
        raise UserError("This study has no recordings yet.", "Add one: greenroom add STUDY VIDEO")
    if fits:
        numbers = ", ".join(str(r.number) for r in fits)
        raise UserError(f"Several recordings are called “{text}” ({numbers}).", "Give the number of the recording.")
    raise UserError(
        f"There is no recording “{text}” in this study.",
        "Give its number, file name or id; list them: greenroom info STUDY",
    )


def resolve_participant(session: Session, text: str) -> Participant:
    """Return the participant with this pseudonym."""
    found = next(
        (participant for participant in all_participants(session.study) if participant.pseudonym == text.strip()), None
    )
    if found is None:
        raise UserError(
            f"There is no participant “{text}” in this study.", "List them: greenroom participant list STUDY"
        )
    return found


Made = TypeVar("Made")


class PerState(Generic[Made]):
    """Caches values of the newest state of each open study, each made from the session and what `get` names."""

    def __init__(self, make: Callable[..., Made]) -> None:
        self._make = make
        self._known: WeakKeyDictionary[Session, tuple[object, dict[tuple[Hashable, ...], Made]]] = WeakKeyDictionary()

    def get(self, session: Session, *made_from: Hashable) -> Made:
        """Return the value for the study's present state."""
        mark = (revision_key(session.study), session.annotator_name)
        kept = self._known.get(session)
        if kept is None or kept[0] != mark:
            kept = self._known[session] = (mark, {})
        if made_from not in kept[1]:
            kept[1][made_from] = self._make(session, *made_from)
        return kept[1][made_from]
