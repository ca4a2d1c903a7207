"""Material of a prompt beside footage and conversation: key -> function that gathers it.

For an episode, an agent is told what it knows, an evaluator everything.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.meta.scenes import deduplicate_marks, read_scene_events
from benchmark.disclosure.cast_names import TextRewriter, make_unique
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
    episode = find_episode(session.study, recording_id) if task.key in _EPISODE_TASKS else None
    if episode is None:
        return dict(names)
    own = agent_position(part) if task.key == ACT_TASK else None
    agents = {agent.participant_id: agent for agent in episode_agents(session.study, recording_id)}
    found: dict[str, str] = {}
    for who, usual in names.items():
        agent = agents.get(who)
        unknown = own is not None and agent is not None and agent.position != own
        if agent is None:
            name = usual
        elif unknown and episode.relationship is Relationship.STRANGER:
            name = _STRANGER
        else:
            name = to_single_line(written(agent.profile.name)) or usual
        found[who] = make_unique(name, found.values())
    return found


@dataclass(frozen=True, slots=True)
class MaterialSource:
    """What material is gathered from.

    Attributes:
        place: what is asked about, with its chain rewritten.
        names: participant id -> name in this request.
        told: rewrites a text of the study.
    """

    session: Session
    place: SubjectLocation
    names: Names
    told: TextRewriter

    @property
    def recording_id(self) -> str:
        """The id of the recording that is asked about."""
        return self.place.recording_id

    @property
    def episode(self) -> Episode | None:
        """The episode that is asked about."""
        return find_episode(self.session.study, self.recording_id)

    @property
    def agents(self) -> list[EpisodeAgent]:
        """Everybody in the episode."""
        return episode_agents(self.session.study, self.recording_id)

    @property
    def player(self) -> EpisodeAgent | None:
        """The agent that plays the part that is asked about."""
        position = agent_position(self.place.about.part)
        return next((agent for agent in self.agents if agent.position == position), None)

    def profile_line(self, agent: EpisodeAgent, fields: Sequence[str] = ("name", *PROFILE_FIELDS)) -> str:
        """Return fields of a profile on one line, after the name in this request."""
        profile = agent.profile
        texts = {key: to_single_line(self.told(str(getattr(profile, key)))) for key in fields if key != "name"}
        parts = [f"{_PROFILE_LABELS[key]}: {text.rstrip('.')}." for key, text in texts.items() if text]
        return f"{self.name(agent)}. {' '.join(parts)}".rstrip() if fields else ""

    def name(self, agent: EpisodeAgent) -> str:
        """Return the name of an agent in this request."""
        return self.names.get(agent.participant_id or "", agent.profile.name)


def _episode_scene(source: MaterialSource) -> str:
    """Return what all agents know: the situation and their relationship."""
    episode = source.episode
    if episode is None:
        return ""
    return _join_lines([source.told(episode.context), _RELATIONSHIP_TEXTS.get(episode.relationship, "")])


def _own_profile(source: MaterialSource) -> str:
    """Return the profile of the agent that plays, with its secret."""
    return "" if source.player is None else source.profile_line(source.player)


def _own_goal(source: MaterialSource) -> str:
    return "" if source.player is None else source.told(source.player.goal)


def _other_profiles(source: MaterialSource) -> str:
    """Return what the agent that plays knows of the others, by their relationship."""
    episode, player = source.episode, source.player
    if episode is None or player is None:
        return ""
    return "\n".join(
        source.profile_line(agent, tuple(agent.profile.visible_fields(episode.relationship)))
        or f"{source.name(agent)}: nothing."
        for agent in source.agents
        if agent.position != player.position
    )


def _turn_counter(source: MaterialSource) -> str:
    """Return the number of the turn, and of how many at most."""
    episode, number = source.episode, source.place.about.part.partition(".")[2]
    if episode is None or source.player is None:
        return ""
    return f"This is turn {number} of at most {episode.turn_limit}."


def _all_profiles(source: MaterialSource) -> str:
    """Return profile, goal and secret of all agents."""
    lines = []
    for agent in source.agents:
        goal = to_single_line(source.told(agent.goal)) or "nothing that is written down"
        lines += [source.profile_line(agent), f"{source.name(agent)} wants: {goal}"]
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


def _join_lines(found: Iterable[str]) -> str:
    return "\n".join(text for text in found if text.strip())


Material = Callable[[MaterialSource], str]
MAX_MATERIAL_CHARS = 12_000
"""Characters of one piece of material; whole lines beyond are left out."""


def gather_material(source: MaterialSource, wanted: Sequence[str]) -> dict[str, str]:
    """Return key -> material, without empty ones; `wanted` are keys of `MATERIAL`."""
    found = {key: MATERIAL[key](source) for key in wanted}
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


def _chain(source: MaterialSource) -> str:
    place = source.place
    return chain_lines(place.chain, source.names, place.start_us) if place.chain is not None else ""


def _summary(made_of: SummarySource) -> Material:
    def summary(source: MaterialSource) -> str:
        found = summaries_of(source.session.study, source.recording_id).get(made_of)
        return "\n".join(map(source.told, found.text.splitlines())) if found else ""

    return summary


def _looks(source: MaterialSource) -> str:
    found = read_looks(source.session, source.recording_id, source.told)
    return "\n".join(f"{source.names[who]}: {text}" for who, text in found.items() if who in source.names)


def read_looks(session: Session, recording_id: str, told: TextRewriter) -> dict[str, str]:
    """Return participant id -> what the study says of their looks in a recording."""
    found: dict[str, list[str]] = {}
    for person_description in person_descriptions(session.study, recording_id):
        found.setdefault(person_description.participant_id, []).append(to_single_line(told(person_description.text)))
    return {who: ", ".join(texts) for who, texts in found.items()}


def _contradictions(source: MaterialSource) -> str:
    return "\n".join(
        to_single_line(source.told(f"{contradiction.text} {contradiction.resolution}"))
        for contradiction in contradictions_in(source.session.study, source.recording_id)
    )


def _earlier_answer(field: str) -> Material:
    """Return a function that gives a field of the earlier answer that the part of the target names."""

    def answer(source: MaterialSource) -> str:
        judgment_id = judgment_id_of_part(source.place.about.part)
        found = find_judgments(source.session.study, [judgment_id]) if judgment_id else []
        said = found[0].answer.get(field) if found and found[0].recording_id == source.recording_id else None
        return source.told(said) if isinstance(said, str) else ""

    return answer


def _scenes(source: MaterialSource) -> str:
    place, told = source.place, source.told
    lines = []
    for mark in deduplicate_marks(read_scene_events(source.session, place.recording_id)):
        here = mark.segment
        if here.start_us < place.end_us and here.end_us > place.start_us:
            span = f"{format_seconds(here.start_us - place.start_us)} to {format_seconds(here.end_us - place.start_us)}"
            what = ": ".join(part for part in (mark.name, told(mark.who), told(mark.description)) if part)
            lines.append(to_single_line(f"{span}: {what}"))
    return "\n".join(lines)


MATERIAL: Mapping[str, Material] = {
    "chain": _chain,
    "words summary": _summary(SummarySource.WORDS),
    "frames summary": _summary(SummarySource.FRAMES),
    "looks": _looks,
    "contradictions": _contradictions,
    "scenes": _scenes,
    "answer before": _earlier_answer("explanation"),
    "nli question": _earlier_answer("question"),
    "episode scene": _episode_scene,
    "episode self": _own_profile,
    "episode goal": _own_goal,
    "episode others": _other_profiles,
    "episode turn": _turn_counter,
    "episode everybody": _all_profiles,
}
"""All material that a task can ask for."""
