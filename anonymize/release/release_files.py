"""Writes the files of a release: clips, pictures, annotations, tables and meta information.

Media are written from the checked rendering. Meta information never includes hold-outs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document
from anonymize.release.release_plan import ReleasePlan, recording_code
from anonymize.release.release_rendering import ReleaseRendering
from anonymize.release.release_rules import ReleaseCandidate, Selection
from anonymize.release.release_texts import build_documents
from media.clip_writer import constant_rate_copy
from media.encoding import UnnamedFile, unnamed_file
from media.excerpts import write_stills
from media.sound import SoundFilter
from media.soundtrack import copy_with_sound, copy_without_sound
from project.entities.study_records import Participant
from project.progress import Progress
from project.session.session import Session
from project.text_format import write_csv
from project.timebase import fixed_clock

CONSTANT_FRAME_RATE = 15


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file of a release, as it was written.

    Attributes:
        source: key of what it was made of.
        sha256: of the very bytes that were written; what lies in its place later may be another.
    """

    source: str
    sha256: str


def write_media(
    folder: Path,
    plan: ReleasePlan,
    renderings: Sequence[ReleaseRendering],
    treatments: Mapping[int, SoundFilter],
    progress: Progress,
) -> dict[str, ReleasedFile]:
    """Write what the plan asks for under a folder; returns path in it -> what was written there.

    Clips are made in files without a name, so that no other program changes them before their checksums are known.

    Args:
        folder: of the release.
        plan: of the release.
        renderings: what was rendered and looked at.
        treatments: number of a recording -> what is done to its sound, for those whose sound leaves.
        progress: told.

    Raises:
        Cancelled: the user stopped it.
    """
    made: dict[str, ReleasedFile] = {}
    for rendering in renderings:
        method, code = rendering.outcome.method, recording_code(rendering.outcome.number)
        source = f"{code} {method}"
        treatment = treatments.get(rendering.outcome.number)

        def keep(kind: str, clip: UnnamedFile, method: str = method, code: str = code, source: str = source) -> None:
            target = folder / kind / method / f"{code}.mp4"
            target.parent.mkdir(parents=True, exist_ok=True)
            made[target.relative_to(folder).as_posix()] = ReleasedFile(source, clip.copy_to(target))

        with _add_sound(rendering, treatment, progress) as sounding:
            if "source" in plan.video:
                if sounding is not None:
                    keep("video-source", sounding)
                else:
                    with unnamed_file(folder) as silent:
                        copy_without_sound(rendering.clip, silent.path)
                        keep("video-source", silent)
            if "15hz" in plan.video:
                pictures = rendering.clip if sounding is None else sounding.path
                with unnamed_file(folder) as steady:
                    sound = sounding is not None
                    constant_rate_copy(pictures, steady.path, CONSTANT_FRAME_RATE, sound=sound, progress=progress)
                    keep("video-15hz", steady)
        if "1hz" in plan.video:
            place = folder / "frames-1hz" / method / code
            place.mkdir(parents=True, exist_ok=True)
            for still, sha256 in write_stills(rendering.clip, place, progress=progress).items():
                made[still.relative_to(folder).as_posix()] = ReleasedFile(source, sha256)
    return made


@contextmanager
def _add_sound(
    rendering: ReleaseRendering, treatment: SoundFilter | None, progress: Progress
) -> Iterator[UnnamedFile | None]:
    """Lend a copy of a rendering with its treated sound; None where no sound leaves.

    Raises:
        Cancelled: the user stopped it.
    """
    if treatment is None:
        yield None
        return
    with unnamed_file(rendering.clip.parent) as made:
        copy_with_sound(
            rendering.clip,
            rendering.plan.source,
            made.path,
            treatment,
            zero_us=rendering.zero_us,
            track=rendering.plan.track,
            progress=progress,
        )
        with made.require_unchanged():
            yield made


FIXED_TIMESTAMP = "2000-01-01T00:00:00.000Z"
"""The time that formats which must hold one are told."""


def write_annotations(folder: Path, session: Session, plan: ReleasePlan, selection: Selection) -> dict[str, list[str]]:
    """Write the annotations of the selected recordings; returns path in the folder -> codes of its recordings.

    Raises:
        OSError: a file cannot be written.
    """
    wanted = [candidate.recording for candidate in selection.candidates]
    silent = {candidate.recording.id: list_silent_people(candidate) for candidate in selection.candidates}
    parts = dict(build_documents(session, plan, wanted, silent))
    made: dict[str, list[str]] = {}
    with fixed_clock(FIXED_TIMESTAMP):
        for key in plan.formats:
            to = get_format(key)
            place = folder / "annotations" / key
            place.mkdir(parents=True, exist_ok=True)
            if to.holds_several:
                together = Document(tuple(recording for part in parts.values() for recording in part.recordings))
                files = [(place / f"annotations{to.suffixes[0]}", together, [*parts])]
            else:
                files = [(place / f"{recording_code(n)}{to.suffixes[0]}", part, [n]) for n, part in parts.items()]
            for target, part, numbers in files:
                to.write(part, target)
                made[target.relative_to(folder).as_posix()] = [recording_code(n) for n in numbers]
    return made


def list_silent_people(candidate: ReleaseCandidate) -> list[str]:
    """Return the pseudonyms of those whose words are left out; "" for words of nobody known."""
    if not candidate.refusing:
        return []
    return [*(who.pseudonym for who in candidate.refusing), ""]


def write_tables(folder: Path, plan: ReleasePlan, selection: Selection) -> list[str]:
    """Write one table of recordings and one of participants; returns their paths in the folder."""
    _table(
        folder / "recordings.csv",
        ("recording", "duration_s", "methods", "participants"),
        (
            (
                recording_code(candidate.number),
                f"{candidate.recording.duration_us / 1e6:.3f}",
                " ".join(plan.methods_for(candidate.number)) if candidate.has_picture else "",
                " ".join(who.pseudonym for who in candidate.people),
            )
            for candidate in selection.candidates
        ),
    )
    people: dict[str, tuple[Participant, list[str]]] = {}
    for candidate in selection.candidates:
        for who in candidate.people:
            people.setdefault(who.id, (who, []))[1].append(recording_code(candidate.number))
    _table(
        folder / "participants.csv",
        ("participant", "role", "recordings"),
        ((who.pseudonym, who.role.value, " ".join(codes)) for who, codes in people.values()),
    )
    return ["recordings.csv", "participants.csv"]


def _table(path: Path, columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(file, columns, sorted(rows))
