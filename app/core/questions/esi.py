"""Questions of the five dimensions of ESI-Bench, worded by judges from what was gathered about a recording."""

from collections.abc import Iterable, Sequence

from app.core.clock import utc_now
from app.core.commands.questions import add_questions
from app.core.judging.runs.wanted import AskRequest
from app.core.judging.seeing.sight import SightSettings
from app.core.questions.making import Made
from app.core.questions.taking import THERE, Intake
from app.core.session import Session
from benchmark.questions.base import Draft, balanced_places
from benchmark.questions.validity import gist
from benchmark.tasks.esi_dimensions import EACH, OPTIONS, PASSES, esi_part_from, esi_parts
from benchmark.tasks.esi_question import KEY
from project.counted import counted
from project.errors import UserError
from project.ids import new_id
from project.judging import RAW, About, JudgeEntry, Judgment, Subject
from project.queries.questions import all_questions
from project.queries.recordings import all_recordings
from project.questions import Maker, Question, QuestionKind
from project.types import Changes

FRAMES = 24
"""Shown with each question, evenly spaced (ESI-Bench, appendix A.1.3)."""
SIGHT = SightSettings(cues=True)
GONE = "Its recording is gone."
NO_DIMENSION = "It is of none of the five dimensions."


def requests(
    session: Session,
    recording_ids: Sequence[str],
    judges: Sequence[JudgeEntry],
    rounds: int = PASSES,
    each: int = EACH,
    condition: str = RAW,
) -> AskRequest:
    """Return what judges are to be asked: some rounds of questions about each recording, the dimensions in turn.

    Args:
        session: of the study.
        recording_ids: of the recordings.
        judges: who words them; each words all of them, as the two judges of ESI-Bench do.
        rounds: of questions, `PASSES` at most.
        each: questions of a round, `EACH` at most.
        condition: what is shown.

    Raises:
        UserError: there is no such recording, or more is asked for than that.
    """
    if not 1 <= rounds <= PASSES or not 1 <= each <= EACH:
        raise UserError(
            f"There are 1 to {PASSES} rounds of 1 to {EACH} questions.", "More of them would repeat each other."
        )
    about = [
        About(Subject.RECORDING, session.recording(recording).id, one.part).key
        for recording in dict.fromkeys(recording_ids)
        for one in esi_parts(rounds, each)
    ]
    return AskRequest(judges, about, KEY, condition=condition, sight=SIGHT, frames=FRAMES)


def take_in(session: Session, judgments: Iterable[Judgment], seed: int = 0) -> tuple[Made, Changes]:
    """Make questions of what judges worded, as one step of the history; they cover no node and have four options.

    What cannot be used is left out and counted by its reason, as with `by_judge.take_in`; so is what asks word by word
    what another question about the recording asks.

    Args:
        session: of the study.
        judgments: answers to the task `esi_question`.
        seed: of the order of options, and of the places of the right ones.
    """
    session.study.require_writable()
    intake = Intake.of(session)
    durations = {one.id: one.duration_us for one in all_recordings(session.study)}
    there = {(one.recording_id, gist(one.text)) for one in all_questions(session.study)}
    drafts: list[tuple[Judgment, Draft]] = []
    for said in intake.usable(judgments, KEY):
        part = esi_part_from(said.part)
        if part is None or said.recording_id not in durations:
            intake.skipped[NO_DIMENSION if part is None else GONE] += 1
            continue
        draft = intake.draft(said, QuestionKind.ESI, part.dimension, (), OPTIONS)
        if draft is None:
            continue
        if (said.recording_id, gist(draft.text)) in there:
            intake.skipped[THERE] += 1
            continue
        there.add((said.recording_id, gist(draft.text)))
        drafts.append((said, draft))
    places = balanced_places(len(drafts), OPTIONS, seed)
    questions = [
        Question(
            *(new_id(), said.recording_id, None, draft.kind, draft.aspect, draft.covers, ""),
            *(0, durations[said.recording_id], draft.text, draft.answer, draft.wrong, draft.explanation),
            *(seed, place, Maker.JUDGE, "", said.id, utc_now()),
        )
        for (said, draft), place in zip(drafts, places, strict=True)
    ]
    changes = add_questions(session, questions, f"Take {counted(len(questions), 'question')} of judges")
    return intake.made(questions, [QuestionKind.ESI]), changes
