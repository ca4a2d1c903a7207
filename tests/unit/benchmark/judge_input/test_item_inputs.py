"""What judges and people are shown of frozen items: nothing before them, pictures of each option, looks of people."""

from dataclasses import replace

from annotate.meta.meta_edits import set_person_descriptions
from annotate.study.people import add_participant
from benchmark.items.sampling import SamplingOptions
from benchmark.judge_input.input_plan import ITEM_SETTINGS, InputPlan, build_messages
from benchmark.judge_input.input_planning import plan_input
from benchmark.questions.question_edits import add_questions
from benchmark.questions.verification import verify
from benchmark.runs.people_runs import HumanRunOptions, input_settings
from benchmark.sets.agreed_segments import RecordingTranscript
from benchmark.sets.frozen_sets import draw_set
from benchmark.tasks.benchmark_task import SUITE
from project.codec import dump, load
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind, Modality
from project.entities.questions import CHECKLIST_KEYS, LookKind, PersonDescription, VerificationDecision
from project.entities.study_records import Json, ParticipantRole
from project.queries.recording_rows import all_participants
from project.session.session import Session
from tests.builders.conversation_study import FPS, SECOND, mark, number_in, people, recording_of, say
from tests.builders.item_sets import freeze, stretch
from tests.builders.questions_said import question

OPTIONS: list[Json] = ["Hello.", "I am tired.", "Stop it.", "Thank you.", "Who is there?"]


def item_key(item_id: str) -> str:
    return JudgmentTarget(JudgmentTargetKind.ITEM, item_id).key


def test_an_item_is_told_without_earlier_turns_and_without_hints_for_annotators(seen: Session) -> None:
    robot, user = people(seen, "P01")
    say(seen, 0.5, 1, "Too early.", user)
    say(seen, 3.2, 5, "Really?", robot)
    item = replace(stretch("one", 3, 6, mark(seen, 3, 6)), recording_id=recording_of(seen))
    freeze(seen, [item])
    for settings in (ITEM_SETTINGS, input_settings(HumanRunOptions())):
        text = plan_input(seen, item_key("one"), "verdict", settings=settings).text
        assert "Really?" in text
        assert "Too early." not in text
        assert "Nothing here stands out either way." in text
        assert "negative samples" not in text
    roles = {robot: ParticipantRole.ROBOT, user: ParticipantRole.USER}
    before = RecordingTranscript(seen, recording_of(seen), roles).checksum(3 * SECOND, 6 * SECOND)
    say(seen, 1.2, 1.6, "Also too early.", user)
    assert RecordingTranscript(seen, recording_of(seen), roles).checksum(3 * SECOND, 6 * SECOND) == before


def test_each_option_comes_with_pictures_of_its_own_moment(seen: Session) -> None:
    home = recording_of(seen)
    moments: list[Json] = [[home, at * SECOND, (at + 1) * SECOND] for at in (8, 2, 6, 0, 4)]
    facts: dict[str, Json] = {"shown": "Good morning."}
    item = stretch("one", 2, 3, mark(seen, 2, 3, "competence"), options=OPTIONS, place=1, facts=facts, moments=moments)
    freeze(seen, [replace(item, recording_id=home)], task="pre")
    plan = plan_input(seen, item_key("one"), "pre", settings=replace(ITEM_SETTINGS, frames=15))
    assert plan.media is None
    assert (plan.frame_count, plan.modality) == (15, Modality.PICTURES)
    assert "Each option has 3 pictures, in the order of the options" in plan.text
    pictures = build_messages(load(InputPlan, dump(plan), "plan"))[1].pictures
    assert [picture.time_label[0] for picture in pictures] == [*"AAABBBCCCDDDEEE"]
    seconds = [number_in(picture.jpeg) / FPS for picture in pictures]
    starts = [at for at in (8, 2, 6, 0, 4) for _ in range(3)]
    assert all(start <= second < start + 1 for start, second in zip(starts, seconds, strict=True))


def test_people_of_a_question_are_told_by_their_looks_or_it_is_said_that_nothing_tells_them(seen: Session) -> None:
    people(seen, "P01", "P02")
    add_participant(seen, "P03", ParticipantRole.USER, recording_of(seen))
    ids = {participant.pseudonym: participant.id for participant in all_participants(seen.study)}
    looks = [(LookKind.CLOTHING, "red jacket"), (LookKind.HAIR, "long hair beside P02")]
    set_person_descriptions(
        seen, [PersonDescription(recording_of(seen), ids["P01"], kind, text) for kind, text in looks]
    )
    add_questions(
        seen, [question(1, recording_id=recording_of(seen), end_us=10 * SECOND, text="Why does P01 look at P02?")]
    )
    plan = plan_input(
        seen, JudgmentTarget(JudgmentTargetKind.QUESTION, "question-00001").key, "answer", settings=ITEM_SETTINGS
    )
    assert "| User P01: somebody who deals with the agent; red jacket, long hair beside User P02" in plan.text
    assert "| User P02: somebody who deals with the agent; how to tell them by their looks is not said" in plan.text
    assert "| User P03: somebody who deals with the agent\n" in plan.text
    assert [note for note in plan.notes if "looks" in note] == [
        "The study does not say how User P02 can be told by their looks."
    ]
    for who in ("Ana", "Bo"):
        seen.annotator_name = who
        verify(seen, "question-00001", VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    assert draw_set(seen, SUITE.make("esi"), 1, 1, 0, SamplingOptions())[0].rule["ungrounded"] == 1
