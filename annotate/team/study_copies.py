"""Splits a study into copies for annotators, with their media, and merges the copies back.

Media go into an unfinished folder that is renamed when it is complete.
"""

import contextlib
import os
import shlex
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from annotate.team.training_gate import read_gate
from project.entities.study_records import Changes, WorkPurpose
from project.erasure.subject_scope import PersonalFinder, find_contact_strings
from project.errors import Cancelled, UserError, unknown_id
from project.files.atomic_files import explain_os_errors, name_taken_error
from project.merging.conflict_resolution import apply_version
from project.merging.merge import MergeResult, copy_sort_key, merge_copy, open_copy
from project.progress import Progress, Silent
from project.queries.annotator_rows import all_annotators, all_assignments, annotator_by_name
from project.queries.episode_rows import episodes_revealing_others
from project.queries.history_rows import Conflict, conflict_by_id, set_resolution
from project.queries.recording_rows import all_media, all_recordings
from project.queries.segment_rows import segment_counts
from project.session.gc_control import collector_paused
from project.session.session import MediaState, Session
from project.session.trust_store import TrustKind, add_trusted, containing_folders
from project.sharing.annotator_copy import AnnotatorShare, Split, StudyCopyDraft
from project.store.study import Study
from project.text_format import escape_unprintable, format_size

_CHUNK_BYTES = 4 << 20
_MB = 1_000_000


class MediaBeside:
    """The media of one copy.

    Attributes:
        paths: id of each medium -> where it will be, seen from the copy.
        sources: the folders that links lead to.
    """

    def __init__(self, scratch: Path, copy: Path, *, linked: bool) -> None:
        """Bring nothing yet.

        `scratch` is a folder on the disk of the copy, which is removed with what is left in it.
        """
        self._folder, self._final = scratch / "media", copy.with_name(f"{copy.stem} media")
        self._linked = linked
        self._known: dict[str, Path] = {}
        self._count = 0
        self.paths: dict[str, str] = {}
        self.sources: list[str] = []

    def copy_media(self, files: Sequence[tuple[str, Path]], progress: Progress) -> None:
        """Copy or link the files of media that are not there yet, and drop those that are not named any more.

        Progress counts megabytes.

        Raises:
            Cancelled: nobody wants it any more.
        """
        self._require_free()
        wanted = dict(files)
        with explain_os_errors(
            f"The media cannot be copied beside “{escape_unprintable(self._final.name)}”", "Choose another folder."
        ):
            self._folder.mkdir(exist_ok=True)
            for gone in self._known.keys() - wanted.keys():
                self._known.pop(gone).unlink()
            missing = [medium_id for medium_id in wanted if medium_id not in self._known]
            total = 0 if self._linked else self._require_space([wanted[medium_id] for medium_id in missing])
            done = 0
            for medium_id in missing:
                progress.check_cancelled()
                self._count += 1
                target = self._folder / f"{self._count:04} {wanted[medium_id].name}"
                if self._linked:
                    _link(wanted[medium_id], target)
                else:
                    done = _copy_file(wanted[medium_id], target, done, total, progress)
                self._known[medium_id] = target
        self.paths = {medium_id: f"{self._final.name}/{path.name}" for medium_id, path in self._known.items()}
        self.sources = [folder for path in wanted.values() for folder in containing_folders(path)]

    @contextmanager
    def publish(self) -> Iterator[None]:
        """Give the folder its name, and take it back where the block fails."""
        self._require_free()
        try:
            self._final.mkdir()
        except FileExistsError:
            self._require_free()
        try:
            # Onto the empty one that was just made, so that it takes nobody else's name.
            self._folder.replace(self._final)
            yield
        except BaseException:
            shutil.rmtree(self._final, ignore_errors=True)
            raise

    def _require_free(self) -> None:
        if os.path.lexists(self._final):
            raise name_taken_error(self._final)

    def _require_space(self, files: Sequence[Path]) -> int:
        """Return how many bytes they take."""
        need, free = sum(file.stat().st_size for file in files), shutil.disk_usage(self._folder).free
        if need > free:
            raise UserError(
                f"The media take {format_size(need)}, and the disk has {format_size(free)} left.",
                "Free some space, choose another folder, or leave out the media.",
            )
        return need


def _copy_file(source: Path, target: Path, done: int, total: int, progress: Progress) -> int:
    """Copy a file, on disk when this returns; return how many bytes of all are done."""
    with source.open("rb") as read, target.open("xb") as written:
        while piece := read.read(_CHUNK_BYTES):
            progress.check_cancelled()
            written.write(piece)
            done += len(piece)
            progress.progress(done // _MB, max(total // _MB, 1), "Megabytes copied")
        written.flush()
        os.fsync(written.fileno())
    return done


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        target.symlink_to(source.resolve())


_DEFAULT_PER_RECORDING = 2
"""Annotators of a recording, where a plan says nothing else."""


class MediaWith(StrEnum):
    """How media files are handled when a study is split."""

    LEAVE = "leave"
    LINK = "link"
    COPY = "copy"


class CopyFor:
    """A study file for one annotator, with their recordings and nothing of anybody else's work, while it is made.

    Episodes that go on from what others marked are anybody else's work too, also where they are assigned. Nothing of
    it has its name before `finish`.
    """

    def __init__(self, session: Session, annotator: str, out: Path, media: MediaWith = MediaWith.LEAVE) -> None:
        """Begin it."""
        self._annotator, self._media = annotator, media
        self._draft = StudyCopyDraft(session.study, out)
        self._beside = MediaBeside(self._draft.beside, self._draft.path, linked=media is MediaWith.LINK)
        self._turn = threading.Lock()
        self._filling, self._given_up = False, threading.Event()

    def write_copy(self, session: Session, progress: Progress) -> None:
        """Copy media, then write the copy; in any thread, with a session of that thread. Files are copied once.

        Raises:
            Cancelled: it is not wanted any more.
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
        share = _annotator_share(session, self._annotator)
        if self._media is MediaWith.LEAVE:
            self._draft.fill(session.study, share)
            return
        self._beside.copy_media(_present_media(session, share.recordings), progress)
        self._draft.fill(session.study, share, self._set_media_paths)

    def finish(self, session: Session) -> Split | None:
        """Give all of it its name; None where the study was edited since it was filled: it is to be filled again."""
        if self._media is MediaWith.LEAVE:
            return self._draft.finish(session.study)
        made = self._draft.finish(session.study, self._beside.publish)
        if made is not None and self._media is MediaWith.LINK:
            add_trusted(session.study.id, TrustKind.FOLDER, self._beside.sources)
        return made

    def close(self) -> None:
        """Remove what has no name yet; while another thread fills it, that one does, when it ends."""
        with self._turn:
            self._given_up.set()
            if not self._filling:
                self._draft.close()

    def _set_media_paths(self, copy: Study) -> None:
        with copy.without_history():
            for medium_id, path in self._beside.paths.items():
                copy.write("UPDATE medium SET path = ? WHERE id = ?", (path, medium_id))


def split_study(
    session: Session, annotator: str, out: Path, media: MediaWith = MediaWith.LEAVE, progress: Progress | None = None
) -> Split:
    """Make a copy at once, in this thread; errors as `CopyFor`."""
    with contextlib.closing(CopyFor(session, annotator, out, media)) as copy:
        copy.write_copy(session, progress or Silent())
        made = copy.finish(session)
    assert made is not None
    return made


def plan_command(session: Session, annotator: str) -> str:
    """Return the command that plans the work of all who are planned, or else have begun, and of one more annotator."""
    counts = segment_counts(session.study, unseen=True)
    begun = {who for of_recording in counts.values() for who in of_recording}
    planned = {assignment.annotator_id for assignment in all_assignments(session.study)} or begun
    known = {
        person.id: person.name
        for person in all_annotators(session.study)
        if person.kind == "person" and person.id in planned
    }
    people = list(dict.fromkeys([*known.values(), annotator]))
    # What is begun stays with its annotator: somewhere there has to be a place for one more.
    taken = min(
        (len(known.keys() & counts.get(recording.id, {})) for recording in all_recordings(session.study)), default=0
    )
    each = max(min(_DEFAULT_PER_RECORDING, len(people)), taken + (annotator not in known.values()))
    seats = "" if each == _DEFAULT_PER_RECORDING else f" --per-recording {each}"
    study, listed = shlex.quote(str(session.study.path)), shlex.quote(",".join(people))
    return f"greenroom team plan {study} --annotators {listed}{seats}"


def _annotator_share(session: Session, annotator: str) -> AnnotatorShare:
    plan = all_assignments(session.study)
    who = annotator_by_name(session.study, annotator)
    if who is None:
        known = ", ".join(person.name for person in all_annotators(session.study)) or "nobody yet"
        raise UserError(
            f"There is no annotator “{annotator}” in this study (it has {known}).",
            f"Add them to the plan: {plan_command(session, annotator)}",
        )
    own = [assignment for assignment in plan if assignment.annotator_id == who.id]
    if plan and not own:
        raise UserError(
            f"No recording is assigned to {who.name}.", f"Add them to the plan: {plan_command(session, annotator)}"
        )
    given = [assignment.recording_id for assignment in own] or [
        recording.id for recording in all_recordings(session.study)
    ]
    gate = read_gate(session)
    training = {assignment.recording_id for assignment in own if assignment.purpose is WorkPurpose.TRAINING}
    taught = training & {*gate.recordings} if gate else set()
    references = (gate.reference,) if gate and taught else ()
    told = episodes_revealing_others(session.study, who.id, taught, references)
    recordings = tuple(recording_id for recording_id in given if recording_id not in told)
    return AnnotatorShare(who, recordings, tuple(sorted(taught)), references)


def _present_media(session: Session, recordings: tuple[str, ...]) -> list[tuple[str, Path]]:
    """Return medium id and file of all media of some recordings."""
    wanted = {*recordings}
    located = [session.locate(medium) for medium in all_media(session.study) if medium.recording_id in wanted]
    missing = [located_medium.path.name for located_medium in located if located_medium.state is not MediaState.PRESENT]
    if missing:
        raise UserError(
            f"{len(missing)} media files are missing or were replaced, such as {missing[0]}.",
            "Relink them first, or leave out the media.",
        )
    return [(located_medium.medium.id, located_medium.path) for located_medium in located]


_SILENT = Silent()


class ConflictSide(StrEnum):
    """Which version of a conflict is chosen."""

    OURS = "ours"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class MergedCopy:
    """One copy, and what merging it did."""

    path: Path
    merged: MergeResult


def merge_copies(
    session: Session,
    copies: Sequence[Path],
    *,
    finder: PersonalFinder = find_contact_strings,
    keep_rest: bool = False,
    dry_run: bool = False,
    progress: Progress = _SILENT,
) -> list[MergedCopy]:
    """Bring the work of copies home, each as one step; every copy is looked at before the first is merged.

    `finder` and `keep_rest` are explained at `open_copy`.

    Copies are merged in an order of their own, so that it does not matter how they are named. Where it is stopped, the
    copies are returned that were merged before, whole.

    Raises:
        Cancelled: the user stopped it before the first copy was merged; nothing was changed.
    """
    if not dry_run:
        session.study.require_writable()
    with contextlib.ExitStack() as stack:
        opened = []
        for path in copies:
            progress.check_cancelled()
            opened.append(stack.enter_context(open_copy(session.study, path, finder, keep_rest=keep_rest)))
        opened.sort(key=copy_sort_key)
        who = session.annotator()
        stack.enter_context(collector_paused())
        stack.enter_context(session.study.bulk_mode())
        known_as = who.id if who else None
        done: list[MergedCopy] = []
        for copy in opened:
            try:
                merged = merge_copy(session.study, copy, known_as, dry_run=dry_run, progress=progress)
            except Cancelled:
                if not done:
                    raise
                break
            done.append(MergedCopy(copy.path, merged))
    session.schemes.reload()
    return done


def resolve_conflict(session: Session, conflict_id: str, side: ConflictSide) -> Changes:
    """Choose one version of a conflict, as one step; choosing again later changes it."""
    found = find_conflict(session, conflict_id)
    with session.step("Take theirs" if side is ConflictSide.THEIRS else "Keep ours") as step:
        if side is ConflictSide.THEIRS:
            apply_version(session.study, found, found.theirs)
        elif found.resolution == ConflictSide.THEIRS:
            apply_version(session.study, found, found.ours)
        set_resolution(session.study, found.id, side.value)
    return step.changes


def find_conflict(session: Session, conflict_id: str) -> Conflict:
    """Return the conflict of an id, or of the start of one that fits no other."""
    found = conflict_by_id(session.study, conflict_id)
    if found is None:
        raise unknown_id("conflict", conflict_id)
    return found
