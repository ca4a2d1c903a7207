"""What leaves under a rendering was reviewed: words that pass the scrubber and stand, pictures of that very file."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from annotate.cues.prelabels import add_cue
from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant
from annotate.study.recording_edits import describe_collection
from annotate.study.scheme_versions import use_scheme
from anonymize.egress.egress_authority import RemoteAuthority
from anonymize.egress.policy_edits import set_policy
from anonymize.pii_review.pii_decisions import decide_places, mark_text
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.release_texts import confirm_texts
from benchmark.judge_input import input_plan as building
from benchmark.judge_input.input_plan import InputPlan, InputSettings, build_messages
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.ask_job import answer, prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from benchmark.prompts.judge_prompt import TASKS
from benchmark.prompts.prompt_templates import edit_prompt
from benchmark.prompts.prompt_templates import shipped_text as shipped_prompt
from models.connection.guard import ApprovedContent
from project.codec import dump, load
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy
from project.entities.judgments import RAW_CONDITION, JudgmentTarget, JudgmentTargetKind
from project.entities.study_records import ParticipantRole, Recording
from project.errors import UserError
from project.queries.pii_rows import PiiVerdict, PrivateWord, put_private_word
from project.queries.policy_rows import all_egress
from project.queries.recording_rows import all_collections, all_recordings
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import update_utterance, utterances_of
from project.schemes.scheme_file import shipped_text as shipped_scheme
from project.search.free_texts import free_texts
from project.session.jobs import JobSpec
from project.session.session import Session
from tests.builders.egress_requests import abroad
from tests.builders.release_study import settle
from tests.builders.subjects import a_question, asked_about

WORD = "Zephyrine"
SIGHT = InputSettings(frames=1, cues=True)
_RIGHT = f"{WORD} takes it for a joke."
TOLD = {
    **dict.fromkeys(("answer", "options_only", "review_score", "truth", "separability", "relevance"), _RIGHT),
    "difficulty": f"Why does {WORD} laugh?",
    "distractors": _RIGHT,
    "explanation_chain": f"{WORD} heard the question",
    "word_question": f"{WORD} laughs.",
    "audit": f"{WORD} talks.",
    "esi_question": f"Does {WORD} laugh?",
}
"""Task -> what it tells in raw form, of what is not a segment's."""


def private_everywhere(session: Session, *, keys: bool = False) -> None:
    """Put a private word into whatever a person may write."""
    (recording,) = all_recordings(session.study)
    text = shipped_scheme("shrec").replace('key = "shrec"', 'key = "lab"')
    for place in ('definition = "', 'situation = "', 'examples = ["', 'rationale = "', 'correction = "'):
        text = text.replace(place, f"{place}{WORD}: ")
    text = text.replace('name = "Emotions"', f'name = "{WORD}"')
    if keys:
        text = text.replace('key = "emotions"', f'key = "{WORD}-emotions"').replace('"emotions"', f'"{WORD}-emotions"')
    use_scheme(session, text, "lab.toml")
    with session.step("Private"):
        put_private_word(session.study, PrivateWord(WORD, "[X]"))
        for utterance in utterances_of(session.study, recording.id):
            update_utterance(session.study, replace(utterance, text=f"{WORD} said: {utterance.text}"))
    for number in range(2):
        add_participant(session, f"{WORD} {number}", ParticipantRole.USER, recording.id)
    home = next(collection for collection in all_collections(session.study) if collection.id == recording.collection_id)
    describe_collection(session, home.id, home.name, f"The agent is called {WORD}.")
    (spoken, *_) = utterances_of(session.study, recording.id)
    add_cue(session, spoken.id, "action", "gesture", description=f"away from {WORD}")
    for prompt in {TASKS.make(task).prompt for task in TASKS}:
        source = shipped_prompt(prompt)
        edit_prompt(session, prompt, source.replace('body = """\n', f'body = """\nThink of {WORD}.\n', 1))
    values = {"rationale": f"{WORD} looks away", "correction": f"Ask {WORD}"}
    add_segment(session, recording.id, 0, 1_500_000, "error", values, scheme="lab")


def lab_segment(session: Session) -> str:
    return next(segment.id for segment in all_segments(session.study) if segment.scheme == "lab")


def test_no_private_word_is_in_what_is_sent(session: Session, recording: Recording, rendering: str) -> None:
    private_everywhere(session)
    planted = session.study.undo_name
    for task in TASKS:
        about = asked_about(session, task, recording.id, lab_segment(session), WORD)
        raw, plan = (plan_input(session, about, task, "few-shot", how, SIGHT) for how in (RAW_CONDITION, rendering))
        assert TOLD.get(task, WORD) in raw.text, task
        sent = [message.text for message in build_messages(plan)]
        assert WORD.lower() not in json.dumps([*sent, plan.answer_form.schema]).lower(), task
        while session.study.undo_name != planted:
            session.study.undo()


def test_a_form_whose_keys_are_personal_is_not_asked_under_a_rendering(session: Session, rendering: str) -> None:
    private_everywhere(session, keys=True)
    plan_input(session, lab_segment(session), "assess", settings=SIGHT)
    with pytest.raises(UserError, match=f"The key “{WORD}-emotions” of the scheme"):
        plan_input(session, lab_segment(session), "assess", condition=rendering, settings=SIGHT)


@pytest.mark.parametrize("task", ["answer", "audit", "episode_ratings"])
def test_what_was_marked_is_hidden_where_quoted(
    session: Session, recording: Recording, rendering: str, task: str
) -> None:
    told = "the gruffle of the village"
    add_participant(session, "P07", ParticipantRole.USER, recording.id)
    about = asked_about(session, task, recording.id, "", f"P07 and {told}")
    assert told in plan_input(session, about, task, "plain", RAW_CONDITION, SIGHT).text
    for free_text in [*free_texts(session.study)]:
        if told in free_text.text:
            mark_text(session, free_text, free_text.text.index(told), free_text.text.index(told) + len(told), "other")
    confirm_texts(session)
    assert "gruffle" not in plan_input(session, about, task, "plain", rendering, SIGHT).text


# What was planned stands only as long as the decisions under which it was


def asked(session: Session, about: str, task: str, condition: str) -> JobSpec:
    """Plan a question to a judge elsewhere that only reads."""
    set_policy(session, Policy(EgressLevel.ANONYMIZED))
    far, _ = add_judge(session, "far", "openai", "m", {"url": "https://api.example.org/v1", "sees": "text"})
    return prepare(session, AskRequest([far], [about], task, condition=condition)).job


def ask(session: Session, work: JobSpec, request: EgressRequest) -> None:
    RemoteAuthority(SimpleNamespace(ask=lambda question: answer(session, work, question))).permit(request)


@pytest.fixture
def segment(session: Session) -> str:
    return all_segments(session.study)[0].id


@pytest.fixture
def work(session: Session, segment: str, rendering: str) -> JobSpec:
    return asked(session, segment, "verdict", rendering)


def another_private_word(session: Session) -> None:
    with session.step("Private"):
        put_private_word(session.study, PrivateWord(WORD, "[X]"))
    settle(session)
    confirm_texts(session)


def test_what_was_planned_leaves_as_long_as_it_stands(
    session: Session, recording: Recording, rendering: str, segment: str, work: JobSpec
) -> None:
    request = replace(abroad(recording.id, rendering), segment_id=segment, frames=())
    ask(session, work, request)
    another_private_word(session)
    with pytest.raises(Forbidden, match="after this question was made") as refused:
        ask(session, work, request)
    assert refused.value.rule == "reviewed"
    assert [egress.rule for egress in all_egress(session.study)] == ["", "reviewed"]


def test_what_was_kept_in_a_question_stays_once_hidden(session: Session, recording: Recording, rendering: str) -> None:
    question = a_question(session, recording.id, "Mr. Poole")
    confirm_texts(session)
    places = [hit for hit in find_hits(session) if hit.place.row == question.id]
    decide_places(session, places, PiiVerdict.KEEP)
    about = JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key
    work = asked(session, about, "answer", rendering)
    request = replace(abroad(recording.id, rendering), segment_id=about, frames=())
    ask(session, work, request)
    decide_places(session, places, PiiVerdict.HIDE)
    with pytest.raises(Forbidden, match="after this question was made"):
        ask(session, work, request)


# Pictures are those of the file that was reviewed, whatever happens to it meanwhile


@pytest.fixture
def plan(session: Session, segment: str, rendering: str) -> InputPlan:
    return plan_input(session, segment, "verdict", condition=rendering, settings=InputSettings(frames=1))


def test_a_rendering_is_taken_as_it_is_and_through_another_process(plan: InputPlan) -> None:
    cleared = ApprovedContent()
    (picture,) = build_messages(load(InputPlan, dump(plan), "plan"), cleared)[1].pictures
    assert cleared.has_media(picture.sha256, plan.condition)


def test_what_a_sample_of_the_file_would_not_show_is_seen(plan: InputPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    known = plan.media.fingerprint
    monkeypatch.setattr(building, "fingerprint", lambda _path: known)
    content = bytearray(plan.media.path.read_bytes())
    content[len(content) // 2] ^= 1
    plan.media.path.write_bytes(content)
    with pytest.raises(UserError, match="has changed since"):
        build_messages(plan, ApprovedContent())
