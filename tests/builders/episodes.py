"""Two who haggle over a lamp, and what a server says for them."""

import json

from benchmark.episodes.episode_setup import CastMember, EpisodeSetup, start_episode
from project.entities.roleplay import AgentPlayer, Episode, EpisodeSource, Profile, Relationship
from project.session.session import Session
from tests.builders.misbehaving_server import Behaviour, says

ANNA = Profile(
    *("Anna Berg", "41", "Baker", "she/her", "Cheerful and stubborn.", "Fairness.", "Decides at once."),
    *("Runs the bakery on the square.", "The lamp is stolen."),
)
BRAM = Profile(
    *("Bram Vos", "29", "Teacher", "he/him", "Shy.", "Thrift.", "Weighs everything."),
    *("Teaches at the school.", "He has lost his job."),
)
GOALS = ("Sell the lamp for 40 or more.", "Buy the lamp for 30 or less.")
SCENE = "Two people stand at a stall on a flea market, a lamp between them."


def wanted(
    players: tuple[str, ...],
    relationship: Relationship = Relationship.STRANGER,
    limit: int = 20,
    seed: int = 0,
    agreed: bool = False,
) -> EpisodeSetup:
    """Return the episode; a player is a judge's id, "" for a person."""
    seats = tuple(
        CastMember(profile, goal, AgentPlayer.JUDGE if judge else AgentPlayer.PERSON, judge)
        for profile, goal, judge in zip((ANNA, BRAM), GOALS, players, strict=True)
    )
    episode = Episode("", SCENE, relationship, EpisodeSource.PLAYED, limit, seed=seed)
    return EpisodeSetup("The lamp", seats, episode, agreed=agreed)


def started(session: Session, *players: str, **facts: object) -> str:
    """Start the episode; returns the recording's id."""
    return start_episode(session, wanted(players, **facts))[0]


def acts(act: str, text: str = "") -> Behaviour:
    """Answer with a turn."""
    return says(json.dumps({"act": act, "text": text}))
