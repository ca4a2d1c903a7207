"""Renders a recording for a release, or reuses an earlier rendering, checks it, and measures its privacy."""

import hashlib
import hmac
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

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
from anonymize.privacy.privacy_job import measure_rendering
from anonymize.privacy.privacy_limits import PrivacyLimits, exceeded_limits, unmeasured_limits
from anonymize.release.release_plan import keyed_checksum
from anonymize.release.release_rules import RenderingCheck
from project.codec import dump
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import FaceTrack, Json
from project.errors import UserError
from project.files.fingerprints import WholeFile, file_sha256, hash_whole_file
from project.files.temporary_files import cache_folder, sweep_caches
from project.progress import Progress
from project.text_format import format_percent

if TYPE_CHECKING:
    from anonymize.measures.privacy_report import PrivacyReport
    from anonymize.rendering.face_renderer import RenderPlan


_AREA_REACH = 0.9
"""Reach of an area over a face, in box sizes from its middle: further than any ellipse over it."""
_MAX_HITS = 1000
"""The most hits that are stored, the first ones."""
_CLIP, _FACTS, _SEAL = "clip.mp4", "facts.json", "seal"


@dataclass(frozen=True, kw_only=True)
class RenderingParameters(MaskingParameters):
    """How a recording is rendered, checked and measured for a release.

    Attributes:
        id: of the recording.
        number: of the recording.
        painted: ids of faces that are painted solid whatever the method.
        detector: that looks for faces in the rendering, joined by `+`.
        witness: the one of these that had no part in finding the tracks; "" where there is none.
        strangers: people of other recordings.
    """

    id: str
    number: int
    painted: tuple[str, ...]
    detector: str
    witness: str
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

    Args:
        parameters: of the recording.
        key: of the study's releases.
        progress: told.

    Raises:
        Cancelled: the user stopped it.
    """
    from anonymize.rendering.face_renderer import find_uncovered_frames, render
    from anonymize.rendering.residual_faces import ResidualFaceStatus, check_rendering
    from media.frame_index import load_index
    from models.faces.face_detectors import create_detector

    source = verify_source(parameters, progress)
    digests = weights_digests(parameters.method)
    folder = _folder(rendering_key(parameters, digests), parameters)
    plan = add_solid_areas(build_render_plan(parameters, folder / _CLIP), parameters.painted)
    facts = _facts(folder, key)
    if facts is None:
        with working_folder(parameters, digests) as cache:
            done = render(replace(plan, cache=cache, overwrite=True, sound="none"), progress)
        source.require_unchanged()
        facts = {
            "frames": done.frames,
            "zero_us": done.start_us,
            "blanked_us": [*done.blanked_us],
            "undrawn_us": [*done.undrawn_us],
            "sha256": done.sha256,
        }
        (folder / _FACTS).write_text(json.dumps({**facts, _SEAL: _seal(folder, key, facts)}), "utf-8")
    looked_at = hash_whole_file(folder / _CLIP)
    zero_us = cast(int, facts["zero_us"])
    found = check_rendering(
        folder / _CLIP,
        plan.tracks,
        create_detector(parameters.detector),
        exempt=plan.exempt,
        replaced=plan.method.kind == "face",
        regions=[*parameters.regions, *(area for area in plan.areas if area not in parameters.regions)],
        source=load_index(plan.source, cache_folder()).canvas,
        start_us=zero_us,
        progress=progress,
    )
    if found.frames != facts["frames"] or looked_at.sha256 != facts["sha256"]:
        raise UserError("A rendering in the cache is damaged.", "Release again: it is rendered anew.")
    outcome = RenderingCheck(
        parameters.number,
        plan.method.name,
        frames=found.frames,
        faces_left_us=tuple(found.faces_left),
        doubtful_us=tuple(found.doubtful),
        hits=tuple(
            (hit.time_us, *(round(side) for side in hit.box))
            for hit in found.hits
            if hit.finding in (ResidualFaceStatus.FACE_LEFT, ResidualFaceStatus.DOUBTFUL)
        )[:_MAX_HITS],
        bare_us=tuple(find_uncovered_frames(plan)),
        blanked_us=tuple(cast(list[int], facts["blanked_us"])),
        undrawn_us=tuple(cast(list[int], facts["undrawn_us"])),
        exempt_us=tuple(found.exempt),
        checked_by=parameters.detector,
        witness=parameters.witness,
        ends_early_s=parameters.ends_early_s,
    )
    return ReleaseRendering(folder / _CLIP, zero_us, plan, outcome, digests, looked_at, source)


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
            f"The rendering of recording {rendering.outcome.number} was changed in the cache while it was checked.",
            "Release again: it is rendered anew.",
        )


def require_source_unchanged(rendering: ReleaseRendering, progress: Progress) -> None:
    """Read the recording's file once more, all of it, and refuse one that somebody touched since it was rendered.

    Raises:
        Cancelled: the user stopped it.
    """
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
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"The rendering cannot be kept in {base}: {error.strerror}.", "Name another cache folder: XDG_CACHE_HOME."
        ) from None
    return folder


def _facts(folder: Path, key: str) -> dict[str, Json] | None:
    """Return what is known about the rendering that lies in a folder; None where there is none, or another clip."""
    try:
        found = cast(dict[str, Json], json.loads((folder / _FACTS).read_text("utf-8")))
        seal = str(found.pop(_SEAL, ""))
        whole = hmac.compare_digest(seal.encode(), _seal(folder, key, found).encode())
        return found if whole and found.get("sha256") == file_sha256(folder / _CLIP) else None
    except (OSError, ValueError, AttributeError):
        return None


def _seal(folder: Path, key: str, facts: Mapping[str, Json]) -> str:
    """Return what only who has the key can write beside a rendering; the folder's name tells how it was made."""
    return keyed_checksum(key, json.dumps([folder.name, facts], sort_keys=True))


_MIN_SHOWN = 1e-3
_UNLIMITED = 1_000_000


def measure_outcome(
    rendering: ReleaseRendering, parameters: RenderingParameters, limits: PrivacyLimits, progress: Progress
) -> RenderingCheck:
    """Return the outcome of a rendering with what was measured in it.

    Where no face is hidden, there is nothing to measure.

    Raises:
        Cancelled: the user stopped it.
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
    outcome: RenderingCheck, report: "PrivacyReport", limits: PrivacyLimits, *, drawn: bool
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
        figures=format_figures(report),
    )


def format_figures(report: "PrivacyReport") -> dict[str, str]:
    """Return what was measured, in words, for the data card."""
    from anonymize.measures.privacy_report import FIGURES

    found = {about.name: _format_figure(report.figure(key).value, about.unit) for key, about in FIGURES.items()}
    for attack in report.attacks:
        rate = attack.rates[0].value
        found[f"Re-identified at FAR 1e-2, {attack.kind} attacker, {attack.embedder}"] = _format_figure(rate, "share")
    return {name: text for name, text in found.items() if text}


def _format_figure(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "share":
        return format_percent(value)
    return f"{value:.0f}" if float(value).is_integer() and abs(value) >= _MIN_SHOWN else f"{value:.3g} {unit}".strip()
