"""Edits a study until it is stopped: `python -m tests.faults.victims.editing STUDY SEED [network]`.

It opens the study, makes a few edits of all kinds, closes it, and begins anew; with `network`, as if it lay on such a
drive. After each edit it prints number and uid of the newest step, and the number of the newest change of a row.
"""

import random
import sys
from pathlib import Path

import pytest

from annotate.chains.chain_edits import add_chain
from annotate.segments.segment_edits import add_segment, move_segments, set_field
from annotate.study.people import add_participant
from annotate.transcript.transcript_edits import add_utterance, edit_text
from project.entities.study_records import ParticipantRole, Verdict
from project.errors import UserError
from project.merging.changed_rows import newest_step
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import utterances_of
from project.session.session import Session
from tests.builders.random_edits import random_edit

SITTINGS = 15
_LONGEST = 12


def main() -> int:
    """Edit."""
    path, chance = Path(sys.argv[1]), random.Random(sys.argv[2])
    if "network" in sys.argv[3:]:
        pytest.MonkeyPatch().setattr("project.store.study.is_on_network", lambda _: True)
    for _ in range(SITTINGS):
        with Session.open(path, "Ada") as session:
            for _ in range(chance.randint(0, _LONGEST)):
                try:
                    _edit(session, chance)
                except (UserError, IndexError):
                    # What the study refuses, or has nothing for, is no edit.
                    continue
                print(printed_step(session), flush=True)
    return 0


def printed_step(session: Session) -> str:
    """Return number and uid of the newest step, and number of the newest change of a row, as they are printed."""
    (change,) = session.study.row("SELECT max(id) FROM journal_change") or (None,)
    number, uid = newest_step(session.study)
    return f"{number} {uid} {change}"


def mark(session: Session, chance: random.Random) -> None:
    """Mark a span of a recording."""
    recording = chance.choice(all_recordings(session.study))
    start = chance.randrange(0, recording.duration_us - 100_000)
    values = {"rationale": _text(chance), "attributes": ["norms"]}
    add_segment(session, recording.id, start, start + 50_000, Verdict.ERROR, values)


def _edit(session: Session, chance: random.Random) -> None:
    recording, text = chance.choice(all_recordings(session.study)), _text(chance)
    match chance.randrange(11):
        case 0 | 1:
            mark(session, chance)
        case 2:
            segment = chance.choice(all_segments(session.study))
            # Steps that follow one another closely are one to undo.
            for by in range(1, chance.randint(2, 5)):
                span = (segment.id, segment.start_us, segment.end_us + 1_000 * by)
                move_segments(session, [span], f"drag {segment.id}")
                print(printed_step(session), flush=True)
        case 3:
            set_field(session, chance.choice(all_segments(session.study)).id, "rationale", text)
        case 4:
            start = chance.randrange(0, recording.duration_us - 100_000)
            add_utterance(session, recording.id, start, start + 50_000, text)
        case 5:
            edit_text(session, chance.choice(utterances_of(session.study, recording.id)).id, text)
        case 6:
            add_chain(session, recording.id, text[:40])
        case 7:
            add_participant(session, f"P{chance.randrange(10_000)}", ParticipantRole.USER)
        case _:
            random_edit(session, chance)


def _text(chance: random.Random) -> str:
    """Now and then longer than a page of the file; never the same again, so that no edit is taken back by the next."""
    return f"{chance.random()} and so on " * chance.choice((1, 3, 10, 450))


if __name__ == "__main__":
    raise SystemExit(main())
