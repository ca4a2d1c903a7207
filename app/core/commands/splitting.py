"""Making a copy of the study for one annotator, with media beside it where that is wanted."""

import contextlib
import shlex
import threading
from enum import StrEnum
from pathlib import Path

from app.core.commands.media_beside import MediaBeside
from app.core.session import MediaState, Session
from app.core.training import gate_of
from app.core.trusted import Kind, trust
from project.errors import Cancelled, UserError
from project.progress import Progress, Silent
from project.queries.annotators import all_annotators, annotator_by_name
from project.queries.episodes import told_by_others
from project.queries.media import all_media
from project.queries.plans import all_assignments
from project.queries.recordings import all_recordings
from project.queries.segments import segment_counts
from project.splitting import Draft, Share, Split
from project.store import Study
from project.types import WorkPurpose

_USUAL = 2
"""Annotators of a recording, where a plan says nothing else."""


class MediaWith(StrEnum):
    """What becomes of the media files when a study is split."""

    LEAVE = "leave"
    LINK = "link"
    COPY = "copy"


class CopyFor:
    """A study file for one annotator, with their recordings and nothing of anybody else's work, while it is made.

    Episodes that go on from what others marked are anybody else's work too, also where they are assigned. Nothing of
    it has its name before `finish`.
    """

    def __init__(self, session: Session, annotator: str, out: Path, media: MediaWith = MediaWith.LEAVE) -> None:
        """Begin it.

        Raises:
            UserError: the study is read-only, something of that name is there already, or the folder cannot be used.
        """
        self._annotator, self._media = annotator, media
        self._draft = Draft(session.study, out)
        self._beside = MediaBeside(self._draft.beside, self._draft.path, linked=media is MediaWith.LINK)
        self._turn = threading.Lock()
        self._filling, self._given_up = False, threading.Event()

    def fill(self, session: Session, progress: Progress) -> None:
        """Copy media, then write the copy; in any thread, with a session of that thread. Files are copied once.

        Raises:
            Cancelled: it is not wanted any more.
            UserError: nobody is called that, nothing is assigned to them although there is a plan, a media file is
                missing, or there is no room.
        """
        with self._turn:
            if self._given_up.is_set():
                raise Cancelled
            self._filling = True
        try:
            self._fill(session, progress)
        finally:
            with self._turn:
                self._filling = False
                if self._given_up.is_set():
                    self._draft.close()

    def _fill(self, session: Session, progress: Progress) -> None:
        share = _share(session, self._annotator)
        if self._media is MediaWith.LEAVE:
            self._draft.fill(session.study, share)
            return
        self._beside.bring(_present(session, share.recordings), progress)
        self._draft.fill(session.study, share, self._place)

    def finish(self, session: Session) -> Split | None:
        """Give all of it its name; None where the study was edited since it was filled: it is to be filled again.

        Raises:
            UserError: a name was taken meanwhile, or it cannot be written.
        """
        if self._media is MediaWith.LEAVE:
            return self._draft.finish(session.study)
        made = self._draft.finish(session.study, self._beside.in_place)
        if made is not None and self._media is MediaWith.LINK:
            trust(session.study.id, Kind.FOLDER, self._beside.sources)
        return made

    def close(self) -> None:
        """Remove what has no name yet; while another thread fills it, that one does, when it ends."""
        with self._turn:
            self._given_up.set()
            if not self._filling:
                self._draft.close()

    def _place(self, copy: Study) -> None:
        with copy.without_history():
            for medium_id, path in self._beside.paths.items():
                copy.write("UPDATE medium SET path = ? WHERE id = ?", (path, medium_id))


def split_for(
    session: Session,
    annotator: str,
    out: Path,
    media: MediaWith = MediaWith.LEAVE,
    progress: Progress | None = None,
) -> Split:
    """Make a copy at once, in this thread; errors as `CopyFor`."""
    with contextlib.closing(CopyFor(session, annotator, out, media)) as copy:
        copy.fill(session, progress or Silent())
        made = copy.finish(session)
    assert made is not None
    return made


def plan_command(session: Session, annotator: str) -> str:
    """Return the command that plans the work of all who are planned, or else have begun, and of one more annotator."""
    counts = segment_counts(session.study, unseen=True)
    begun = {who for of_recording in counts.values() for who in of_recording}
    planned = {one.annotator_id for one in all_assignments(session.study)} or begun
    known = {one.id: one.name for one in all_annotators(session.study) if one.kind == "person" and one.id in planned}
    people = list(dict.fromkeys([*known.values(), annotator]))
    # What is begun stays with its annotator: somewhere there has to be a place for one more.
    taken = min((len(known.keys() & counts.get(one.id, {})) for one in all_recordings(session.study)), default=0)
    each = max(min(_USUAL, len(people)), taken + (annotator not in known.values()))
    seats = "" if each == _USUAL else f" --per-recording {each}"
    study, listed = shlex.quote(str(session.study.path)), shlex.quote(",".join(people))
    return f"greenroom plan {study} --annotators {listed}{seats}"


def _share(session: Session, annotator: str) -> Share:
    plan = all_assignments(session.study)
    who = annotator_by_name(session.study, annotator)
    if who is None:
        known = ", ".join(one.name for one in all_annotators(session.study)) or "nobody yet"
        raise UserError(
            f"No annotator is called “{annotator}” (in this study: {known}).",
            f"Name them in the plan: {plan_command(session, annotator)}",
        )
    own = [one for one in plan if one.annotator_id == who.id]
    if plan and not own:
        raise UserError(
            f"Nothing is assigned to {who.name}.", f"Plan again, with them: {plan_command(session, annotator)}"
        )
    given = [one.recording_id for one in own] or [one.id for one in all_recordings(session.study)]
    gate = gate_of(session)
    training = {one.recording_id for one in own if one.purpose is WorkPurpose.TRAINING}
    taught = training & {*gate.recordings} if gate else set()
    references = (gate.reference,) if gate and taught else ()
    told = told_by_others(session.study, who.id, taught, references)
    recordings = tuple(one for one in given if one not in told)
    return Share(who, recordings, tuple(sorted(taught)), references)


def _present(session: Session, recordings: tuple[str, ...]) -> list[tuple[str, Path]]:
    """Return medium id and file of all media of some recordings."""
    wanted = {*recordings}
    located = [session.locate(one) for one in all_media(session.study) if one.recording_id in wanted]
    missing = [one.path.name for one in located if one.state is not MediaState.PRESENT]
    if missing:
        raise UserError(
            f"{len(missing)} media files are missing or were replaced, such as {missing[0]}.",
            "Relink them first, or leave the media behind.",
        )
    return [(one.medium.id, one.path) for one in located]
