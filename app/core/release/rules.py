"""The rules that a release has to keep, and what is said where one is broken."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from project.timebase import SECOND
from project.types import Json, Waiver

LEAST_WORDS = 3
"""How many words the reason of a waiver has at least."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        title: what holds when it is kept, as a sentence.
        waivable: whether a person may do without it, with a reason that is printed in the data card; where only some of
            its reasons can be waived, each of them says so.
    """

    title: str
    waivable: bool = False


RULES: dict[str, Rule] = {
    "something": Rule("There is something to release."),
    "history": Rule("What people decided is what the history says: no other program changed it.", waivable=True),
    "file": Rule("The recording's file is there and unchanged, byte by byte."),
    "faces-tracked": Rule("Faces were looked for in the file as it is now."),
    "faces-reviewed": Rule("Somebody reviewed the faces in their present state."),
    "uncovered": Rule("No frame is left in which a face may be uncovered and nobody looked."),
    "consent-known": Rule("It is known who appears, so that everybody was asked.", waivable=True),
    "sound-consent": Rule("Everybody who is heard consented to release."),
    "transcript": Rule("Whatever is said where sound leaves stands in the transcript."),
    "transcript-checked": Rule("Somebody checked what a model heard.", waivable=True),
    "voice": Rule("It is known whose voice is heard, so that everybody was asked.", waivable=True),
    "pii-reviewed": Rule(
        "Somebody decided on everything personal in texts and speech that leave, in languages in which it is found.",
        waivable=True,
    ),
    "texts-reviewed": Rule("Somebody read the scrubbed texts in their present state."),
    "rendered": Rule("The recording could be rendered in the state that was reviewed."),
    "face-left": Rule("No face is left in the rendering."),
    "face-under-mask": Rule("Every face lies wholly under its mask."),
    "not-recognized": Rule("No drawn face is recognised as the person whose place it takes."),
    "doubtful-hits": Rule("Whatever looks like a face in the rendering was covered or dismissed by a reviewer."),
    "independent-check": Rule("The rendering was checked by a detector that did not find the tracks.", waivable=True),
    "privacy-measured": Rule("It was measured how private the rendering is.", waivable=True),
    "privacy-limit": Rule("No measure of privacy is over the study's limit.", waivable=True),
}
"""Every rule, in the order in which they are looked at."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that stands in the way.

    Attributes:
        rule: key of `RULES`.
        recording: its number; None where it is about the release as a whole.
        time_us: where to look, on the recording's axis; None where there is no such place.
        sentence: what is wrong.
        hint: what to do about it.
        waivable: whether it can be waived, where its rule can.
        weights: that can be fetched to mend it; "" for none.
    """

    rule: str
    recording: int | None
    time_us: int | None
    sentence: str
    hint: str
    waivable: bool = True
    weights: str = ""

    @property
    def can_be_waived(self) -> bool:
        """Whether a person may do without it."""
        return self.waivable and RULES[self.rule].waivable

    def as_json(self, study: str = "") -> dict[str, Json]:
        """Return it as an object; with a command that opens the window at the place, where a study is named."""
        found: dict[str, Json] = {
            "rule": self.rule,
            "recording": self.recording,
            "time": None if self.time_us is None else self.time_us / SECOND,
            "sentence": self.sentence,
            "hint": self.hint,
            "waivable": self.can_be_waived,
        }
        if self.weights:
            found["weights"] = self.weights
        if study and self.recording is not None:
            at = "" if self.time_us is None else f" --at {self.time_us / SECOND:.3f}"
            found["link"] = f"greenroom open {study} --recording {self.recording}{at}"
        return found


def reason_from(found: Mapping[str, Json]) -> Reason:
    """Read what `Reason.as_json` made."""
    number, time = found["recording"], found["time"]
    return Reason(
        str(found["rule"]),
        number if isinstance(number, int) else None,
        round(time * SECOND) if isinstance(time, int | float) else None,
        str(found["sentence"]),
        str(found["hint"]),
        found.get("waivable") is True or not RULES[str(found["rule"])].waivable,
        str(found.get("weights", "")),
    )


def waiver_for(reason: Reason, waivers: Iterable[Waiver], numbers: Mapping[str, int]) -> Waiver | None:
    """Return the waiver that does away with a reason; None where there is none or the rule cannot be waived.

    Args:
        reason: what stands in the way.
        waivers: of the study.
        numbers: recording id -> number.
    """
    if not reason.can_be_waived:
        return None
    for one in waivers:
        if one.rule == reason.rule and (one.recording_id is None or numbers.get(one.recording_id) == reason.recording):
            return one
    return None


def standing(reasons: Sequence[Reason], waived: Iterable[tuple[str, int | None]]) -> list[Reason]:
    """Return the reasons that no waiver does away with.

    Args:
        reasons: all of them.
        waived: rule and number of the recording, or None for all recordings.
    """
    allowed = {*waived}
    return [
        one
        for one in reasons
        if not (one.can_be_waived and ((one.rule, one.recording) in allowed or (one.rule, None) in allowed))
    ]
