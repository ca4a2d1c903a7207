"""How people are called in texts about a recording, and what of its material is told."""

import pytest

from benchmark.disclosure.cast_names import make_name_rewriter, name_participants, restore_pseudonyms
from benchmark.judge_input.input_plan import InputPlan, InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.judge_input.subject_material import MAX_MATERIAL_CHARS
from benchmark.questions.question_edits import QuestionCorrection, correct_question
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind, Modality
from project.entities.questions import Summary, SummarySource, WrongOption
from project.entities.study_records import Participant, ParticipantRole
from project.errors import UserError
from project.queries.question_rows import set_summary
from project.session.session import Session
from tests.builders.conversation_study import people, recording_of, say
from tests.builders.subjects import a_chain, a_question, gather

WORDS = InputSettings(frames=0)
PEOPLE = [
    Participant("1", "R1", ParticipantRole.ROBOT),
    Participant("2", "P07", ParticipantRole.USER),
    Participant("3", "P070", ParticipantRole.USER),
    Participant("4", "Anna B.", ParticipantRole.USER),
]
NAMES = name_participants(PEOPLE, str)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("R1's turn; User P07 greets P070.", "Agent's turn; User P07 greets User P070."),
        ("Anna B. and P0712, xP07, p07, (P07)\u2019s", "User Anna B. and P0712, xP07, p07, (User P07)\u2019s"),
    ],
)
def test_pseudonyms_give_way_between_word_borders(text: str, told: str) -> None:
    tell = make_name_rewriter(PEOPLE, NAMES, str)
    assert tell(text) == told
    assert tell(told) == told
    called = {NAMES[participant.id]: participant for participant in PEOPLE}
    assert restore_pseudonyms(told, called) == restore_pseudonyms(text, called)


def test_everybody_is_called_the_same_in_question_options_and_conversation(seen: Session) -> None:
    _, user = people(seen, "P07")
    say(seen, 3, 4, "Hi.", user)
    question = a_question(seen, recording_of(seen), "P07")
    about = JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key
    plan = plan_input(seen, about, "answer", settings=WORDS)
    assert "P07" not in plan.text
    assert "Question: Why does User laugh?" in plan.text
    assert "C = User takes it for a joke." in plan.text
    assert "User: Hi." in plan.text
    assert (plan.truth, plan.state) == ({"answer": "C"}, question.checksum)
    # They are called so also where no words are told, and nobody is known to appear.
    assert "P07" not in plan_input(seen, about, "options_only", settings=WORDS).text
    wrong = (WrongOption("User takes it for a joke."), *question.wrong[1:])
    correct_question(seen, question.id, QuestionCorrection(wrong=wrong))
    with pytest.raises(UserError, match="Two options of this question are the same"):
        plan_input(seen, about, "answer", settings=WORDS)


def test_options_alone_come_without_everything_else(seen: Session) -> None:
    _, user = people(seen, "P07")
    say(seen, 3, 4, "Hi.", user)
    place = recording_of(seen)
    gather(seen, place, "gathered")
    about = JudgmentTarget(JudgmentTargetKind.QUESTION, a_question(seen, place, "P07").id).key
    for task, told in (("options_only", False), ("separability", False), ("relevance", True)):
        plan = plan_input(seen, about, task, settings=InputSettings(frames=3))
        assert plan.media is None
        assert plan.modality is Modality.NOTHING
        assert ("Why does" in plan.text) == told
        assert "is bored" in plan.text
        for other in ("Hi.", "gathered", "somebody who deals with"):
            assert other not in plan.text
    for task in ("difficulty", "truth", "distractors"):
        plan = plan_input(seen, about, task, settings=InputSettings(frames=3))
        assert plan.modality is Modality.BOTH
        assert "is bored" not in plan.text
        assert ("takes it for a joke" in plan.text) == (task != "difficulty")


def test_a_chain_is_told_line_by_line_with_what_is_asked_for(seen: Session) -> None:
    _, user = people(seen, "P07")
    graph = a_chain(seen, recording_of(seen), "P07", (user,))
    result = graph.nodes[2].id

    def plan_wording(part: str) -> InputPlan:
        about = JudgmentTarget(JudgmentTargetKind.CHAIN, graph.chain.id, part).key
        return plan_input(seen, about, "word_question", settings=WORDS)

    plan = plan_wording(f"CW:{result}")
    lines = [line.removeprefix("| ").strip() for line in plan.text.splitlines()]
    for line in (
        "Result: 3. emotion: User is amused.",
        "Reason: 2. belief: User takes it for a joke.",
        "3. emotion of User, 2.0 s to 3.0 s: User is amused. (because of 2)",
    ):
        assert line in lines
    for part in ("CW:nothing", f"EU:{result}", "", "multi-step:start:a>b"):
        with pytest.raises(UserError, match="The rules ask for no question"):
            plan_wording(part)


def test_long_material_loses_whole_lines_and_says_so(seen: Session) -> None:
    place = recording_of(seen)
    for source in SummarySource:
        text = "\n".join(f"Sentence {number} of a very long account." for number in range(1000))
        with seen.step("Summaries"):
            set_summary(seen.study, Summary(place, source, text, ""))
    plan = plan_input(seen, JudgmentTarget(JudgmentTargetKind.RECORDING, place).key, "audit", settings=WORDS)
    assert plan.text.count("more lines left out here)") == 2
    assert 2 * MAX_MATERIAL_CHARS * 0.9 < len(plan.text) < 2 * MAX_MATERIAL_CHARS + 5_000
    assert "Sentence 0 of" in plan.text
    assert "Sentence 999 of" not in plan.text


def test_recordings_are_asked_about_where_there_is_what_it_takes(seen: Session) -> None:
    about = JudgmentTarget(JudgmentTargetKind.RECORDING, recording_of(seen)).key
    for task, says in (
        ("audit", "Both summaries of the recording are needed"),
        ("looks", "Nobody is known to take part"),
        ("esi_question", "Name round, number and dimension"),
        ("answer", "is for a question, not for a recording"),
    ):
        with pytest.raises(UserError, match=says):
            plan_input(seen, about, task, settings=WORDS)
    say(seen, 1, 2, "Good morning.")
    assert "Good morning." in plan_input(seen, about, "words_summary").text
    frames = plan_input(seen, about, "frames_summary", settings=InputSettings(frames=2))
    assert (frames.modality, "Good morning." in frames.text) == (Modality.PICTURES, False)
