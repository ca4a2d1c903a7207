"""Starts an episode at a marked moment of a recording, at which the agent does what somebody says it should have done.

The transcript before the moment is the history, and the correction replaces what was said or done there. The episode
holds words of recorded people: they stay the same participants, so their consent applies, and every request about the
episode checks the consent of the recording too (`add_source_recordings`).
"""

import re
from dataclasses import dataclass

from benchmark.disclosure.cast_names import name_participants
from benchmark.episodes.episode_setup import CastMember, EpisodeSetup, OpeningTurn, next_seed
from benchmark.judge_input.judged_subjects import get_visible_segment
from project.entities.roleplay import (
    MOST_TURNS,
    Act,
    AgentPlayer,
    AgentTurn,
    Episode,
    EpisodeSource,
    Profile,
    Relationship,
)
from project.entities.study_records import Participant, ParticipantRole, Recording, Segment, Utterance
from project.errors import UserError
from project.queries.recording_rows import all_collections, present_participants
from project.queries.segment_rows import values_of
from project.queries.transcript_rows import utterances_of
from project.session.session import Session

CORRECTION_FIELD = "correction"
_QUOTED = re.compile(r"^\s*[\"“„«](.*)[\"”»]\s*$", re.DOTALL)
_CONTEXT_NOTE = "An interaction that was recorded goes on from a moment at which one of them does something else."


@dataclass(frozen=True, slots=True)
class EpisodeStartPoint:
    """Where an episode can begin in a recording.

    Attributes:
        agent: who does something else.
        others: who else takes part.
        names: participant id -> name in the episode.
        preceding_utterances: utterances before the moment.
        replaced_utterances: what the agent said there, which the episode replaces.
        turn: what the agent does instead; None if there is no correction.
        context: the situation, as far as the study describes it.
    """

    segment: Segment
    recording: Recording
    agent: Participant
    others: tuple[Participant, ...]
    names: dict[str, str]
    preceding_utterances: tuple[Utterance, ...]
    replaced_utterances: tuple[Utterance, ...]
    turn: AgentTurn | None
    context: str


def find_start_point(
    session: Session, segment_id: str, agent_id: str = "", text: str | None = None
) -> EpisodeStartPoint:
    """Return where an episode can begin.

    Args:
        session: of the study; the segment has to be visible to it.
        segment_id: of the segment.
        agent_id: participant who does something else; if "", the agent that speaks there, or else takes part.
        text: what they do; the segment's correction where None. In quotation marks it is said, else it is done.
    """
    segment = get_visible_segment(session, segment_id)
    recording = session.recording(segment.recording_id)
    utterances = utterances_of(session.study, recording.id)
    start, end = segment.shown_span(recording.duration_us)
    inside = [utterance for utterance in utterances if utterance.start_us < end and utterance.end_us > start]
    participants = present_participants(session.study, recording.id)
    agent = _find_agent(participants, inside, agent_id)
    others = tuple(participant for participant in participants if participant.id != agent.id)
    if not others:
        raise UserError(
            "An episode needs at least two people, but the recording has only one.",
            "Add the people who interact with the agent.",
        )
    own = [utterance for utterance in inside if utterance.participant_id == agent.id and utterance.end_us > start]
    until = min((utterance.start_us for utterance in own), default=end)
    led_up = tuple(utterance for utterance in utterances if utterance.start_us < until and utterance not in own)
    return EpisodeStartPoint(
        segment,
        recording,
        agent,
        others,
        name_participants([agent, *others], str),
        led_up,
        tuple(own),
        _parse_turn(_correction_text(session, segment) if text is None else text),
        _situation_text(session, recording),
    )


def continuation_setup(
    session: Session,
    moment: EpisodeStartPoint,
    judges: dict[str, str],
    *,
    turn: AgentTurn | None = None,
    context: str = "",
    relationship: Relationship = Relationship.ACQUAINTANCE,
    goals: dict[str, str] | None = None,
    limit: int = MOST_TURNS,
    agreed: bool = False,
    seed: int | None = None,
) -> EpisodeSetup:
    """Return the setup of an episode that continues from a moment.

    Args:
        session: of the study.
        moment: where it begins.
        judges: participant id -> id of the judge who plays them; a person plays those that are missing.
        turn: what the agent does, instead of the turn of the moment.
        context: of all; that of the moment if "".
        relationship: between the participants.
        goals: participant id -> goal.
        limit: number of turns, with the first one of the agent.
        agreed: the people at the keyboard agreed that judges are sent what they type.
        seed: of the judges; that of the next episode if None.
    """
    begins = turn or moment.turn
    if begins is None or (begins.act is not Act.LEAVE and not begins.text):
        raise UserError("This segment has no correction to continue from.", "Fill in the segment's correction first.")
    cast = (moment.agent, *moment.others)
    seats = tuple(
        CastMember(
            Profile(moment.names[participant.id]),
            (goals or {}).get(participant.id, ""),
            AgentPlayer.JUDGE if judges.get(participant.id) else AgentPlayer.PERSON,
            judges.get(participant.id, ""),
            participant.id,
        )
        for participant in cast
    )
    episode = Episode(
        "",
        context.strip() or moment.context,
        relationship,
        EpisodeSource.SEGMENT,
        limit,
        from_recording_id=moment.recording.id,
        from_segment_id=moment.segment.id,
        seed=next_seed(session) if seed is None else seed,
    )
    return EpisodeSetup(
        f"What if, {moment.recording.name}",
        seats,
        episode,
        (OpeningTurn(begins, 0),),
        moment.preceding_utterances,
        agreed=agreed,
    )


def _find_agent(there: list[Participant], inside: list[Utterance], agent_id: str) -> Participant:
    by_id = {participant.id: participant for participant in there}
    if agent_id:
        if agent_id not in by_id:
            raise UserError(
                "These participants are not in this recording.", "Choose participants who appear or speak in it."
            )
        return by_id[agent_id]
    robots = [participant for participant in there if participant.role is ParticipantRole.ROBOT]
    speaking = [by_id[utterance.participant_id] for utterance in inside if utterance.participant_id in by_id]
    found = next((participant for participant in speaking if participant in robots), None) or (
        robots[0] if len(robots) == 1 else None
    )
    if found is None:
        raise UserError(
            "No participant of this recording is the agent.",
            "Give a participant the role robot, or choose who acts differently.",
        )
    return found


def _correction_text(session: Session, segment: Segment) -> str:
    return str(values_of(session.study, segment.id).get(CORRECTION_FIELD) or "")


def _parse_turn(text: str) -> AgentTurn | None:
    if not text.strip():
        return None
    quoted = _QUOTED.match(text)
    return AgentTurn(Act.SPEAK, quoted[1].strip()) if quoted else AgentTurn(Act.ACTION, " ".join(text.split()))


def _situation_text(session: Session, recording: Recording) -> str:
    home = next(
        (collection for collection in all_collections(session.study) if collection.id == recording.collection_id), None
    )
    return " ".join(part for part in ((home.agent_context.strip() if home is not None else ""), _CONTEXT_NOTE) if part)
