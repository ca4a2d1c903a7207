"""Material of a prompt beside footage and conversation: key -> function that gathers it.

For an episode, an agent is told what it knows, an evaluator everything.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from annotate.meta.scenes import deduplicate_marks, read_scene_events
from benchmark.disclosure.cast_names import TextRewriter
from benchmark.judge_input.conversation_lines import format_seconds
from benchmark.judge_input.judged_subjects import SubjectLocation
from benchmark.prompts.answer_form import to_single_line
from benchmark.prompts.episode_prompts import ACT_TASK, EPISODE_RATINGS_TASK, agent_position
from benchmark.prompts.judge_prompt import JudgePrompt
from project.entities.causal_chains import ChainGraph
from project.entities.judgments import judgment_id_of_part
from project.entities.questions import SummarySource
from project.entities.roleplay import PROFILE_FIELDS, Episode, EpisodeAgent, Relationship
from project.queries.episode_rows import episode_agents, find_episode
from project.queries.judgment_rows import find_judgments
from project.queries.question_rows import contradictions_in, person_descriptions, summaries_of
from project.session.session import Session

Names = Mapping[str, str]
"""Participant id -> name in this request."""
_EPISODE_TASKS = frozenset({ACT_TASK, EPISODE_RATINGS_TASK})
_STRANGER = "Stranger"
_PROFILE_LABELS: Mapping[str, str] = {
    "age": "Age",
    "occupation": "Occupation",
    "pronouns": "Pronouns",
    "personality": "Personality",
    "personal_values": "Values",
    "decision_style": "How they decide",
    "public_info": "Known to others",
    "secret": "Secret",
}
_RELATIONSHIP_TEXTS: Mapping[Relationship, str] = {
    Relationship.FAMILY: "They are family.",
    Relationship.FRIEND: "They are friends.",
    Relationship.ROMANTIC: "They are a couple.",
    Relationship.ACQUAINTANCE: "They are acquainted.",
    Relationship.KNOWN_BY_NAME: "They know each other by name.",
    Relationship.STRANGER: "They do not know each other.",
}


def names_in_episode(
    session: Session, task: JudgePrompt, recording_id: str, part: str, names: Names, written: TextRewriter
) -> dict[str, str]:
    """Return participant id -> name: that of the character if the task is about an episode.

    A player does not learn the name of a stranger.
    """
    if task.key not in _EPISODE_TASKS or (episode := find_episode(session.study, recording_id)) is None:
        return dict(names)
    own = agent_position(part) if task.key == ACT_TASK else None
    found: dict[str, str] = {}
    agents = {
        episode_agent.participant_id: episode_agent for episode_agent in episode_agents(session.study, recording_id)
    }
    for who, usual in names.items():
        agent = agents.get(who)
        unknown = own is not None and agent is not None and agent.position != own
        if agent is None:
            name = usual
        elif unknown and episode.relationship is Relationship.STRANGER:
            name = _STRANGER
        else:
            name = to_single_line(written(agent.profile.name)) or usual
        found[who] = _make_unique(name, found.values())
    return found


def _make_unique(name: str, taken: Iterable[str]) -> str:
    others, number, made = set(taken), 1, name
    while made in others:
        number += 1
        made = f"{name} ({number})"
    return made


def scene(session: Session, recording_id: str, _part: str, _names: Names, told: TextRewriter) -> str:
    """Return what all agents know: the situation and their relationship."""
    episode = find_episode(session.study, recording_id)
    return (
        ""
        if episode is None
        else _join_lines([told(episode.context), _RELATIONSHIP_TEXTS.get(episode.relationship, "")])
    )


def own_profile(session: Session, recording_id: str, part: str, names: Names, told: TextRewriter) -> str:
    """Return the profile of the agent that plays, with its secret."""
    _, own, _ = _read_agents(session, recording_id, part)
    return "" if own is None else _profile_line(own, _agent_name(own, names), ("name", *PROFILE_FIELDS), told)


def own_goal(session: Session, recording_id: str, part: str, _names: Names, told: TextRewriter) -> str:
    """Return the goal of the agent that plays."""
    _, own, _ = _read_agents(session, recording_id, part)
    return "" if own is None else told(own.goal)


def other_profiles(session: Session, recording_id: str, part: str, names: Names, told: TextRewriter) -> str:
    """Return what the agent that plays knows of the others, by their relationship."""
    episode, own, others = _read_agents(session, recording_id, part)
    if episode is None or own is None:
        return ""
    lines = []
    for episode_agent in others:
        seen = episode_agent.profile.visible_fields(episode.relationship)
        lines.append(
            _profile_line(episode_agent, _agent_name(episode_agent, names), tuple(seen), told)
            or f"{_agent_name(episode_agent, names)}: nothing."
        )
    return "\n".join(lines)


def turn_counter(session: Session, recording_id: str, part: str, _names: Names, _told: TextRewriter) -> str:
    """Return the number of the turn, and of how many at most."""
    episode, own, _ = _read_agents(session, recording_id, part)
    number = part.partition(".")[2]
    return "" if episode is None or own is None else f"This is turn {number} of at most {episode.turn_limit}."


def all_profiles(session: Session, recording_id: str, _part: str, names: Names, told: TextRewriter) -> str:
    """Return profile, goal and secret of all agents."""
    lines = []
    for episode_agent in episode_agents(session.study, recording_id):
        lines.append(_profile_line(episode_agent, _agent_name(episode_agent, names), ("name", *PROFILE_FIELDS), told))
        lines.append(
            f"{_agent_name(episode_agent, names)} wants: "
            f"{to_single_line(told(episode_agent.goal)) or 'nothing that is written down'}"
        )
    return _join_lines(lines)


def add_source_recordings(session: Session, recording_id: str, others: Sequence[str], gone: str) -> tuple[str, ...]:
    """Return the other recordings of which words are in a request, with the sources of episodes.

    An episode that continues a recording holds words of it, so the consent of its people is needed too.

    `gone` stands for one that is no longer part of the study, so whose consent it needs is unknown.
    """
    known = {row[0] for row in session.study.rows("SELECT id FROM recording")}
    found: dict[str, None] = dict.fromkeys(others)
    open_ends = [recording_id, *others]
    while open_ends:
        episode = find_episode(session.study, open_ends.pop())
        home = episode.from_recording_id if episode is not None else ""
        if home and home not in found and home != recording_id:
            found[home if home in known else gone] = None
            open_ends.append(home)
    return tuple(found)


def _read_agents(
    session: Session, recording_id: str, part: str
) -> tuple[Episode | None, EpisodeAgent | None, list[EpisodeAgent]]:
    """Return the episode, the agent that plays a part, and the others."""
    agents = episode_agents(session.study, recording_id)
    position = agent_position(part)
    own = next((agent for agent in agents if agent.position == position), None)
    return find_episode(session.study, recording_id), own, [agent for agent in agents if agent.position != position]


def _agent_name(episode_agent: EpisodeAgent, names: Names) -> str:
    return names.get(episode_agent.participant_id or "", episode_agent.profile.name)


def _profile_line(episode_agent: EpisodeAgent, who: str, fields: Sequence[str], told: TextRewriter) -> str:
    """Return fields of a profile on one line, after the name in this request."""
    texts = {key: to_single_line(told(str(getattr(episode_agent.profile, key)))) for key in fields if key != "name"}
    parts = [f"{_PROFILE_LABELS[key]}: {text.rstrip('.')}." for key, text in texts.items() if text]
    return f"{who}. {' '.join(parts)}".rstrip() if fields else ""


def _join_lines(found: Iterable[str]) -> str:
    return "\n".join(text for text in found if text.strip())


MAX_MATERIAL_CHARS = 12_000
"""Characters of one piece of material; whole lines beyond are left out."""


def gather_material(
    session: Session, place: SubjectLocation, names: Names, told: TextRewriter, wanted: Sequence[str]
) -> dict[str, str]:
    """Return key -> material, without empty ones."""
    found = {key: MATERIAL[key](session, place, names, told) for key in wanted}
    return {key: _truncate_lines(text) for key, text in found.items() if text.strip()}


def chain_lines(graph: ChainGraph, names: Names, zero_us: int) -> str:
    """Return a chain as text: a line for each node, numbered by time, with its people, span and reasons.

    Times are counted from `zero_us`.
    """
    number = {chain_node.id: at for at, chain_node in enumerate(graph.nodes, 1)}
    lines = []
    for node in graph.nodes:
        who = ", ".join(names[participant_id] for participant_id in node.people if participant_id in names)
        span = f"{format_seconds(node.start_us - zero_us)} to {format_seconds(node.end_us - zero_us)}"
        because = ", ".join(str(number[reason_id]) for reason_id in graph.reasons[node.id])
        reasons = f" (because of {because})" if because else ""
        lines.append(
            f"{number[node.id]}. {node.kind.value}{f' of {who}' if who else ''}, {span}: "
            f"{to_single_line(node.text)}{reasons}"
        )
    return "\n".join(lines)


def _truncate_lines(text: str) -> str:
    """Cut a text to `MAX_MATERIAL_CHARS` in whole lines, with a last line that says how many are left out."""
    if len(text) <= MAX_MATERIAL_CHARS:
        return text
    lines, kept, size = text.splitlines(), 0, 0
    while kept < len(lines) and size + len(lines[kept]) < MAX_MATERIAL_CHARS:
        size += len(lines[kept]) + 1
        kept += 1
    first = lines[:kept] or [lines[0][:MAX_MATERIAL_CHARS]]
    left = len(lines) - len(first)
    return "\n".join([*first, f"({left} more lines left out here)"] if left else first)


def _chain(_session: Session, place: SubjectLocation, names: Names, _told: TextRewriter) -> str:
    return chain_lines(place.chain, names, place.start_us) if place.chain is not None else ""


def _words_summary(session: Session, place: SubjectLocation, _names: Names, told: TextRewriter) -> str:
    return _summary(session, place, SummarySource.WORDS, told)


def _frames_summary(session: Session, place: SubjectLocation, _names: Names, told: TextRewriter) -> str:
    return _summary(session, place, SummarySource.FRAMES, told)


def _summary(session: Session, place: SubjectLocation, source: SummarySource, told: TextRewriter) -> str:
    found = summaries_of(session.study, place.recording_id).get(source)
    return "\n".join(map(told, found.text.splitlines())) if found else ""


def _looks(session: Session, place: SubjectLocation, names: Names, told: TextRewriter) -> str:
    found = read_looks(session, place.recording_id, told)
    return "\n".join(f"{names[who]}: {text}" for who, text in found.items() if who in names)


def read_looks(session: Session, recording_id: str, told: TextRewriter) -> dict[str, str]:
    """Return participant id -> what the study says of their looks in a recording."""
    found: dict[str, list[str]] = {}
    for person_description in person_descriptions(session.study, recording_id):
        found.setdefault(person_description.participant_id, []).append(to_single_line(told(person_description.text)))
    return {who: ", ".join(texts) for who, texts in found.items()}


def _contradictions(session: Session, place: SubjectLocation, _names: Names, told: TextRewriter) -> str:
    return "\n".join(
        to_single_line(told(f"{contradiction.text} {contradiction.resolution}"))
        for contradiction in contradictions_in(session.study, place.recording_id)
    )


def _earlier_answer(field: str) -> Callable[[Session, SubjectLocation, Names, TextRewriter], str]:
    """Return a function that gives a field of the earlier answer that the part of the target names."""

    def before(session: Session, place: SubjectLocation, _names: Names, told: TextRewriter) -> str:
        found = find_judgments(session.study, [text]) if (text := judgment_id_of_part(place.about.part)) else []
        said = found[0].answer.get(field) if found and found[0].recording_id == place.recording_id else None
        return told(said) if isinstance(said, str) else ""

    return before


def _episode_material(
    gather: Callable[[Session, str, str, Names, TextRewriter], str],
) -> Callable[[Session, SubjectLocation, Names, TextRewriter], str]:
    def gathered_of(session: Session, place: SubjectLocation, names: Names, told: TextRewriter) -> str:
        return gather(session, place.recording_id, place.about.part, names, told)

    return gathered_of


def _scenes(session: Session, place: SubjectLocation, _names: Names, told: TextRewriter) -> str:
    lines = []
    for mark in deduplicate_marks(read_scene_events(session, place.recording_id)):
        here = mark.segment
        if here.start_us < place.end_us and here.end_us > place.start_us:
            span = f"{format_seconds(here.start_us - place.start_us)} to {format_seconds(here.end_us - place.start_us)}"
            what = ": ".join(part for part in (mark.name, told(mark.who), told(mark.description)) if part)
            lines.append(to_single_line(f"{span}: {what}"))
    return "\n".join(lines)


MATERIAL: Mapping[str, Callable[[Session, SubjectLocation, Names, TextRewriter], str]] = {
    "chain": _chain,
    "words summary": _words_summary,
    "frames summary": _frames_summary,
    "looks": _looks,
    "contradictions": _contradictions,
    "scenes": _scenes,
    "answer before": _earlier_answer("explanation"),
    "nli question": _earlier_answer("question"),
    "episode scene": _episode_material(scene),
    "episode self": _episode_material(own_profile),
    "episode goal": _episode_material(own_goal),
    "episode others": _episode_material(other_profiles),
    "episode turn": _episode_material(turn_counter),
    "episode everybody": _episode_material(all_profiles),
}
"""All material that a task can ask for."""
