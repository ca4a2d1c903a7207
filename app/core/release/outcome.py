"""What came of rendering a recording for a release, and the rules that are judged from it: one function a rule."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from app.core.release.rules import Reason
from project.counted import counted
from project.timebase import format_time
from project.types import Json

_HINT_LOOK = "Look at it on the Faces page: draw the face, or mark the place as nothing."


@dataclass(frozen=True, slots=True)
class Outcome:
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

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        found = asdict(self)
        found["hits"] = [[*one] for one in self.hits]
        return {key: [*value] if isinstance(value, tuple) else value for key, value in found.items()}

    def reason(self, rule: str, sentence: str, hint: str, time_us: int | None = None) -> Reason:
        """Return a reason about this recording."""
        return Reason(rule, self.number, time_us, f"Recording {self.number}, {self.method}: {sentence}", hint)

    def place(self, time_us: int) -> str:
        """Return where in the picture the first hit of a frame is, to be read after what was found; "" if nowhere."""
        for at, x, y, width, height in self.hits:
            if at == time_us:
                return f", {width} by {height} pixels at x {x}, y {y}"
        return ""


def outcome_from(found: Mapping[str, Any]) -> Outcome:
    """Read what `as_json` made."""
    known = {one.name for one in fields(Outcome)}
    values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in found.items() if key in known}
    values["hits"] = tuple(tuple(one) for one in values.get("hits", ()))
    return Outcome(**values)


def reasons_after(outcomes: Sequence[Outcome]) -> list[Reason]:
    """Return everything that stands in the way and shows only in renderings."""
    found: list[Reason] = []
    for one in outcomes:
        if one.failure:
            found += rendered(one)
        else:
            for rule in PER_RENDERING:
                found += rule(one)
    return found


def rendered(one: Outcome) -> Iterator[Reason]:
    """Rule `rendered`."""
    yield one.reason("rendered", one.failure, "Put right what is named, then release again.")


def face_left(one: Outcome) -> Iterator[Reason]:
    """Rule `face-left`: a face of score 0.5 or more overlaps a track by an IoU of 0.3 or more, and the method masks."""
    for start, count in _runs(one.faces_left_us):
        yield one.reason(
            "face-left",
            f"a face is left at {format_time(start)} ({counted(count, 'frame')}){one.place(start)}.",
            "Move or enlarge its box on the Faces page, or choose a stronger method.",
            start,
        )


def not_recognized(one: Outcome) -> Iterator[Reason]:
    """Rule `not-recognized`: a drawn face is not re-identified as the person whose place it takes."""
    for sentence in one.recognized:
        yield one.reason("not-recognized", sentence, "Draw another face, or choose a method that hides.")


def doubtful_hits(one: Outcome) -> Iterator[Reason]:
    """Rule `doubtful-hits`."""
    for start, count in _runs(one.doubtful_us):
        yield one.reason(
            "doubtful-hits",
            f"something at {format_time(start)} looks like a face ({counted(count, 'frame')}){one.place(start)}.",
            _HINT_LOOK,
            start,
        )


def face_under_mask(one: Outcome) -> Iterator[Reason]:
    """Rule `face-under-mask`."""
    for start, count in _runs(one.bare_us):
        yield one.reason(
            "face-under-mask",
            f"a face reaches out of its mask at {format_time(start)} ({counted(count, 'frame')}).",
            "Enlarge its box on the Faces page.",
            start,
        )


def independent_check(one: Outcome) -> Iterator[Reason]:
    """Rule `independent-check`."""
    if not one.witness:
        yield one.reason(
            "independent-check",
            f"it was checked by {one.checked_by}, which found the tracks too, so it misses the same faces.",
            "Install another detector: greenroom models fetch rfb320",
        )


def privacy_measured(one: Outcome) -> Iterator[Reason]:
    """Rule `privacy-measured`."""
    if not one.measured:
        yield one.reason(
            "privacy-measured",
            f"its privacy was not measured. {one.why_not}".strip(),
            "Install what is named, or waive this rule with a reason.",
        )


def privacy_limit(one: Outcome) -> Iterator[Reason]:
    """Rule `privacy-limit`."""
    for sentence in (each for each in one.over if each not in one.recognized):
        yield one.reason("privacy-limit", sentence, "Choose a stronger method, or look at the worst track.")


PER_RENDERING: tuple[Callable[[Outcome], Iterator[Reason]], ...] = (
    face_left,
    face_under_mask,
    not_recognized,
    doubtful_hits,
    independent_check,
    privacy_measured,
    privacy_limit,
)
"""The rules about one rendering."""

_TOGETHER_US = 500_000


def _runs(times_us: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield start and number of frames of stretches of times that lie close to each other."""
    start, count, last = 0, 0, 0
    for time_us in sorted(times_us):
        if count and time_us - last <= _TOGETHER_US:
            count += 1
        else:
            if count:
                yield start, count
            start, count = time_us, 1
        last = time_us
    if count:
        yield start, count
