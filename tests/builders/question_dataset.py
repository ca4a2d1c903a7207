"""A study with chains and verified questions in several recordings, whose people consented."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from annotate.study.people import add_participant, set_consent
from benchmark.dataset.dataset_card import SPLIT_SHARES
from benchmark.dataset.dataset_export import DatasetCounts, confirm_question_texts, export_questions
from benchmark.dataset.question_selection import select_questions
from benchmark.questions.question_edits import content_state, coverage_checksum
from project.entities.questions import Maker, Question, QuestionKind, Verification, VerificationDecision, WrongOption
from project.entities.study_records import ConsentUse, ParticipantRole
from project.ids import new_id
from project.queries.chain_rows import chains_of, read_graph
from project.queries.question_rows import all_questions, insert_questions, set_verification
from project.queries.recording_rows import all_participants, all_recordings
from project.session.session import Session
from tests.builders.chains import draw, graph
from tests.builders.marked_study import SECOND, open_study

AT = "2026-01-01T00:00:00.000Z"
HARD = 'She says\t"no",\nthen leaves.'


def asked_study(folder: Path, recordings: int = 6) -> Session:
    """Make the study: in the n-th recording n + 1 questions, verified by Bo and Cy, all in one chain."""
    path = folder / "asked.greenroom"
    path.write_bytes(_made(recordings))
    return Session.open(path, "Ada")


@cache
def _made(recordings: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with open_study(Path(folder), recordings) as session:
            for recording in all_recordings(session.study):
                who, _ = add_participant(session, f"P{recording.number:02}", ParticipantRole.USER, recording.id)
                (person,) = [each for each in all_participants(session.study) if each.id == who]
                set_consent(session, person, ConsentUse.RELEASE, True)
                chain_id, ids = draw(session, {"B": "A"}, recording=recording.id, name=f"Chain of {recording.number}")
                covers = ids["B"], ids["A"]
                for number in range(recording.number + 1):
                    about = recording.id, chain_id, covers, f"Why {number}?"
                    ask(session, *about, answer=HARD, place=number % 5)
            approve(session)
            path = session.study.path
        return path.read_bytes()


def ask(
    session: Session,
    recording_id: str,
    chain_id: str,
    covers: tuple[str, ...],
    text: str,
    *,
    answer: str = "Because.",
    wrong: tuple[str, ...] = ("None", "She sits.", "He sings.", "It rains."),
    place: int = 0,
) -> str:
    """Add a question about why something happens; returns its id."""
    made = Question(
        *(new_id(), recording_id, chain_id, QuestionKind.WHY, "", covers),
        *(coverage_checksum(graph(session, chain_id), covers), 2 * SECOND, 15 * SECOND, text, answer),
        *(tuple(WrongOption(option) for option in wrong), "So it is.", 1, place, Maker.RULES, _me(session), "", AT),
    )
    with session.step("Ask"):
        insert_questions(session.study, [made])
    return made.id


def nodes_of(session: Session, recording: str) -> list[str]:
    """Return the ids of the nodes of a recording's only chain."""
    (chain,) = chains_of(session.study, recording)
    return [node.id for node in read_graph(session.study, chain).nodes]


def ask_of_chain(session: Session, recording: str, text: str, **facts: Any) -> str:
    """Add a question about the two nodes of a recording's only chain; returns its id."""
    (chain,) = chains_of(session.study, recording)
    first, second = nodes_of(session, recording)
    return ask(session, recording, chain.id, (second, first), text, **facts)


def approve(session: Session) -> None:
    """Let two people approve of every question."""
    for who in ("Bo", "Cy"):
        verify_all(session, who)


def verify_all(session: Session, who: str) -> None:
    """Let somebody approve of every question."""
    before, session.annotator_name = session.annotator_name, who
    with session.step("Verify"):
        for question in all_questions(session.study):
            keep = VerificationDecision.KEEP
            said = Verification(question.id, _me(session), keep, "chain", (), "hard", "", content_state(question), AT)
            set_verification(session.study, said)
    session.annotator_name = before


def read_all(session: Session, *, everything: bool = False) -> None:
    """Let whoever is at work read and confirm the texts of a set as they are now."""
    confirm_question_texts(session, select_questions(session, everything=everything))


def export_read(session: Session, folder: Path, **how: Any) -> DatasetCounts:
    """Export questions whose texts somebody has read."""
    read_all(session, everything=how.get("everything", False))
    return export_questions(session, folder, **how)


def exported_lines(folder: Path) -> list[dict[str, Any]]:
    """Return the questions of all splits of a set."""
    texts = [(folder / f"{split}.jsonl").read_text("utf-8") for split in SPLIT_SHARES]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def text_of(folder: Path) -> str:
    """Return what stands in all files of a set."""
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def _me(session: Session) -> str:
    found = session.annotator()
    return found.id
