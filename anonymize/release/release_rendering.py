"""Renders a recording for a release, or reuses an earlier rendering, checks it, and measures its privacy.

The rules that show in a rendering only are here: one function a rule.
"""

import hashlib
import hmac
import json
import shutil
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from anonymize.faces.masking_plan import (
    MaskingParameters,
    build_render_plan,
    rendering_key,
    source_changed_error,
    verify_source,
    weights_digests,
    working_folder,
)
from anonymize.measures.frame_measures import Stranger
from anonymize.measures.privacy_report import FIGURES, MeasureInfo, PrivacyReport
from anonymize.privacy.privacy_job import measure_rendering
from anonymize.privacy.privacy_limits import PrivacyLimits, exceeded_limits, format_value, unmeasured_limits
from anonymize.release.release_plan import keyed_checksum
from anonymize.release.release_rules import ReleaseBlocker
from project.codec import dump, load
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import FaceTrack, Json
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.files.fingerprints import WholeFile, file_sha256, hash_whole_file
from project.files.temporary_files import cache_folder, sweep_caches
from project.progress import Progress
from project.text_format import pluralize
from project.timebase import format_time, merge_spans

if TYPE_CHECKING:
    from anonymize.rendering.face_renderer import RenderPlan, RenderResult


_AREA_REACH = 0.9
"""Reach of an area over a face, in box sizes from its middle: further than any ellipse over it."""
_MAX_HITS = 1000
"""The most hits that are stored, the first ones."""
_CLIP, _FACTS, _SEAL = "clip.mp4", "facts.json", "seal"


_HINT_LOOK = "Look at it on the Faces page: draw the face, or mark the place as nothing."


@dataclass(frozen=True, slots=True)
class RenderingCheck:
    """What was rendered, and what a look at the rendering found. Times are microseconds on the recording's axis.

    Attributes:
        number: of the recording.
        method: how faces were hidden.
        mask_state: the state of the masks that was rendered.
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
    mask_state: str = ""
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
        return ReleaseBlocker(rule, f"Recording {self.number}, {self.method}: {sentence}", hint, self.number, time_us)

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
            "Install another detector: greenroom model fetch rfb320",
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
    times = sorted(times_us)
    for start, end in merge_spans(((time_us, time_us) for time_us in times), _MERGE_GAP_US):
        yield start, bisect_right(times, end) - bisect_left(times, start)


@dataclass(frozen=True, kw_only=True)
class RenderingParameters(MaskingParameters):
    """How a recording is rendered, checked and measured for a release.

    Attributes:
        id: of the recording.
        number: of the recording.
        painted: ids of faces that are painted solid whatever the method.
        strangers: people of other recordings.
    """

    id: str
    number: int
    painted: tuple[str, ...]
    strangers: tuple[Stranger, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseRendering:
    """A rendering that was looked at.

    Attributes:
        clip: without sound, on the recording's axis but for `zero_us`; belongs to the cache.
        zero_us: where the clip's zero lies on the recording's axis.
        plan: what was rendered.
        outcome: what came of it, as far as rendering and check tell.
        weights: sha256 of each of the weights that the method needs.
        checked_file: the clip as it was read whole before it was looked at.
        source: the recording's file, as it was read whole before it was rendered.
    """

    clip: Path
    zero_us: int
    plan: "RenderPlan"
    outcome: RenderingCheck
    weights: Mapping[str, str]
    checked_file: WholeFile
    source: WholeFile


def render_and_check(parameters: RenderingParameters, key: str, progress: Progress) -> ReleaseRendering:
    """Render one recording by one method and check it.

    A rendering stays in the cache until a release that holds it is written, or for a fortnight after its last use.
    So a release that is refused for something else need not render again. What is known about it is sealed with the
    study's own secret: a clip that was put into the cache by anybody else is not taken for a rendering.
    """
    from anonymize.rendering.face_renderer import find_uncovered_frames, render
    from anonymize.rendering.residual_faces import ResidualFaceStatus, check_rendering
    from media.frame_index import load_index
    from models.faces.face_detectors import create_detector

    source = verify_source(parameters, progress)
    digests = weights_digests(parameters.method)
    folder = _folder(rendering_key(parameters, digests), parameters)
    plan = add_solid_areas(build_render_plan(parameters, folder / _CLIP), parameters.painted)
    done = _read_rendering(folder, key)
    if done is None:
        with working_folder(parameters, digests) as cache:
            done = render(replace(plan, cache=cache, overwrite=True, sound="none"), progress)
        source.require_unchanged()
        facts = dump(done)
        (folder / _FACTS).write_text(json.dumps({**facts, _SEAL: _seal(folder, key, facts)}), "utf-8")
    looked_at = hash_whole_file(folder / _CLIP)
    found = check_rendering(
        folder / _CLIP,
        plan.tracks,
        create_detector(parameters.detector),
        exempt=plan.exempt,
        replaced=plan.method.kind == "face",
        regions=[*parameters.regions, *(area for area in plan.areas if area not in parameters.regions)],
        source=load_index(plan.source, cache_folder()).canvas,
        start_us=done.start_us,
        progress=progress,
    )
    if found.frames != done.frames or looked_at.sha256 != done.sha256:
        raise UserError("A rendering in the cache is damaged.", "Make the release again; the rendering is repeated.")
    outcome = RenderingCheck(
        parameters.number,
        plan.method.name,
        parameters.mask_state,
        frames=found.frames,
        faces_left_us=tuple(found.faces_left),
        doubtful_us=tuple(found.doubtful),
        hits=tuple(
            (hit.time_us, *(round(side) for side in hit.box))
            for hit in found.hits
            if hit.finding in (ResidualFaceStatus.FACE_LEFT, ResidualFaceStatus.DOUBTFUL)
        )[:_MAX_HITS],
        bare_us=tuple(find_uncovered_frames(plan)),
        blanked_us=done.blanked_us,
        undrawn_us=done.undrawn_us,
        exempt_us=tuple(found.exempt),
        checked_by=parameters.detector,
        witness=parameters.witness,
        ends_early_s=parameters.ends_early_s,
    )
    return ReleaseRendering(folder / _CLIP, done.start_us, plan, outcome, digests, looked_at, source)


def add_solid_areas(plan: "RenderPlan", painted: Sequence[str]) -> "RenderPlan":
    """Return a plan in which some faces are painted solid after the method was there: an area lies over each."""
    over = [area for track in plan.tracks if track.id in painted and (area := _solid_area(track)) is not None]
    return replace(plan, areas=[*plan.areas, *over], exempt=plan.exempt - set(painted))


def require_unchanged(rendering: ReleaseRendering) -> None:
    """Refuse a clip that is not the one that was rendered and looked at, or was another one meanwhile."""
    try:
        rendering.checked_file.require_unchanged()
        same = file_sha256(rendering.clip) == rendering.checked_file.sha256
    except (OSError, UserError):
        same = False
    if not same:
        raise UserError(
            f"The rendering of recording {rendering.outcome.number} was changed in the cache during the check.",
            "Make the release again; the rendering is repeated.",
        )


def require_source_unchanged(rendering: ReleaseRendering, progress: Progress) -> None:
    """Read the recording's file once more, all of it, and refuse one that somebody touched since it was rendered."""
    rendering.source.require_unchanged()
    if hash_whole_file(rendering.source.path, progress, again=True).sha256 != rendering.source.sha256:
        raise source_changed_error(rendering.source.path.name)
    rendering.source.require_unchanged()


def delete_renderings(renderings: Sequence[ReleaseRendering]) -> None:
    """Remove renderings from the cache: a release holds what is needed of them."""
    for rendering in renderings:
        shutil.rmtree(rendering.clip.parent, ignore_errors=True)


def _solid_area(track: FaceTrack) -> Region | None:
    if track.dismissed or not len(track.frames):
        return None
    keyframes = []
    for time_us, (x, y, width, height) in zip(track.times_us.tolist(), track.boxes.tolist(), strict=True):
        left, top = int(x + width / 2 - _AREA_REACH * width), int(y + height / 2 - _AREA_REACH * height)
        keyframes.append(
            Keyframe(time_us, left, top, round(2 * _AREA_REACH * width) + 1, round(2 * _AREA_REACH * height) + 1)
        )
    step = int(np.diff(track.times_us).max()) if len(track.times_us) > 1 else 100_000
    span = max(0, keyframes[0].time_us - step), keyframes[-1].time_us + 2 * step
    return Region(track.id, "", RegionKind.AREA, "", *span, tuple(keyframes))


def _folder(key: str, parameters: RenderingParameters) -> Path:
    """Return the folder of one rendering, made where it is missing."""
    base = cache_folder() / "releases"
    sweep_caches("releases")
    plain = dump(parameters)
    more = json.dumps([plain["regions"], plain["painted"]], sort_keys=True)
    folder = base / hashlib.sha256(f"{key} {more}".encode()).hexdigest()[:32]
    with explain_os_errors(f"The rendering cannot be kept in {base}", "Name another cache folder in XDG_CACHE_HOME."):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _read_rendering(folder: Path, key: str) -> "RenderResult | None":
    """Return what is known about the rendering that lies in a folder; None where there is none, or another clip."""
    from anonymize.rendering.face_renderer import RenderResult

    try:
        found = json.loads((folder / _FACTS).read_text("utf-8"))
        seal = str(found.pop(_SEAL, ""))
        whole = hmac.compare_digest(seal.encode(), _seal(folder, key, found).encode())
        done = load(RenderResult, found, _FACTS)
        return done if whole and done.sha256 == file_sha256(folder / _CLIP) else None
    except (OSError, ValueError, AttributeError, UserError):
        return None


def _seal(folder: Path, key: str, facts: Mapping[str, Json]) -> str:
    """Return what only who has the key can write beside a rendering; the folder's name tells how it was made."""
    return keyed_checksum(key, json.dumps([folder.name, facts], sort_keys=True))


_UNLIMITED = 1_000_000


def measure_outcome(
    rendering: ReleaseRendering, parameters: RenderingParameters, limits: PrivacyLimits, progress: Progress
) -> RenderingCheck:
    """Return the outcome of a rendering with what was measured in it.

    Where no face is hidden, there is nothing to measure.
    """
    plan, outcome = rendering.plan, rendering.outcome
    if not any(len(track.frames) and not track.dismissed and track.id not in plan.exempt for track in plan.tracks):
        return replace(outcome, measured=True, figures={"Faces": "none to hide"})
    others = {area.id for area in plan.areas}
    report = measure_rendering(
        plan,
        rendering.clip,
        plan.method.name,
        tracked_by=parameters.tracked_by,
        regions=[*plan.areas, *(region for region in parameters.regions if region.id not in others)],
        blanked_us=outcome.blanked_us,
        strangers=parameters.strangers,
        progress=progress,
    )
    return add_measures(outcome, report, limits, drawn=plan.method.kind == "face")


def add_measures(
    outcome: RenderingCheck, report: PrivacyReport, limits: PrivacyLimits, *, drawn: bool
) -> RenderingCheck:
    """Return an outcome with what was measured in its rendering."""
    missing = unmeasured_limits(report)
    alone = replace(limits, worst_track=1.0, leak_frames=_UNLIMITED, detected=1.0)
    return replace(
        outcome,
        measured=not missing,
        why_not=" ".join(missing),
        over=tuple(exceeded_limits(report, limits)),
        recognized=tuple(exceeded_limits(report, alone)) if drawn else (),
        figures=_format_figures(report),
    )


def _format_figures(report: PrivacyReport) -> dict[str, str]:
    """Return what was measured, in words, for the data card."""
    figures = [(about, report.figure(key)) for key, about in FIGURES.items()]
    for attack in report.attacks:
        name = f"Re-identified at FAR 1e-2, {attack.kind} attacker, {attack.embedder}"
        figures.append((MeasureInfo(name, "share"), attack.rates[0]))
    return {about.name: format_value(about, figure) for about, figure in figures if figure.value is not None}
