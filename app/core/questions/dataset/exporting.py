"""Makes a data set of the questions of a study: from the study to a folder, and back to a note in the study."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from app.core.clock import utc_now
from app.core.questions.dataset.card import card
from app.core.questions.dataset.gathering import Gathering, gather
from app.core.questions.dataset.leaving_out import decided
from app.core.questions.dataset.media import shown_in
from app.core.questions.dataset.reading import reader_of, require_read
from app.core.questions.dataset.splits import splits_of
from app.core.questions.dataset.writing import JSONL, Exported, Ready, write
from app.core.questions.hardening.funnel import survives
from app.core.questions.verifying import agreement
from app.core.release.codes import annotator_codes, recording_code
from app.core.release.private import private_of
from app.core.release.staging import require_free
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.annotators import all_annotators
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.queries.runs import insert_run
from project.types import Changes, Json, Run
from project.version import __version__

KIND = "questions"
"""Of the runs that note a set."""


def export_questions(
    session: Session,
    folder: Path,
    *,
    formats: Sequence[str] = (JSONL,),
    everything: bool = False,
    seed: int = 0,
    release: Path | None = None,
    progress: Progress | None = None,
) -> Exported:
    """Write the questions that may leave to a new folder, and note it in the study; see `prepare` and `write`.

    Args:
        session: of the study.
        folder: that is not there or empty.
        formats: of `FORMATS`.
        everything: also questions that are not verified or out of date; each says so.
        seed: of the splits.
        release: folder of a release of the study, whose clips and pictures are referred to; None for none.
        progress: is told how far it is.

    Raises:
        UserError: see `prepare` and `write`.
        Cancelled: the user stopped it. Then nothing is written.
    """
    told = progress or Silent()
    require_free(folder)
    session.study.require_writable()
    ready = prepare(session, gather(session, everything=everything, progress=told), formats, seed, release)
    made = write(ready, folder, told)
    note(session, made, folder)
    return made


def prepare(
    session: Session, gathering: Gathering, formats: Sequence[str], seed: int = 0, release: Path | None = None
) -> Ready:
    """Make everything ready to write what was gathered.

    Raises:
        UserError: there is nothing that may leave, what may was changed since it was gathered, nobody read the texts as
            they are now, or the release is none of this study.
    """
    if not gathering.items:
        raise UserError(f"No question may leave. {_reasons(gathering)}", _next_step(gathering))
    if decided(session, {one.id: one for one in all_recordings(session.study)}) != gathering.decided:
        raise UserError("Who agreed, what is held out or what is private was changed meanwhile.", "Export again.")
    require_read(session, gathering)
    splits = splits_of(Counter(one.recording for one in gathering.items), seed)
    shown = {} if release is None else shown_in(session, release, gathering.recordings)
    alive = survives(session)
    said = card(
        gathering,
        splits,
        shown,
        agreement(session, gathering.question_ids),
        seed,
        sum(one in alive for one in gathering.question_ids),
        _reader_code(session, gathering),
    )
    return Ready(gathering, tuple(formats), splits, shown, said, private_of(session))


def note(session: Session, made: Exported, folder: Path) -> Changes:
    """Note in the study that a set was written, as a run of each of its recordings, as a release is."""
    numbers = {recording_code(one.number): one.id for one in all_recordings(session.study)}
    runs = []
    with session.study.recording_run():
        for code, split in made.recordings.items():
            if code not in numbers:
                continue
            said: dict[str, Json] = {"output": folder.name, "split": split, "questions": made.by_recording[code]}
            about: dict[str, Json] = {"verified_only": made.verified_only, "files": [*made.files]}
            run = Run(new_id(), numbers[code], KIND, KIND, about, said, utc_now(), __version__)
            insert_run(session.study, run)
            runs.append(("run", run.id))
    return Changes.of(runs)


def _reasons(gathering: Gathering) -> str:
    why = "; ".join(f"{many}: {reason}" for reason, many in sorted(gathering.left_out.items()))
    return f"{why or 'There are none'}."


def _next_step(gathering: Gathering) -> str:
    if not gathering.left_out:
        return "Make some first: greenroom questions make STUDY"
    return "Verify questions first: greenroom questions verify"


def _reader_code(session: Session, gathering: Gathering) -> str:
    reader = reader_of(session, gathering)
    pseudonyms = [one.pseudonym for one in all_participants(session.study)]
    codes = annotator_codes(all_annotators(session.study), pseudonyms)
    return codes[reader.name] if reader is not None else ""
