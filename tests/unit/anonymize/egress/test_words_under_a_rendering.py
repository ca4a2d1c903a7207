"""Every text that leaves under a rendering passes the scrubber, wherever in the study it comes from."""

import json
from dataclasses import replace

import pytest

from annotate.cues.prelabels import add_cue
from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant
from annotate.study.recording_edits import describe_collection
from annotate.study.scheme_versions import use_scheme
from anonymize.pii_review.pii_decisions import mark_text
from anonymize.release.release_edits import confirm_texts
from benchmark.judge_input.input_messages import build_messages
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.prompts.judge_prompt import TASKS
from benchmark.prompts.prompt_templates import edit_prompt
from benchmark.prompts.prompt_templates import shipped_text as shipped_prompt
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import ParticipantRole, Recording
from project.errors import UserError
from project.queries.pii_rows import PrivateWord, put_private_word
from project.queries.recording_rows import all_collections
from project.queries.transcript_rows import update_utterance, utterances_of
from project.schemes.scheme_file import shipped_text as shipped_scheme
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.subjects import asked_about

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


def private_everywhere(session: Session, recording: Recording, *, keys: bool = False) -> str:
    """Put a private word into whatever a person may write; returns the id of a segment."""
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
    for task in TASKS:
        source = shipped_prompt(task)
        edit_prompt(session, task, source.replace('body = """\n', f'body = """\nThink of {WORD}.\n', 1))
    values = {"rationale": f"{WORD} looks away", "correction": f"Ask {WORD}"}
    made, _ = add_segment(session, recording.id, 0, 1_500_000, "error", values, scheme="lab")
    return made


@pytest.mark.parametrize("variant", ["few-shot", "cot"])
@pytest.mark.parametrize("task", TASKS)
def test_no_private_word_is_in_what_is_sent(
    session: Session, recording: Recording, rendering: str, task: str, variant: str
) -> None:
    segment = private_everywhere(session, recording)
    about = asked_about(session, task, recording.id, segment, WORD)
    raw = plan_input(session, about, task, variant, RAW_CONDITION, SIGHT)
    assert WORD in raw.text
    assert TOLD.get(task, WORD) in raw.text
    plan = plan_input(session, about, task, variant, rendering, SIGHT)
    sent = [message.text for message in build_messages(plan)]
    assert WORD.lower() not in json.dumps([*sent, plan.answer_form.schema]).lower()


def test_a_form_whose_keys_are_personal_is_not_asked_under_a_rendering(
    session: Session, recording: Recording, rendering: str
) -> None:
    segment = private_everywhere(session, recording, keys=True)
    plan_input(session, segment, "assess", settings=SIGHT)
    with pytest.raises(UserError, match=f"The key “{WORD}-emotions” of the scheme"):
        plan_input(session, segment, "assess", condition=rendering, settings=SIGHT)


@pytest.mark.parametrize("task", ["answer", "word_question", "audit", "esi_question", "act", "episode_ratings"])
def test_what_was_marked_by_hand_is_hidden_in_whatever_quotes_it(
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
