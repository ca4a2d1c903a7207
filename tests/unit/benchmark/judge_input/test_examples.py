"""Where the examples of a prompt come from, and what people of a study said most."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.review.peer_review import review_segment
from annotate.study.people import add_participant, set_consent
from annotate.team.assignments import hold_out
from annotate.transcript.transcript_edits import add_utterance
from anonymize.egress.egress_log import read_log
from benchmark.judge_input.input_plan import InputPlan, InputSettings, read_plan
from benchmark.judge_input.input_planning import plan_input
from benchmark.judge_input.judged_subjects import answer_counts
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_config import AskRequest
from project.entities.study_records import ConsentUse, Json, ParticipantRole, ReviewDecision
from project.progress import Silent
from project.queries.recording_rows import all_participants, participants_in
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.marked_study import SECOND, mark, open_study
from tests.builders.misbehaving_server import misbehaving, says

OTHER = "walk 2"
WORDS = InputSettings(frames=0, before=0)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=3) as opened:
        yield opened


def agreed_on(session: Session, start: float, label: str, said: str, recording: str = OTHER, **values: Json) -> str:
    """Let Bo mark a segment in which something is said, and Ada agree."""
    made = mark(session, "Bo", start, start + 5, label, recording=recording, **values)
    speaker = next((participant.id for participant in participants_in(session.study, recording)), None)
    add_utterance(session, recording, round(start * SECOND), round((start + 2) * SECOND), said, speaker)
    review_segment(session, made, ReviewDecision.AGREE)
    return made


def willing(session: Session, recording: str = OTHER, granted: bool = True) -> None:
    made, _ = add_participant(session, f"P-{recording}", ParticipantRole.USER, recording)
    participant = next(each for each in all_participants(session.study) if each.id == made)
    set_consent(session, participant, ConsentUse.MODELS, granted)


def planned(session: Session, place: str, task: str = "verdict") -> InputPlan:
    return plan_input(session, place, task, "few-shot", settings=WORDS)


def test_agreed_segments_of_other_recordings_are_examples(session: Session) -> None:
    willing(session)
    for number in range(5):
        agreed_on(session, 20 * number, "error", f"Words {number}.")
    agreed_on(session, 200, "competence", "A kind word.")
    here = agreed_on(session, 300, "error", "From the same recording.", "walk")
    plan = planned(session, here)
    assert plan.other_recordings == (OTHER,)
    assert read_plan(plan.as_json()) == plan
    assert plan.notes[0] == "3 examples are segments of other recordings that people agreed on."
    assert plan.text.count("Example:") == 3
    assert "A kind word." in plan.text
    assert '{"label": "competence"}' in plan.text
    assert plan.text.count("From the same recording.") == 1
    assert planned(session, here).text == plan.text
    from_there = planned(session, mark(session, "Ada", 400, 410, recording=OTHER))
    assert "A kind word." not in from_there.text


@pytest.mark.parametrize(
    "why", ["refused", "held out", "disagreed", "nobody reviewed", "nobody known", "nobody knows who spoke"]
)
def test_what_may_not_be_shown_is_no_example(session: Session, why: str) -> None:
    if why != "nobody known":
        willing(session, granted=why != "refused")
    if why == "nobody reviewed":
        mark(session, "Bo", 20, 25, "error", recording=OTHER)
        add_utterance(session, OTHER, 20 * SECOND, 22 * SECOND, "Words.")
    else:
        made = agreed_on(session, 20, "error", "Words.")
        if why == "disagreed":
            session.annotator_name = "Cy"
            review_segment(session, made, ReviewDecision.DISAGREE)
            session.annotator_name = "Ada"
    if why == "nobody knows who spoke":
        add_utterance(session, OTHER, 100 * SECOND, 101 * SECOND, "Somebody else speaks.")
    if why == "held out":
        hold_out(session, OTHER)
    plan = planned(session, mark(session, "Ada", 1, 5))
    assert "Words." not in plan.text
    expected = "The examples are those of the scheme, since no other recording has segments that people agreed on."
    assert plan.notes[0] == expected
    assert "And what may I call you?" in plan.text


def test_examples_answer_the_task_that_is_asked(session: Session) -> None:
    willing(session)
    agreed_on(session, 20, "error", "Words.", attributes=["norms", "emotions"])
    here = mark(session, "Ada", 1, 5, "competence")
    told = planned(session, here, "attributes").text
    assert "|   Label: Error" in told
    assert '|   Answer: {"attributes": ["emotions", "norms"]}' in told
    assert '|   Answer: {"multiple": "yes"}' in planned(session, here, "multiple").text
    assert '|   Answer: {"error": "yes"}' in planned(session, here, "error").text


def test_shares_count_what_people_said(session: Session) -> None:
    for start, label in ((0, "error"), (10, "error"), (20, "competence")):
        mark(session, "Bo", start, start + 5, label, attributes=["norms"], rationale=f"Because {start}.")
    assert answer_counts(session, "shrec", "segments", "verdict") == [
        ({"label": "error"}, 2),
        ({"label": "competence"}, 1),
    ]
    assert answer_counts(session, "shrec", "segments", "attributes") == [({"attributes": ["norms"]}, 3)]
    whole = answer_counts(session, "shrec", "segments", "assess")
    assert whole[0] == ({"label": "error", "attributes": ["norms"]}, 2)
    mark(session, "Ada", 40, 45, "competence")
    mark(session, "Ada", 50, 55, "competence")
    assert answer_counts(session, "shrec", "segments", "verdict")[0] == ({"label": "competence"}, 3)
    assert answer_counts(session, "shrec", "segments", "ratings") == []


def test_the_journal_names_the_recordings_that_examples_are_from(session: Session) -> None:
    willing(session)
    agreed_on(session, 20, "error", "Words.")
    here = mark(session, "Ada", 1, 5)
    with misbehaving(says('{"label": "error"}')) as server:
        judge, _ = add_judge(session, "model", "openai", "fake", {"url": server.url, "sees": "text", "tries": 1})
        work = prepare(session, AskRequest([judge], [here], "verdict", "few-shot")).job
        assert work is not None
        run_inline(session, work, Silent())
        assert "Words." in json.dumps(server.asked[0].body)
    (line,) = read_log(session)
    assert line.egress.request.others == (OTHER,)
    assert line.recording == "1 (walk), with words of 2 (walk 2)"
