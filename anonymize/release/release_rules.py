"""Release rules, their blockers, and the rules that are checked on a rendering: one function a rule."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from project.entities.study_records import Json, Waiver
from project.text_format import pluralize
from project.timebase import SECOND_US, format_time

MIN_REASON_WORDS = 3
"""The fewest words of the reason of a waiver."""


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
    "uncovered": ReleaseRule("No frame is left in which a face may be uncovered and nobody looked."),
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
        recording: its number; None where it is about the release as a whole.
        time_us: where to look, on the recording's axis; None where there is no such place.
        sentence: what is wrong.
        hint: what to do about it.
        waivable: whether it can be waived, where its rule can.
        weights: name of the weights or the optional part that can be fetched to mend it; "" for none.
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


def find_waiver(reason: ReleaseBlocker, waivers: Iterable[Waiver], numbers: Mapping[str, int]) -> Waiver | None:
    """Return the waiver that does away with a reason; None where there is none or the rule cannot be waived."""
    if not reason.can_be_waived:
        return None
    for waiver in waivers:
        if waiver.rule == reason.rule and (
            waiver.recording_id is None or numbers.get(waiver.recording_id) == reason.recording
        ):
            return waiver
    return None


def remaining_blockers(
    reasons: Sequence[ReleaseBlocker], waived: Iterable[tuple[str, int | None]]
) -> list[ReleaseBlocker]:
    """Return the reasons that no waiver does away with.

    Args:
        reasons: all of them.
        waived: rule and number of the recording, or None for all recordings.
    """
    allowed = {*waived}
    return [
        reason
        for reason in reasons
        if not (reason.can_be_waived and ((reason.rule, reason.recording) in allowed or (reason.rule, None) in allowed))
    ]


_HINT_LOOK = "Look at it on the Faces page: draw the face, or mark the place as nothing."


@dataclass(frozen=True, slots=True)
class RenderingCheck:
    """What was rendered, and what a look at the rendering found. Times are microseconds on the recording's axis.

    Attributes:
        number: of the recording.
        method: how faces were hidden.
        failure: why there is no rendering; "" where there is one.
        frames: of the rendering.
        faces_left_us: frames in which a face is left.
        doubtful_us: frames with a hit that is neither covered nor dismissed, or that cannot be read.
        hits: of both kinds, time and x, y, width, height in pixels of the picture.
        bare_us: frames in which a face does not lie wholly under its mask.
        blanked_us: frames that were painted over wholly.
        undrawn_us: frames in which the method could not draw a face, so that it was painted solid.
        exempt_us: frames in which a face is visible that may be, a robot's.
        checked_by: the detectors that looked, joined by `+`.
        witness: the one of them that had no part in finding the tracks; "" where there was none.
        ends_early_s: how much the source lacks at its end, at least.
        measured: whether privacy was measured.
        why_not: why it was not.
        over: sentences about measures over the study's limit.
        recognized: of these, those that say that drawn faces are still recognized as who they hide.
        figures: what was measured, for the card: name -> value in words.
    """

    number: int
    method: str
    failure: str = ""
    frames: int = 0
    faces_left_us: tuple[int, ...] = ()
    doubtful_us: tuple[int, ...] = ()
    hits: tuple[tuple[int, ...], ...] = ()
    bare_us: tuple[int, ...] = ()
    blanked_us: tuple[int, ...] = ()
    undrawn_us: tuple[int, ...] = ()
    exempt_us: tuple[int, ...] = ()
    checked_by: str = ""
    witness: str = ""
    ends_early_s: float = 0.0
    measured: bool = False
    why_not: str = ""
    over: tuple[str, ...] = ()
    recognized: tuple[str, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)

    def build_blocker(self, rule: str, sentence: str, hint: str, time_us: int | None = None) -> ReleaseBlocker:
        """Return a reason about this recording."""
        return ReleaseBlocker(rule, self.number, time_us, f"Recording {self.number}, {self.method}: {sentence}", hint)

    def location_text(self, time_us: int) -> str:
        """Return where in the picture the first hit of a frame is, to be read after what was found; "" if nowhere."""
        for at, x, y, width, height in self.hits:
            if at == time_us:
                return f", {width} by {height} pixels at x {x}, y {y}"
        return ""


def outcome_blockers(outcomes: Sequence[RenderingCheck]) -> list[ReleaseBlocker]:
    """Return everything that stands in the way and shows only in renderings."""
    found: list[ReleaseBlocker] = []
    for outcome in outcomes:
        if outcome.failure:
            found += check_rendered(outcome)
        else:
            for rule in RENDERING_RULES:
                found += rule(outcome)
    return found


def check_rendered(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `rendered`."""
    yield rendering_check.build_blocker(
        "rendered", rendering_check.failure, "Put right what is named, then release again."
    )


def check_face_left(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `face-left`: a face of score 0.5 or more overlaps a track by an IoU of 0.3 or more, and the method masks."""
    for start, count in _runs(rendering_check.faces_left_us):
        yield rendering_check.build_blocker(
            "face-left",
            f"a face is left at {format_time(start)} ({pluralize(count, 'frame')})"
            f"{rendering_check.location_text(start)}.",
            "Move or enlarge its box on the Faces page, or choose a stronger method.",
            start,
        )


def check_not_recognized(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `not-recognized`: a drawn face is not re-identified as the person whose place it takes."""
    for sentence in rendering_check.recognized:
        yield rendering_check.build_blocker(
            "not-recognized", sentence, "Draw another face, or choose a method that hides."
        )


def check_doubtful_hits(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `doubtful-hits`."""
    for start, count in _runs(rendering_check.doubtful_us):
        yield rendering_check.build_blocker(
            "doubtful-hits",
            f"something at {format_time(start)} looks like a face ({pluralize(count, 'frame')})"
            f"{rendering_check.location_text(start)}.",
            _HINT_LOOK,
            start,
        )


def check_face_under_mask(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `face-under-mask`."""
    for start, count in _runs(rendering_check.bare_us):
        yield rendering_check.build_blocker(
            "face-under-mask",
            f"a face reaches out of its mask at {format_time(start)} ({pluralize(count, 'frame')}).",
            "Enlarge its box on the Faces page.",
            start,
        )


def check_independent_detector(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `independent-check`."""
    if not rendering_check.witness:
        yield rendering_check.build_blocker(
            "independent-check",
            f"it was checked by {rendering_check.checked_by}, which found the tracks too, so it misses the same faces.",
            "Install another detector: greenroom models fetch rfb320",
        )


def check_privacy_measured(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `privacy-measured`."""
    if not rendering_check.measured:
        yield rendering_check.build_blocker(
            "privacy-measured",
            f"its privacy was not measured. {rendering_check.why_not}".strip(),
            "Install what is named, or waive this rule with a reason.",
        )


def check_privacy_limit(rendering_check: RenderingCheck) -> Iterator[ReleaseBlocker]:
    """Rule `privacy-limit`."""
    for sentence in (over for over in rendering_check.over if over not in rendering_check.recognized):
        yield rendering_check.build_blocker(
            "privacy-limit", sentence, "Choose a stronger method, or look at the worst track."
        )


RENDERING_RULES: tuple[Callable[[RenderingCheck], Iterator[ReleaseBlocker]], ...] = (
    check_face_left,
    check_face_under_mask,
    check_not_recognized,
    check_doubtful_hits,
    check_independent_detector,
    check_privacy_measured,
    check_privacy_limit,
)
"""The rules about one rendering."""

_MERGE_GAP_US = 500_000


def _runs(times_us: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield start and number of frames of stretches of times that lie close to each other."""
    start, count, last = 0, 0, 0
    for time_us in sorted(times_us):
        if count and time_us - last <= _MERGE_GAP_US:
            count += 1
        else:
            if count:
                yield start, count
            start, count = time_us, 1
        last = time_us
    if count:
        yield start, count
