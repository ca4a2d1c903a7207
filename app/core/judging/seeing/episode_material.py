"""What is told of a role-played episode: to whoever plays an agent what that agent knows, to an evaluator all of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from app.core.session import Session
from benchmark.quoting import on_one_line
from benchmark.tasks.act import KEY as ACT
from benchmark.tasks.act import position_in
from benchmark.tasks.base import Task
from benchmark.tasks.episode_ratings import KEY as RATINGS
from project.episodes import PROFILE, Episode, EpisodeAgent, Relationship
from project.queries.episodes import agents_of, episode_of

Names = Mapping[str, str]
Told = Callable[[str], str]
_IN_CHARACTER = frozenset({ACT, RATINGS})
_STRANGER = "Stranger"
_CALLED: Mapping[str, str] = {
    "age": "Age",
    "occupation": "Occupation",
    "pronouns": "Pronouns",
    "personality": "Personality",
    "personal_values": "Values",
    "decision_style": "How they decide",
    "public_info": "Known to others",
    "secret": "Secret",
}
_STANDING: Mapping[Relationship, str] = {
    Relationship.FAMILY: "They are family.",
    Relationship.FRIEND: "They are friends.",
    Relationship.ROMANTIC: "They are a couple.",
    Relationship.ACQUAINTANCE: "They know each other by sight and name.",
    Relationship.STRANGER: "They do not know each other.",
}


def names_in_episode(
    session: Session, task: Task, recording_id: str, part: str, names: Names, written: Told
) -> dict[str, str]:
    """Return participant id -> what they are called: by the names of their characters, where the task is about these.

    Who plays does not learn the name of a stranger.

    Args:
        session: of the study.
        task: that is asked.
        recording_id: of the episode.
        part: of the recording that is asked about.
        names: what they are called in any other request, by id.
        written: how a text of the study may be written.
    """
    if task.key not in _IN_CHARACTER or (episode := episode_of(session.study, recording_id)) is None:
        return dict(names)
    own = position_in(part) if task.key == ACT else None
    found: dict[str, str] = {}
    agents = {one.participant_id: one for one in agents_of(session.study, recording_id)}
    for who, usual in names.items():
        agent = agents.get(who)
        unknown = own is not None and agent is not None and agent.position != own
        if agent is None:
            name = usual
        elif unknown and episode.relationship is Relationship.STRANGER:
            name = _STRANGER
        else:
            name = on_one_line(written(agent.profile.name)) or usual
        found[who] = _distinct(name, found.values())
    return found


def _distinct(name: str, taken: Iterable[str]) -> str:
    others, number, made = set(taken), 1, name
    while made in others:
        number += 1
        made = f"{name} ({number})"
    return made


def scene(session: Session, recording_id: str, _part: str, _names: Names, told: Told) -> str:
    """Return what all of them know: the situation, and how they stand to each other."""
    episode = episode_of(session.study, recording_id)
    return "" if episode is None else _lines([told(episode.context), _STANDING.get(episode.relationship, "")])


def own_profile(session: Session, recording_id: str, part: str, names: Names, told: Told) -> str:
    """Return who somebody is who plays, with the secret."""
    _, own, _ = _seats(session, recording_id, part)
    return "" if own is None else _profile(own, _who(own, names), ("name", *PROFILE), told)


def own_goal(session: Session, recording_id: str, part: str, _names: Names, told: Told) -> str:
    """Return what somebody wants who plays."""
    _, own, _ = _seats(session, recording_id, part)
    return "" if own is None else told(own.goal)


def others_seen(session: Session, recording_id: str, part: str, names: Names, told: Told) -> str:
    """Return what somebody who plays knows of the others, by how they stand to each other."""
    episode, own, others = _seats(session, recording_id, part)
    if episode is None or own is None:
        return ""
    lines = []
    for one in others:
        seen = one.profile.seen_under(episode.relationship)
        lines.append(_profile(one, _who(one, names), tuple(seen), told) or f"{_who(one, names)}: nothing.")
    return "\n".join(lines)


def standing(session: Session, recording_id: str, part: str, _names: Names, _told: Told) -> str:
    """Return which turn it is, of how many at most."""
    episode, own, _ = _seats(session, recording_id, part)
    number = part.partition(".")[2]
    return "" if episode is None or own is None else f"This is turn {number} of at most {episode.turn_limit}."


def everybody(session: Session, recording_id: str, _part: str, names: Names, told: Told) -> str:
    """Return profile, goal and secret of all who take part."""
    lines = []
    for one in agents_of(session.study, recording_id):
        lines.append(_profile(one, _who(one, names), ("name", *PROFILE), told))
        lines.append(f"{_who(one, names)} wants: {on_one_line(told(one.goal)) or 'nothing that is written down'}")
    return _lines(lines)


def with_homes(session: Session, recording_id: str, others: Sequence[str], gone: str) -> tuple[str, ...]:
    """Return the other recordings of which words are in a request, with those that episodes go on from.

    An episode that goes on from a recording holds words of it, so its people are asked too, whoever borrows them.

    Args:
        session: of the study.
        recording_id: that the request is about.
        others: recordings of which words are in it too.
        gone: stands for one that is no longer part of the study, so that nobody knows who was asked.
    """
    known = {row[0] for row in session.study.rows("SELECT id FROM recording")}
    found: dict[str, None] = dict.fromkeys(others)
    open_ends = [recording_id, *others]
    while open_ends:
        episode = episode_of(session.study, open_ends.pop())
        home = episode.from_recording_id if episode is not None else ""
        if home and home not in found and home != recording_id:
            found[home if home in known else gone] = None
            open_ends.append(home)
    return tuple(found)


def _seats(
    session: Session, recording_id: str, part: str
) -> tuple[Episode | None, EpisodeAgent | None, list[EpisodeAgent]]:
    """Return the episode, who plays a part, and the others."""
    agents = agents_of(session.study, recording_id)
    position = position_in(part)
    own = next((one for one in agents if one.position == position), None)
    return episode_of(session.study, recording_id), own, [one for one in agents if one.position != position]


def _who(one: EpisodeAgent, names: Names) -> str:
    return names.get(one.participant_id or "", one.profile.name)


def _profile(one: EpisodeAgent, who: str, fields: Sequence[str], told: Told) -> str:
    """Return fields of a profile on one line; the name is that which they go by in this request."""
    texts = {key: on_one_line(told(str(getattr(one.profile, key)))) for key in fields if key != "name"}
    parts = [f"{_CALLED[key]}: {text.rstrip('.')}." for key, text in texts.items() if text]
    return f"{who}. {' '.join(parts)}".rstrip() if fields else ""


def _lines(found: Iterable[str]) -> str:
    return "\n".join(one for one in found if one.strip())
