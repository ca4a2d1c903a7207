"""An episode goes on from a segment's correction, and whoever was recorded there still decides what leaves."""

from dataclasses import replace

import pytest

from annotate.segments.segment_edits import set_field
from annotate.study.people import add_participant, set_consent
from annotate.study.recording_edits import undo
from annotate.team.assignments import hold_out
from annotate.transcript.transcript_edits import add_utterance
from anonymize.egress.egress_authority import StudyAuthority
from anonymize.egress.policy_edits import set_policy
from benchmark.disclosure.conditions import MISSING_RECORDING
from benchmark.episodes.alternative_continuation import continuation_setup, find_start_point
from benchmark.episodes.episode_runs import add_turn, ask_turn
from benchmark.episodes.episode_setup import start_episode
from benchmark.episodes.episode_state import read_episode_state
from benchmark.episodes.sotopia_files import write_episodes
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.judge_registry import add_judge
from benchmark.prompts.episode_prompts import turn_part
from project.entities.egress_policy import EgressLevel, Policy
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.roleplay import Act, AgentTurn, EpisodeSource
from project.entities.study_records import ConsentUse, Json, ParticipantRole
from project.errors import UserError
from project.queries.recording_rows import RECORDINGS, all_participants, hold_outs
from project.session.session import Session
from tests.builders.egress_requests import abroad
from tests.builders.episodes import acts
from tests.builders.marked_study import SECOND, WALK, mark
from tests.builders.misbehaving_server import misbehaving

LINES = (
    ("P01", 2, 4, "Good morning."),
    ("R1", 5, 7, "Hello. How did you sleep?"),
    ("P02", 8, 9, "Badly, he had a fever."),
    ("P01", 10, 12, "I cannot do my exercises today."),
    ("R1", 13, 15, "Let us start with ten squats!"),
    ("P01", 16, 18, "Did you not hear me?"),
)


@pytest.fixture
def session(session: Session) -> Session:
    roles = {"P01": ParticipantRole.USER, "R1": ParticipantRole.ROBOT, "P02": ParticipantRole.BYSTANDER}
    people = {name: add_participant(session, name, role, WALK)[0] for name, role in roles.items()}
    for who, start, end, text in LINES:
        add_utterance(session, WALK, start * SECOND, end * SECOND, text, people[who])
    return session


def error_at(session: Session, correction: str = "Ask what is wrong and offer a rest.") -> str:
    return mark(session, "Ada", 10, 15, correction=correction)


def person(session: Session, name: str) -> str:
    return next(participant.id for participant in all_participants(session.study) if participant.pseudonym == name)


def begun(session: Session, judge: str = "") -> str:
    moment = find_start_point(session, error_at(session))
    players = {person(session, name): judge for name in ("P01", "R1", "P02")} if judge else {}
    return start_episode(session, continuation_setup(session, moment, players))[0]


def test_the_correction_stands_in_the_place_of_what_was_said(session: Session) -> None:
    segment, history = error_at(session), [text for *_, text in LINES[:4]]
    moment = find_start_point(session, segment)
    assert [utterance.text for utterance in moment.preceding_utterances] == history
    assert [utterance.text for utterance in moment.replaced_utterances] == [LINES[4][3]]
    recording, _ = start_episode(session, continuation_setup(session, moment, {}))
    state = read_episode_state(session, recording)
    turns = state.played_turns
    assert [turn.utterance.text for turn in turns] == [*history, "[action] Ask what is wrong and offer a rest."]
    assert [turn.number for turn in turns] == [0, 0, 0, 0, 1]
    assert [turn.utterance.start_us for turn in turns[:4]] == [start * SECOND for _, start, *_ in LINES[:4]]
    episode = state.episode
    assert (episode.source, episode.from_recording_id) == (EpisodeSource.SEGMENT, WALK)
    assert episode.from_segment_id == segment
    assert [agent.profile.name for agent in state.agents] == ["Agent", "User", "Bystander"]
    assert [agent.participant_id for agent in state.agents] == [person(session, name) for name in ("R1", "P01", "P02")]
    assert state.next_agent.profile.name == "User"
    add_turn(session, recording, 1, AgentTurn(Act.SPEAK, "Thank you."))
    assert read_episode_state(session, recording).turn_count == 2


def test_words_in_quotation_marks_are_said_and_without_a_correction_there_is_nothing_to_play(session: Session) -> None:
    moment = find_start_point(session, error_at(session, "“Shall we rest today?”"))
    assert moment.turn == AgentTurn(Act.SPEAK, "Shall we rest today?")
    assert find_start_point(session, moment.segment.id, text='"Rest."').turn == AgentTurn(Act.SPEAK, "Rest.")
    segment = mark(session, "Ada", 9, 12.5, correction="Nod.")
    moment = find_start_point(session, segment)
    assert [utterance.text for utterance in moment.preceding_utterances] == [text for *_, text in LINES[:4]]
    assert moment.replaced_utterances == ()
    segment = error_at(session)
    set_field(session, segment, "correction", None)
    with pytest.raises(UserError, match="no correction"):
        continuation_setup(session, find_start_point(session, segment), {})
    with pytest.raises(UserError, match="are not in this recording"):
        find_start_point(session, segment, "nobody", "Wait.")


def test_a_judge_goes_on_with_the_history_in_sight(session: Session) -> None:
    with misbehaving(acts("speak", "Thank you.")) as server:
        settings: dict[str, Json] = {"url": server.url, "sees": "text", "tries": 1}
        judge = add_judge(session, "player", "openai", "fake-1", settings)[0].id
        recording = begun(session, judge)
        ask_turn(session, read_episode_state(session, recording))
        text = server.asked[0].body["messages"][-1]["content"]
    assert "I cannot do my exercises today." in text
    assert "[action] Ask what is wrong" in text
    assert "ten squats" not in text
    assert "P01" not in text


def others_of(session: Session, recording: str) -> tuple[str, ...]:
    """Return the recordings that a turn of an episode tells of beside its own."""
    about = JudgmentTarget(JudgmentTargetKind.RECORDING, recording, turn_part(1, 2)).key
    return plan_input(session, about, "act", settings=InputSettings(frames=0)).other_recordings


def forbidden(session: Session, recording: str) -> str:
    """Return why a request of an episode may not leave for another machine; "" where it may."""
    sent = replace(abroad(recording, "raw"), frames=(), others=others_of(session, recording))
    refusal = StudyAuthority(session).preview_refusal(sent)
    return "" if refusal is None else refusal.message


def test_consent_and_hold_out_of_what_it_goes_on_from_hold_for_each_request(session: Session) -> None:
    def consent(granted: bool, *names: str) -> None:
        for participant in all_participants(session.study):
            if not names or participant.pseudonym in names:
                set_consent(session, participant, ConsentUse.MODELS, granted)

    raw = Policy(EgressLevel.RAW, "pilot with actors only", "Board 7")
    set_policy(session, raw)
    recording = begun(session)
    assert "did not agree" in forbidden(session, recording)
    consent(True)
    assert forbidden(session, recording) == ""
    # Somebody who is in the recording, and in no turn of the episode.
    add_participant(session, "P09", ParticipantRole.BYSTANDER, WALK)
    assert "P09" in forbidden(session, recording)
    consent(True)
    consent(False, "P01")
    assert "P01" in forbidden(session, recording)
    consent(True)
    set_policy(session, Policy(EgressLevel.ANONYMIZED))
    assert forbidden(session, recording), "an episode has no rendering"
    set_policy(session, raw)
    assert forbidden(session, recording) == ""
    with session.step("Delete"):
        RECORDINGS.delete_tree(session.study, WALK)
    assert MISSING_RECORDING in others_of(session, recording)
    assert forbidden(session, recording), "nobody knows who was asked"
    assert recording in hold_outs(session.study)
    undo(session)
    hold_out(session, WALK)
    assert "held out" in forbidden(session, recording)
    assert hold_outs(session.study) == {WALK, recording}
    with pytest.raises(UserError, match="no episodes to export"):
        write_episodes(session, session.study.folder / "out.jsonl")


def test_an_episode_of_an_episode_asks_the_first_recording_too(session: Session) -> None:
    first = begun(session)
    add_turn(session, first, 1, AgentTurn(Act.SPEAK, "Thank you."))
    add_turn(session, first, 2, AgentTurn(Act.NONE))
    add_turn(session, first, 0, AgentTurn(Act.SPEAK, "Ten squats then."))
    last = read_episode_state(session, first).played_turns[-1].utterance
    span = last.start_us / SECOND, last.end_us / SECOND
    segment = mark(session, "Ada", *span, recording=first, correction="Wait.")
    second, _ = start_episode(session, continuation_setup(session, find_start_point(session, segment), {}))
    assert {*others_of(session, second)} == {first, WALK}
