"""Writes the files of a release: clips and pictures from the checked rendering, annotations and tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document
from anonymize.release.release_plan import SCRUB, ReleasePlan, get_release_key, recording_code
from anonymize.release.release_rendering import ReleaseRendering
from anonymize.release.release_rules import ReleaseCandidate, Selection
from anonymize.release.release_texts import AnnotationScrubber
from media.clip_writer import constant_rate_copy
from media.encoding import UnnamedFile, unnamed_file
from media.excerpts import write_stills
from media.sound import SoundFilter
from media.soundtrack import copy_with_sound, copy_without_sound
from project.entities.study_records import Participant
from project.files.fingerprints import file_sha256
from project.files.publication import ReleasedFile
from project.progress import Progress
from project.session.session import Session
from project.text_format import write_csv
from project.timebase import fixed_clock

CONSTANT_FRAME_RATE = 15


def write_media(
    folder: Path,
    plan: ReleasePlan,
    renderings: Sequence[ReleaseRendering],
    treatments: Mapping[int, SoundFilter],
    progress: Progress,
) -> dict[str, ReleasedFile]:
    """Write what the plan asks for under a folder; returns path in it -> what was written there.

    Clips are made in files without a name, so that no other program changes them before their checksums are known.

    `treatments` are those of recordings (by number) whose sound leaves.
    """
    made: dict[str, ReleasedFile] = {}
    for rendering in renderings:
        method, code = rendering.outcome.method, recording_code(rendering.outcome.number)
        source = f"{code} {method}"
        treatment = treatments.get(rendering.outcome.number)

        def keep(kind: str, clip: UnnamedFile, method: str = method, code: str = code, source: str = source) -> None:
            target = folder / kind / method / f"{code}.mp4"
            target.parent.mkdir(parents=True, exist_ok=True)
            made[target.relative_to(folder).as_posix()] = ReleasedFile((source,), clip.copy_to(target))

        if {*plan.video} & {"source", "15hz"}:
            with _copy_clip(rendering, treatment, folder, progress) as copy:
                if "source" in plan.video:
                    keep("video-source", copy)
                if "15hz" in plan.video:
                    with unnamed_file(folder) as steady:
                        sound = treatment is not None
                        constant_rate_copy(copy.path, steady.path, CONSTANT_FRAME_RATE, sound=sound, progress=progress)
                        keep("video-15hz", steady)
        if "1hz" in plan.video:
            place = folder / "frames-1hz" / method / code
            place.mkdir(parents=True, exist_ok=True)
            for still, sha256 in write_stills(rendering.clip, place, progress=progress).items():
                made[still.relative_to(folder).as_posix()] = ReleasedFile((source,), sha256)
    return made


@contextmanager
def _copy_clip(
    rendering: ReleaseRendering, treatment: SoundFilter | None, folder: Path, progress: Progress
) -> Iterator[UnnamedFile]:
    """Lend a copy of a rendering with its treated sound, or without any."""
    with unnamed_file(folder) as copy:
        if treatment is None:
            copy_without_sound(rendering.clip, copy.path)
        else:
            copy_with_sound(
                rendering.clip,
                rendering.plan.source,
                copy.path,
                treatment,
                zero_us=rendering.zero_us,
                track=rendering.plan.track,
                progress=progress,
            )
        with copy.require_unchanged():
            yield copy


FIXED_TIMESTAMP = "2000-01-01T00:00:00.000Z"
"""The time that formats which must hold one are told."""


def write_annotations(
    folder: Path, session: Session, plan: ReleasePlan, selection: Selection
) -> dict[str, ReleasedFile]:
    """Write the annotations of the selected recordings; returns path in the folder -> what was written there.

    Raises:
        OSError: a file cannot be written.
    """
    scrubber = AnnotationScrubber(session, keep_texts=plan.texts == SCRUB, key=get_release_key(session))
    parts = {
        recording_code(candidate.number): scrubber.scrub_recording(
            candidate.recording, list_silent_people(candidate), _clip_link(plan, candidate.number)
        )
        for candidate in selection.candidates
    }
    made: dict[str, ReleasedFile] = {}
    with fixed_clock(FIXED_TIMESTAMP):
        for key in plan.formats:
            to = get_format(key)
            files = {"annotations": tuple(parts)} if to.holds_several else {code: (code,) for code in parts}
            for name, codes in files.items():
                target = folder / "annotations" / key / f"{name}{to.suffixes[0]}"
                target.parent.mkdir(parents=True, exist_ok=True)
                to.write(Document(tuple(parts[code] for code in codes)), target)
                made[target.relative_to(folder).as_posix()] = ReleasedFile(codes, file_sha256(target))
    return made


def _clip_link(plan: ReleasePlan, number: int) -> str:
    """Return where the clip of a recording lies, seen from the annotations; "" where there is none."""
    folder = next((kind for kind in ("source", "15hz") if kind in plan.video), "")
    method = plan.methods_for(number)[0]
    return f"../../video-{folder}/{method}/{recording_code(number)}.mp4" if folder else ""


def list_silent_people(candidate: ReleaseCandidate) -> list[str]:
    """Return the pseudonyms of those whose words are left out; "" for words of nobody known."""
    if not candidate.refusing:
        return []
    return [*(who.pseudonym for who in candidate.refusing), ""]


def write_tables(folder: Path, plan: ReleasePlan, selection: Selection) -> dict[str, ReleasedFile]:
    """Write one table of recordings and one of participants; returns path in the folder -> what was written there."""
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
    return {name: ReleasedFile((), file_sha256(folder / name)) for name in ("recordings.csv", "participants.csv")}


def _table(path: Path, columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(file, columns, sorted(rows))
