"""Who takes part in an episode: participants of the study that stand for its characters."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.session import Session
from project.episodes import Episode, EpisodeSource, Player, Profile
from project.errors import UserError
from project.ids import new_id
from project.queries.episodes import all_agents, invented_participants
from project.queries.participants import all_participants, insert_participant, set_appearance, set_consent
from project.types import ConsentUse, Participant, ParticipantRole


@dataclass(frozen=True, slots=True)
class Seat:
    """One who is to take part.

    Attributes:
        judge_id: of the judge who plays; "" for anybody else.
        participant_id: a participant of the study whose part is played on; "" for an invented character.
    """

    profile: Profile
    goal: str
    player: Player
    judge_id: str = ""
    participant_id: str = ""


def require_seats(seats: Sequence[Seat]) -> None:
    """Refuse what cannot be played.

    Raises:
        UserError: fewer than two take part, somebody has no name, two have the same, or a judge is missing.
    """
    names = [one.profile.name.strip() for one in seats]
    if len(seats) < 2:
        raise UserError("An episode needs two who take part, or more.", "Add another one.")
    if not all(names):
        raise UserError("Everybody who takes part needs a name.", "Type one.")
    if len({one.casefold() for one in names}) < len(names):
        raise UserError("Two who take part have the same name.", "Give each a name of their own.")
    if any(one.player is Player.JUDGE and not one.judge_id for one in seats):
        raise UserError("It is not said which judge plays.", "Choose a judge, or a person, for everybody.")


class Company:
    """The participants of a study who can stand for characters; knows those whom it added, so one serves many episodes.

    A character whom a judge played, or that was imported, is the same participant the next time, and agreed to
    everything, because there is nobody to ask. Whoever types for one is a participant of this episode alone.
    """

    def __init__(self, session: Session) -> None:
        self._study = session.study
        called = {one.id: one.pseudonym for one in all_participants(self._study)}
        self._taken = {*called.values()}
        self._invented: dict[str, str] = {}
        for who in _played_by_nobody(session):
            self._invented.setdefault(_plain(called[who]), who)

    def cast(self, episode: Episode, seats: Sequence[Seat], *, agreed: bool) -> list[str]:
        """Return the participants who stand for the seats, with their appearance; inside a step.

        Args:
            episode: with its `recording_id`.
            seats: who takes part.
            agreed: the people at the keyboard agreed that judges are sent what they type.
        """
        chosen: list[str] = []
        added: dict[str, str] = {}
        for seat in seats:
            name = _plain(seat.profile.name)
            typed = seat.player is Player.PERSON
            who = seat.participant_id or ("" if typed else self._invented.get(name, ""))
            if not who:
                made = self._added(name, typed=typed, agreed=agreed)
                who = made.id
                if not typed and episode.source is not EpisodeSource.SEGMENT:
                    added[made.pseudonym] = who
            set_appearance(self._study, episode.recording_id, who, True)
            chosen.append(who)
        self._invented |= added
        return chosen

    def _added(self, name: str, *, typed: bool, agreed: bool) -> Participant:
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name} ({number})"
        made = Participant(new_id(), free, ParticipantRole.USER if typed else ParticipantRole.ROBOT)
        insert_participant(self._study, made)
        self._taken.add(free)
        for use in ConsentUse:
            set_consent(self._study, made.id, use, not typed or (agreed and use is ConsentUse.MODELS))
        return made


def _played_by_nobody(session: Session) -> list[str]:
    """Return the participants who are characters and nothing else, and for whom no person ever typed."""
    typed = {
        one.participant_id
        for agents in all_agents(session.study).values()
        for one in agents
        if one.player is Player.PERSON
    }
    return sorted(invented_participants(session.study) - typed)


def _plain(name: str) -> str:
    return " ".join(name.split())
