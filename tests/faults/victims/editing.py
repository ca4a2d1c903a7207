"""Edits a study until it is stopped: `python -m tests.faults.victims.editing STUDY SEED [network]`.

It opens the study, makes a few edits of all kinds, closes it, and begins anew; with `network`, as if it lay on such a
drive. After each edit it prints number and uid of the newest step, and the number of the newest change of a row.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path

from annotate.chains import chain_edits as chains
from annotate.segments import bulk_edits as comments
from annotate.segments import segment_edits as segments
from annotate.study import people as participants
from annotate.study import recording_edits as history
from annotate.transcript import transcript_edits as transcript
from project.entities.study_records import Json, ParticipantRole, Verdict
from project.errors import UserError
from project.merging.table_rules import newest_step
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import utterances_of
from project.session.session import Session
from project.store import study as opening

SITTINGS = 15
_LONGEST = 12


def main() -> int:
    """Edit."""
    path, chance = Path(sys.argv[1]), random.Random(sys.argv[2])
    if "network" in sys.argv[3:]:
        opening.is_on_network = lambda _: True
    for _ in range(SITTINGS):
        with Session.open(path, "Ada") as session:
            for _ in range(chance.randint(0, _LONGEST)):
                _edit(session, chance)
                print(printed_step(session), flush=True)
    return 0


def printed_step(session: Session) -> str:
    """Return number and uid of the newest step, and number of the newest change of a row, as they are printed."""
    (change,) = session.study.row("SELECT max(id) FROM journal_change") or (None,)
    number, uid = newest_step(session.study)
    return f"{number} {uid} {change}"


def _edit(session: Session, chance: random.Random) -> None:
    """Make one edit; what the study refuses, such as to redo where nothing was undone, is no edit."""
    try:
        chance.choice(_EDITS)(session, chance)
    except (UserError, IndexError):
        return


def mark(session: Session, chance: random.Random) -> None:
    """Mark a span of a recording."""
    recording = chance.choice(all_recordings(session.study))
    start = chance.randrange(0, recording.duration_us - 100_000)
    values: dict[str, Json] = {"rationale": _text(chance), "attributes": ["norms"]}
    segments.add_segment(session, recording.id, start, start + 50_000, Verdict.ERROR, values)


def _drag(session: Session, chance: random.Random) -> None:
    segment = chance.choice(all_segments(session.study))
    for by in range(1, chance.randint(2, 5)):
        segments.move_segments(
            session, [(segment.id, segment.start_us, segment.end_us + 1_000 * by)], f"drag {segment.id}"
        )
        print(printed_step(session), flush=True)


def _write(session: Session, chance: random.Random) -> None:
    segments.set_field(session, chance.choice(all_segments(session.study)).id, "rationale", _text(chance))


def _remove(session: Session, chance: random.Random) -> None:
    segments.delete_segments(session, [chance.choice(all_segments(session.study)).id])


def _remark(session: Session, chance: random.Random) -> None:
    comments.add_comment(session, chance.choice(all_segments(session.study)).id, _text(chance))


def _say(session: Session, chance: random.Random) -> None:
    recording = chance.choice(all_recordings(session.study))
    start = chance.randrange(0, recording.duration_us - 100_000)
    transcript.add_utterance(session, recording.id, start, start + 50_000, _text(chance))


def _reword(session: Session, chance: random.Random) -> None:
    spoken = utterances_of(session.study, chance.choice(all_recordings(session.study)).id)
    transcript.edit_text(session, chance.choice(spoken).id, _text(chance))


def _begin_chain(session: Session, chance: random.Random) -> None:
    chains.add_chain(session, chance.choice(all_recordings(session.study)).id, _text(chance)[:40])


def _introduce(session: Session, chance: random.Random) -> None:
    participants.add_participant(session, f"P{chance.randrange(10_000)}", ParticipantRole.USER)


def _undo(session: Session, _: random.Random) -> None:
    history.undo(session)


def _redo(session: Session, _: random.Random) -> None:
    history.redo(session)


def _text(chance: random.Random) -> str:
    """Now and then longer than a page of the file; never the same again, so that no edit is taken back by the next."""
    return f"{chance.random()} and so on " * chance.choice((1, 3, 10, 450))


_EDITS: tuple[Callable[[Session, random.Random], None], ...] = (
    mark,
    mark,
    _drag,
    _write,
    _remove,
    _remark,
    _say,
    _reword,
    _begin_chain,
    _introduce,
    _undo,
    _redo,
)


if __name__ == "__main__":
    raise SystemExit(main())
