"""Whether something of a recording may leave, for every use: by hold-outs and by consent of who appears in it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from project.entities.study_records import ConsentUse, Participant, ParticipantRole
from project.queries.policy_rows import mentioned_participants, speaking_participants, visible_participants
from project.queries.recording_rows import all_participants, all_recordings, consents, hold_outs, participants_in
from project.session.session import PerState, Session
from project.store.study import Study


class LeaveUse(StrEnum):
    """What something of a recording leaves for."""

    EXPORT = "export"
    ITEM_SET = "item set"
    MODEL_REQUEST = "request to a model"
    REMOTE_WORK = "work on another machine"
    RELEASE_OF_PICTURES = "release of pictures"
    RELEASE_OF_SPEECH = "release of sound or texts"
    QUESTION_RELEASE = "release of questions"


@dataclass(frozen=True, slots=True)
class LeavePermission:
    """Whether something of a recording may leave; true where nothing is against it.

    Attributes:
        number: of the recording.
        held_out: nothing of it leaves.
        unasked: nobody is known to appear in it, so nobody was asked, and the use needs that somebody was.
        consent: what people must have consented to; None where the use needs no consent.
        people: whose consent the use needs.
        refusing: those of them who did not give it.
    """

    number: int
    held_out: bool
    unasked: bool = False
    consent: ConsentUse | None = None
    people: tuple[Participant, ...] = ()
    refusing: tuple[Participant, ...] = ()

    def __bool__(self) -> bool:
        return not (self.held_out or self.unasked or self.refusing)

    @property
    def refusal(self) -> str:
        """Why it may not, as a clause; "" where it may."""
        if self.held_out:
            return f"recording {self.number} is held out, and nothing of it leaves"
        if self.unasked:
            return f"nobody is said to appear in recording {self.number}, so nobody was asked"
        if self.refusing:
            names = ", ".join(participant.pseudonym for participant in self.refusing)
            consented = "agree to be sent to models" if self.consent is ConsentUse.MODELS else "consent to release"
            return f"{names} of recording {self.number} did not {consented}"
        return ""


def may_leave(session: Session, recording_id: str, use: LeaveUse) -> LeavePermission:
    """Tell whether something of a recording may leave for a use, by hold-outs and consent."""
    number, held_out = session.recording(recording_id).number, recording_id in _HOLD_OUTS.get(session)
    rule = _CONSENT_RULES.get(use)
    if rule is None:
        return LeavePermission(number, held_out)
    people = rule.people.get(session)[recording_id]
    refusing = tuple(participant for participant in people if not has_consented(session, participant, rule.consent))
    return LeavePermission(number, held_out, rule.somebody_asked and not people, rule.consent, people, refusing)


def has_consented(session: Session, participant: Participant, consent: ConsentUse) -> bool:
    """Tell whether somebody consented to something; robots need not."""
    return participant.role is ParticipantRole.ROBOT or consents(session.study, participant.id)[consent]


_PresentPeople = Callable[[Study], dict[str, set[str]]]


def _people_by_recording(*sources: _PresentPeople) -> PerState[dict[str, tuple[Participant, ...]]]:
    """Return what caches recording id -> who is said to appear in it, or is in it by one of the sources."""

    def read(session: Session) -> dict[str, tuple[Participant, ...]]:
        participants, present = all_participants(session.study), [source(session.study) for source in sources]
        found = {}
        for recording in all_recordings(session.study):
            ids = {participant.id for participant in participants_in(session.study, recording.id)}
            ids.update(*(by_recording.get(recording.id, ()) for by_recording in present))
            found[recording.id] = tuple(participant for participant in participants if participant.id in ids)
        return found

    return PerState(read)


_SEEN = _people_by_recording(visible_participants)
_SEEN_OR_HEARD = _people_by_recording(visible_participants, speaking_participants)
_SEEN_HEARD_OR_TOLD_OF = _people_by_recording(visible_participants, speaking_participants, mentioned_participants)
_HOLD_OUTS = PerState(lambda session: hold_outs(session.study))


@dataclass(frozen=True, slots=True)
class _ConsentRule:
    """Whose consent a use needs, to what; `somebody_asked` where it needs that somebody is known to appear."""

    people: PerState[dict[str, tuple[Participant, ...]]]
    consent: ConsentUse
    somebody_asked: bool = False


_CONSENT_RULES = {
    # The other uses heed hold-outs alone.
    LeaveUse.MODEL_REQUEST: _ConsentRule(_SEEN_HEARD_OR_TOLD_OF, ConsentUse.MODELS, somebody_asked=True),
    # Such work finds out whose faces and voices these are, so that nobody is known yet is no reason.
    LeaveUse.REMOTE_WORK: _ConsentRule(_SEEN_HEARD_OR_TOLD_OF, ConsentUse.MODELS),
    # Without sound and texts nothing leaves of who is only heard; the release rule `consent-known` asks whether
    # it is known who appears.
    LeaveUse.RELEASE_OF_PICTURES: _ConsentRule(_SEEN, ConsentUse.RELEASE),
    LeaveUse.RELEASE_OF_SPEECH: _ConsentRule(_SEEN_OR_HEARD, ConsentUse.RELEASE),
    LeaveUse.QUESTION_RELEASE: _ConsentRule(_SEEN_HEARD_OR_TOLD_OF, ConsentUse.RELEASE, somebody_asked=True),
}
