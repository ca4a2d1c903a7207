"""The rules of a release, what stands in its way by them, waivers, and the recordings that a release is made of."""

from collections.abc import Container, Generator, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from annotate.study.leave_permission import LeaveUse, has_consented, may_leave
from anonymize.faces.face_review import FaceSheet, build_face_sheet
from anonymize.release.release_plan import SCRUB, SOLID, ReleasePlan
from anonymize.release.release_sound import AudioTreatment, PersonalHits, Speech, plan_audio_treatment, read_speech
from project.entities.study_records import (
    MIN_REASON_WORDS,
    Changes,
    ConsentUse,
    Json,
    Medium,
    Participant,
    Recording,
    Run,
    Waiver,
)
from project.errors import UserError, unknown_choice
from project.ids import new_id
from project.queries import policy_rows
from project.queries.recording_rows import all_participants, all_recordings
from project.session.session import MediaState, Session
from project.text_format import pluralize
from project.timebase import SECOND_US, utc_now


@dataclass(frozen=True, slots=True)
class ReleaseRule:
    """One rule.

    Attributes:
        title: what holds when it is kept, as a sentence.
        waivable: whether a person may do without it, with a reason that is printed in the data card; where only some of
            its reasons can be waived, each of them says so.
    """

    title: str
    waivable: bool = False


RULES: dict[str, ReleaseRule] = {
    "something": ReleaseRule("There is something to release."),
    "history": ReleaseRule("What people decided is what the history says: no other program changed it.", waivable=True),
    "file": ReleaseRule("The recording's file is there and unchanged, byte by byte."),
    "faces-tracked": ReleaseRule("Faces were looked for in the file as it is now."),
    "faces-reviewed": ReleaseRule("Somebody reviewed the faces in their present state."),
    "uncovered": ReleaseRule("All possibly uncovered faces have been checked."),
    "consent-known": ReleaseRule("It is known who appears, so that everybody was asked.", waivable=True),
    "sound-consent": ReleaseRule("Everybody who is heard consented to release."),
    "transcript": ReleaseRule("Whatever is said where sound leaves stands in the transcript."),
    "transcript-checked": ReleaseRule("Somebody checked the transcript.", waivable=True),
    "voice": ReleaseRule("It is known whose voice is heard, so that everybody was asked.", waivable=True),
    "pii-reviewed": ReleaseRule(
        "Somebody decided on everything personal in texts and speech that leave, in languages in which it is found.",
        waivable=True,
    ),
    "texts-reviewed": ReleaseRule("Somebody read the scrubbed texts in their present state."),
    "rendered": ReleaseRule("The recording could be rendered in the state that was reviewed."),
    "face-left": ReleaseRule("No face is left in the rendering."),
    "face-under-mask": ReleaseRule("Every face lies wholly under its mask."),
    "not-recognized": ReleaseRule("No drawn face is recognised as the person whose place it takes."),
    "doubtful-hits": ReleaseRule("Whatever looks like a face in the rendering was covered or dismissed by a reviewer."),
    "independent-check": ReleaseRule(
        "The rendering was checked by a detector that did not find the tracks.", waivable=True
    ),
    "privacy-measured": ReleaseRule("It was measured how private the rendering is.", waivable=True),
    "privacy-limit": ReleaseRule("No measure of privacy is over the study's limit.", waivable=True),
}
"""Every rule, in the order in which they are looked at."""


@dataclass(frozen=True, slots=True)
class ReleaseBlocker:
    """One thing that stands in the way.

    Attributes:
        rule: key of `RULES`.
        sentence: what is wrong.
        hint: what to do about it.
        recording: its number; None where it is about the release as a whole.
        time_us: where to look, on the recording's axis; None where there is no such place.
        waivable: whether it can be waived, where its rule can.
        weights: name of the weights or the optional part that can be fetched to mend it; "" for none.
    """

    rule: str
    sentence: str
    hint: str
    recording: int | None = None
    time_us: int | None = None
    waivable: bool = True
    weights: str = ""

    @property
    def can_be_waived(self) -> bool:
        """Whether a person may do without it."""
        return self.waivable and RULES[self.rule].waivable

    def describe_as_json(self, study: str) -> dict[str, Json]:
        """Return it for people; with a command that opens the window of a study at the place."""
        found: dict[str, Json] = {
            "rule": self.rule,
            "recording": self.recording,
            "time": None if self.time_us is None else self.time_us / SECOND_US,
            "sentence": self.sentence,
            "hint": self.hint,
            "waivable": self.can_be_waived,
        }
        if self.weights:
            found["weights"] = self.weights
        if self.recording is not None:
            at = "" if self.time_us is None else f" --at {self.time_us / SECOND_US:.3f}"
            found["link"] = f"greenroom open {study} --recording {self.recording}{at}"
        return found


WaivedRule = tuple[str, int | None]
"""A rule, and the number of the recording that does without it; None for all."""


def is_waived(reason: ReleaseBlocker, waived: Container[WaivedRule]) -> bool:
    """Tell whether a waiver does away with a reason."""
    if not reason.can_be_waived:
        return False
    return (reason.rule, reason.recording) in waived or (reason.rule, None) in waived


def remaining_blockers(reasons: Iterable[ReleaseBlocker], waived: Container[WaivedRule]) -> list[ReleaseBlocker]:
    """Return the reasons that no waiver does away with."""
    return [reason for reason in reasons if not is_waived(reason, waived)]


def valid_waivers(session: Session) -> dict[WaivedRule, list[Waiver]]:
    """Return the waivers that count; copies that were merged may each have one of the same rule.

    One of a recording that is gone counts for nothing, and so does one without a reason in words or of a rule that
    cannot be waived: no program of ours writes such a one.
    """
    numbers: dict[str | None, int | None] = {
        recording.id: recording.number for recording in all_recordings(session.study)
    }
    numbers[None] = None
    found: dict[WaivedRule, list[Waiver]] = {}
    for waiver in policy_rows.waivers(session.study):
        known = waiver.recording_id in numbers and waiver.rule in RULES and RULES[waiver.rule].waivable
        if known and len(waiver.reason.split()) >= MIN_REASON_WORDS:
            found.setdefault((waiver.rule, numbers[waiver.recording_id]), []).append(waiver)
    return found


def waive_rule(session: Session, rule: str, recording_id: str | None, reason: str) -> Changes:
    """Do without a rule, for a recording or, where it is None, for all; the reason is printed in the data card."""
    said = require_waivable(rule, reason)
    with session.step(f"Waive {rule}") as step:
        who = session.annotator()
        assert who is not None
        for waiver in policy_rows.waivers(session.study):
            if (waiver.rule, waiver.recording_id) == (rule, recording_id):
                policy_rows.delete_waiver(session.study, waiver.id)
        policy_rows.insert_waiver(session.study, Waiver(new_id(), recording_id, rule, said, who.id, utc_now()))
    return step.changes


def require_waivable(rule: str, reason: str) -> str:
    """Return the reason as it is printed; an error if the rule cannot be waived, or not for this reason."""
    if rule not in RULES:
        raise unknown_choice("rule", rule, waivable_rules())
    if not RULES[rule].waivable:
        raise UserError(f"The rule “{rule}” cannot be waived.", f"Choose one of {', '.join(waivable_rules())}.")
    said = " ".join(reason.split())
    if len(said.split()) < MIN_REASON_WORDS:
        raise UserError(
            "A waiver needs a reason.",
            f"Give the reason in at least {MIN_REASON_WORDS} words; the data card prints it.",
        )
    return said


def withdraw_waiver(session: Session, rule: str, recording_id: str | None) -> Changes:
    """Take a waiver back."""
    found = [
        waiver
        for waiver in policy_rows.waivers(session.study)
        if (waiver.rule, waiver.recording_id) == (rule, recording_id)
    ]
    if not found:
        raise UserError(
            f"The rule “{rule}” has no waiver here.", "List the waivers: greenroom release make STUDY --dry-run"
        )
    with session.step(f"Withdraw waiver of {rule}") as step:
        for waiver in found:
            policy_rows.delete_waiver(session.study, waiver.id)
    return step.changes


def waivable_rules() -> list[str]:
    """Return the keys of the rules that can be waived."""
    return [key for key, rule in RULES.items() if rule.waivable]


@dataclass(frozen=True)
class ReleaseCandidate:
    """One recording on its way into a release.

    Attributes:
        refusing: who appears and did not consent to release; robots need not.
        personal: what is personal in the study.
    """

    session: Session
    plan: ReleasePlan
    recording: Recording
    people: tuple[Participant, ...]
    refusing: tuple[Participant, ...]
    personal: PersonalHits

    @property
    def number(self) -> int:
        """What people call it."""
        return self.recording.number

    @property
    def has_picture(self) -> bool:
        """Whether there is anything to render."""
        return self.session.has_picture(self.recording.id)

    @cached_property
    def medium(self) -> Medium | None:
        """Its main file."""
        return self.session.main_medium(self.recording.id)

    @cached_property
    def has_file(self) -> bool:
        """Whether its main file is there, unchanged."""
        return self.medium is not None and self.session.locate(self.medium).state is MediaState.PRESENT

    @cached_property
    def faces(self) -> FaceSheet | None:
        """How far the review of its faces is; None where it has no picture or its file cannot be used."""
        return build_face_sheet(self.session, self.recording.id) if self.has_picture and self.has_file else None

    @property
    def face_run(self) -> Run | None:
        """The run that looked for faces in its file as it is now; None where there is none."""
        if self.faces is None or self.faces.run is None or self.medium is None:
            return None
        return self.faces.run if self.faces.run.parameters.get("fingerprint") == self.medium.fingerprint else None

    @property
    def releases_sound(self) -> bool:
        """Whether its sound leaves."""
        return self.plan.includes_sound and self.has_picture and self.sound_track > 0

    @property
    def sound_track(self) -> int:
        """Which sound track of its main file is used, from 1; 0 where there is none."""
        return self.medium.sound_track if self.medium is not None else 0

    @property
    def releases_speech(self) -> bool:
        """Whether what is said or written leaves: its sound or its texts."""
        return self.releases_sound or self.plan.texts == SCRUB

    @cached_property
    def speech(self) -> Speech:
        """What is known about who speaks when."""
        return read_speech(self.session, self.recording.id)

    @cached_property
    def audio_treatment(self) -> AudioTreatment | None:
        """What is done to its sound; None where none leaves."""
        if not self.releases_sound:
            return None
        spoken = self.personal.spoken(self.recording.id)
        return plan_audio_treatment(self.plan, spoken, self.speech, self.people, self.refusing)

    @property
    def solid_face_ids(self) -> list[str]:
        """Ids of the faces that are painted solid whatever the method: of who did not consent, or of nobody known."""
        if self.faces is None or self.plan.without_consent != SOLID:
            return []
        everybody = all_participants(self.session.study)
        asked = {
            participant.id for participant in everybody if has_consented(self.session, participant, ConsentUse.RELEASE)
        }
        return [face.id for face in self.faces.faces if not face.dismissed and face.participant_id not in asked]

    def build_blocker(
        self,
        rule: str,
        sentence: str,
        hint: str,
        time_us: int | None = None,
        *,
        waivable: bool = True,
        weights: str = "",
    ) -> ReleaseBlocker:
        """Return a reason about this recording; `waivable` where its rule can be waived and this reason too."""
        return ReleaseBlocker(rule, sentence, hint, self.number, time_us, waivable, weights)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which recordings go into a release, and why others do not: number -> one sentence."""

    candidates: tuple[ReleaseCandidate, ...]
    left_out: dict[int, str] = field(default_factory=dict)


def select_candidates(session: Session, plan: ReleasePlan) -> Selection:
    """Leave out what is not chosen, hold-outs and, where the plan says so, whatever shows who did not consent."""
    steps = selection_steps(session, plan)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            found: Selection = done.value
            return found


def selection_steps(session: Session, plan: ReleasePlan) -> Generator[str, None, Selection]:
    """Select as `select_candidates`, one recording at a time; yields "" after each."""
    releases_speech = plan.includes_sound or plan.texts == SCRUB
    use = LeaveUse.RELEASE_OF_SPEECH if releases_speech else LeaveUse.RELEASE_OF_PICTURES
    found: list[ReleaseCandidate] = []
    left_out: dict[int, str] = {}
    personal = PersonalHits(session)
    for recording in all_recordings(session.study):
        permission = may_leave(session, recording.id, use)
        if plan.recordings and recording.number not in plan.recordings:
            left_out[recording.number] = "It is not chosen."
        elif permission.held_out:
            left_out[recording.number] = "It is held out."
        elif permission.refusing and plan.without_consent != SOLID:
            left_out[recording.number] = (
                f"{pluralize(len(permission.refusing), 'participant')} did not consent to release."
            )
        else:
            people, refusing = permission.people, permission.refusing
            found.append(ReleaseCandidate(session, plan, recording, people, refusing, personal))
        yield ""
    return Selection(tuple(found), left_out)
