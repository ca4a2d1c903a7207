"""Measuring whole renderings whose answer is known."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anonymize.measures.frame_measures import Stranger, Tools
from anonymize.measures.frame_observation import MeasuredRendering, MeasureOptions
from anonymize.measures.measurement import measure_privacy
from anonymize.measures.privacy_report import NAIVE, PARROT, RAW, PrivacyReport
from anonymize.methods.blur import Blur
from anonymize.methods.face_methods import create_method
from anonymize.methods.pixelate import Pixelate
from anonymize.methods.solid import Solid
from anonymize.rendering.face_renderer import RenderPlan, render
from models.faces.face_detectors import create_detector
from models.faces.identity.face_embeddings import create_face_embedder
from models.weights import installed_weights as weights
from project.codec import dump, load
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.errors import UserError
from tests.builders import measured_world as world
from tools.bench.privacy import embed, hidden, rates, stills

TOOLS = Tools(
    detector=world.Eyes(),
    independent=True,
    embedders=(world.Foreheads(),),
    landmarks=world.Points(),
    driver=world.Points(),
    flow=world.Still(),
)
EVERY = MeasureOptions(looks_per_second=25)
FEW = MeasureOptions(looks_per_second=25, most_looks=10)
NAMES = {"track 0": "Ada", "track 1": "Bo"}


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.clip(tmp_path_factory.mktemp("raw") / "raw.mp4")


def subject(source: Path, clip: Path, name: str = "solid") -> MeasuredRendering:
    return MeasuredRendering(source, clip, 0, world.tracks(), name, identities=NAMES, named=frozenset(NAMES))


def value(report: PrivacyReport, key: str) -> float:
    return report.figure(key).value


@pytest.fixture(scope="module")
def untouched(raw: Path) -> PrivacyReport:
    copy = shutil.copy(raw, raw.with_name("copy.mp4"))
    return measure_privacy(subject(raw, Path(copy)), TOOLS, EVERY)


def test_a_copy_hides_nothing_and_loses_nothing(untouched: PrivacyReport) -> None:
    naive, before = untouched.strongest_attack(NAIVE), untouched.strongest_attack(RAW)
    assert naive.rates[0].value == before.rates[0].value == 1.0
    assert naive.rank_one.value == 1.0
    assert naive.worst.value == 1.0
    assert naive.chance.value == 0
    assert value(untouched, "detected") == value(untouched, "detected_in_source") == 1.0
    assert value(untouched, "nme") == 0
    assert value(untouched, "mouth") == pytest.approx(1)
    assert value(untouched, "mouth_in_source") == pytest.approx(1)
    assert value(untouched, "lag_s") == 0
    assert value(untouched, "warp") == pytest.approx(1)
    for angle in ("yaw", "pitch", "roll"):
        assert value(untouched, angle) == pytest.approx(0)
    assert value(untouched, "identity_variance") == pytest.approx(value(untouched, "identity_variance_in_source"))
    assert untouched.frames == untouched.looks == world.FRAMES
    assert untouched.faces == 2 * world.FRAMES


@pytest.fixture(scope="module")
def solid(raw: Path) -> PrivacyReport:
    target = raw.with_name("solid.mp4")
    render(RenderPlan(raw, target, world.tracks(), world.FRAMES, create_method("solid")))
    return measure_privacy(subject(raw, target), TOOLS, EVERY)


def test_a_solid_mask_leaves_nobody_and_nothing_to_measure(solid: PrivacyReport) -> None:
    naive = solid.strongest_attack(NAIVE)
    assert naive.worst.value == naive.worst_chance.value
    assert naive.rates[0].value == naive.chance.value, "grey is taken for either, whoever is behind it"
    assert value(solid, "detected") == 0
    assert value(solid, "coverage") == 1
    assert value(solid, "leak_frames") == 0
    assert value(solid, "landmarks_found") == 0
    for key in ("nme", "mouth", "yaw"):
        assert solid.figure(key).value is None
        assert solid.figure(key).note
    assert solid.leaks_us == ()


def test_swapped_people_are_taken_for_each_other(raw: Path, tmp_path: Path) -> None:
    other = world.clip(tmp_path / "swapped.mp4", people=(1, 0))
    report = measure_privacy(replace(subject(raw, other), replaces=True), TOOLS, EVERY)
    naive, parrot = report.strongest_attack(NAIVE), report.strongest_attack(PARROT)
    assert naive.rates[0].value <= 0.02
    assert naive.chance.value == pytest.approx(1), "each is taken for the other"
    assert naive.rank_one.value == 0
    assert parrot.rank_one.value == 1, "who swaps the gallery too knows them again"
    assert any("parrot" in note for note in report.notes)
    assert value(report, "detected") == 1
    assert value(report, "mouth") > 0.99


def test_a_face_on_no_track_leaks(raw: Path) -> None:
    rendering = replace(subject(raw, raw), tracks=world.tracks((0,)))
    report = measure_privacy(rendering, Tools(detector=world.Eyes()), EVERY)
    assert value(report, "leak_frames") == world.FRAMES
    assert value(report, "leak_longest_s") == pytest.approx(world.FRAMES / world.FPS)
    assert value(report, "coverage") == pytest.approx(0.5)
    assert report.worst_us == report.leaks_us[0] == 0
    assert any("on no track" in note for note in report.notes)


def over_bo(kind: RegionKind) -> Region:
    last = world.FRAMES - 1
    keys = (
        Keyframe(round(frame * 1e6 / world.FPS), *world.place(1, frame), world.SIDE, world.SIDE) for frame in (0, last)
    )
    return Region("region", "recording", kind, "", 0, 10_000_000, tuple(keys))


@pytest.mark.parametrize("kind", [RegionKind.AREA, RegionKind.NOTHING])
def test_painted_areas_and_what_a_reviewer_called_nothing_leak_nothing(kind: RegionKind, raw: Path) -> None:
    rendering = replace(subject(raw, raw), tracks=world.tracks((0,)), regions=(over_bo(kind),))
    assert measure_privacy(rendering, Tools(detector=world.Eyes()), FEW).leaks_us == ()


def test_nobody_else_means_no_threshold_but_people_of_other_recordings_help(raw: Path) -> None:
    rendering = replace(subject(raw, raw), tracks=world.tracks((0,)), regions=(over_bo(RegionKind.NOTHING),))
    alone = measure_privacy(rendering, TOOLS, FEW).strongest_attack(NAIVE)
    assert alone.rates[0].value is None
    assert alone.rates[0].note
    boxes = world.tracks()[1].boxes
    strangers = [Stranger(f"P{k}", raw, (k, k + 1), boxes[k : k + 2]) for k in range(3)]
    helped = measure_privacy(rendering, TOOLS, EVERY, strangers).strongest_attack(NAIVE)
    assert helped.people == 3
    assert helped.rates[0].value == 1.0


def test_a_part_of_a_recording_is_compared_with_that_part(raw: Path, tmp_path: Path) -> None:
    target = tmp_path / "part.mp4"
    whole = RenderPlan(raw, target, world.tracks(), world.FRAMES, create_method("solid"))
    done = render(replace(whole, start_us=800_000, end_us=1_600_000))
    report = measure_privacy(replace(subject(raw, target), start_us=done.start_us), TOOLS, EVERY)
    assert report.frames == 20
    assert value(report, "detected_in_source") == 1
    assert 800_000 <= report.worst_us < 1_600_000


def test_the_clip_of_another_recording_is_refused(raw: Path, tmp_path: Path) -> None:
    longer = world.clip(tmp_path / "longer.mp4", frames=world.FRAMES + 5)
    with pytest.raises(UserError, match="not a rendering of this recording"):
        measure_privacy(subject(raw, longer), TOOLS, EVERY)


def test_the_report_goes_through_json_and_holds_no_file_and_no_vector(untouched: PrivacyReport, raw: Path) -> None:
    text = json.dumps(dump(untouched), allow_nan=False)
    assert load(PrivacyReport, json.loads(text), "it") == untouched
    assert untouched.tracks[0].track_id == "track 0"
    assert raw.name not in text
    assert str(raw.parent) not in text
    assert len(text) < 30_000
    assert np.sum(untouched.scores.counts["genuine"]) == untouched.faces


@pytest.mark.soak
def test_eight_people_are_known_again_in_sharp_pictures_and_not_in_hidden_ones(
    shared_data: Path, shared_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    model = create_face_embedder("mobilefacenet")
    found = stills(shared_data / "stills" / "bbt", create_detector("yunet"))
    raw = embed(found, [still.image for still in found], model)
    clear = rates(found, raw, raw)
    assert clear.pairs == 80
    assert clear.naive > 0.95
    for method in (Solid(), Blur(), Pixelate()):
        got = rates(found, raw, embed(found, [hidden(still, method) for still in found], model))
        assert got.naive <= 0.02, method.name
        assert 0.3 < got.parrot_error < 0.7, method.name
