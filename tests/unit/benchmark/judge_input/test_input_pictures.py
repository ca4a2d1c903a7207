"""What a judge is shown: exact frames, chosen by rule, from the file of its condition, and the keys of requests."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_job as anonymization
from anonymize.faces import face_tracking_job as tracking
from benchmark.disclosure.conditions import conditions, resolve_condition
from benchmark.judge_input.input_plan import InputPlan, InputSettings, build_messages, request_key
from benchmark.judge_input.input_planning import choose_frame_positions, plan_input
from benchmark.prompts.prompt_templates import edit_prompt, shipped_text
from models.faces.track_file import save_tracks
from models.judges.judge_interface import JudgeFrame, SamplingParameters
from project.errors import UserError
from project.files.fingerprints import file_sha256
from project.files.temporary_files import cache_folder
from project.progress import Silent
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip, number_of
from tests.builders.conversation_study import (
    FPS,
    SECOND,
    SIZE,
    mark,
    number_in,
    open_seen,
    people,
    picture_in,
    recording_of,
    say,
)
from tests.builders.job_results import tracked
from tests.builders.skeleton import skeleton

EXACT = InputSettings(longest_side=320)


def shown(plan: InputPlan) -> tuple[JudgeFrame, ...]:
    """Return the pictures of a plan."""
    return build_messages(plan)[1].pictures


def key_of(plan: InputPlan) -> str:
    return request_key(plan, "model", SamplingParameters())


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("interior", [25 + i * 150 // 6 for i in range(1, 6)]),
        ("endpoints", [25 + i * 149 // 4 for i in range(5)]),
    ],
)
def test_frames_are_those_of_the_rule_and_exact(seen: Session, rule: str, wanted: list[int]) -> None:
    plan = plan_input(seen, mark(seen, 1, 7), settings=replace(EXACT, frames=5, rule=rule))
    assert [frame.position for frame in plan.media.frames] == wanted
    pictures = shown(plan)
    assert [number_in(picture.jpeg) for picture in pictures] == wanted
    assert [picture.time_us for picture in pictures] == [at * SECOND // FPS for at in wanted]
    assert [picture.time_label for picture in pictures] == [f"{at / FPS - 1:.2f} s" for at in wanted]
    assert "5 pictures, in order and evenly spaced, come with this, from the moment's 6.0 s. Taken at " in plan.text


@given(st.integers(1, 3000), st.integers(1, 64), st.sampled_from(["interior", "endpoints"]))
def test_positions_lie_inside_ascend_and_are_as_many_as_there_can_be(frames: int, count: int, rule: str) -> None:
    positions = choose_frame_positions(100, 100 + frames, count, rule)
    assert positions == sorted(set(positions))
    assert 100 <= positions[0] <= positions[-1] < 100 + frames
    if frames > count:
        assert len(positions) == count
    if rule == "endpoints" and count > 1:
        assert (positions[0], positions[-1]) == (100, 99 + frames)


def test_positions_are_those_of_a_known_framework() -> None:
    for frames in (15, 16, 17, 100, 601):
        theirs = [*dict.fromkeys(int(i * (frames / 17)) for i in range(1, 17))]
        assert choose_frame_positions(0, frames, 16, "interior") == theirs


def test_a_segment_of_one_frame_has_one_and_without_stamps_no_time_is_told(seen: Session) -> None:
    plan = plan_input(seen, mark(seen, 2.001, 2.03), settings=EXACT)
    assert [number_in(picture.jpeg) for picture in shown(plan)] == [50]
    assert plan.notes[0] == "The segment has 1 of the 15 frames that were asked for."
    assert "One picture comes with this" in plan.text
    plan = plan_input(seen, mark(seen, 1, 7), settings=replace(EXACT, stamps=False))
    assert {picture.time_label for picture in shown(plan)} == {""}
    assert "Taken at" not in plan.text


def test_frames_are_no_larger_than_wanted_and_never_enlarged(seen: Session) -> None:
    place = mark(seen, 1, 7)
    small = shown(plan_input(seen, place, settings=InputSettings(frames=1, longest_side=100)))[0]
    assert (small.width, small.height) == (100, 76) == picture_in(small.jpeg).shape[1::-1]
    assert shown(plan_input(seen, place, settings=InputSettings(frames=1)))[0].width == SIZE[0]
    plans = [plan_input(seen, place, settings=replace(EXACT, frames=1, quality=quality)) for quality in (20, 95)]
    assert len(shown(plans[0])[0].jpeg) < len(shown(plans[1])[0].jpeg)


def test_the_same_plan_gives_the_same_bytes(seen: Session) -> None:
    plan = plan_input(seen, mark(seen, 1, 7))
    assert [picture.sha256 for picture in shown(plan)] == [picture.sha256 for picture in shown(plan)]
    record = plan.as_record(build_messages(plan))
    assert [frame["sha256"] for frame in record["frames"]] == [picture.sha256 for picture in shown(plan)]
    assert record["text"] == plan.text


def test_colours_are_those_that_are_shown(seen: Session) -> None:
    from media.exact_frames import FrameReader

    plan = plan_input(seen, mark(seen, 1, 7), settings=replace(EXACT, frames=1, quality=100))
    with FrameReader(plan.media.path) as reader:
        truth = reader.frame_at(plan.media.frames[0].position).image.astype(int)
    got = picture_in(shown(plan)[0].jpeg).astype(int)
    assert np.abs(truth - got).mean() < 4
    # To RGB and back rounds twice, by a level each time, and JPEG once more; red for blue would be tens of levels off.
    assert np.abs((truth - got).mean(axis=(0, 1))).max() <= 3


def test_a_clip_is_cut_to_the_frame_and_has_no_sound(seen: Session) -> None:
    plan = plan_input(seen, mark(seen, 1, 3), settings=replace(EXACT, clip=True))
    clip = build_messages(plan)[1].clip
    assert (clip.start_us, clip.end_us) == (SECOND, 3 * SECOND)
    with av.open(io.BytesIO(clip.mp4)) as container:
        assert [stream.type for stream in container.streams] == ["video"]
        assert container.streams.video[0].codec_context.name == "h264"
        numbers = [number_of(frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]
    assert numbers == list(range(FPS, 3 * FPS))
    assert "A video without sound comes with this" in plan.text


def test_other_footage(tmp_path: Path) -> None:
    Study.create(tmp_path / "odd.greenroom").close()
    clips = [
        make_clip(tmp_path / "turned.mp4", size=(320, 160), frames=20, rotation=90),
        make_clip(tmp_path / "odd.mp4", size=(161, 121), frames=20, codec="ffv1", container="matroska"),
        make_clip(tmp_path / "late.mp4", size=(320, 240), frames=20, fps=10, picture_offset_us=2_000_000, sound=True),
        make_clip(tmp_path / "vfr.mp4", size=(320, 240), times_us=[0, 40_000, 900_000, 1_000_000, 1_900_000]),
        make_clip(tmp_path / "sound.m4a", picture=False, sound=True, sound_seconds=4),
    ]
    with Session.open(tmp_path / "odd.greenroom", "Ada") as session:
        made, _ = add_recordings(session, [probe_file(clip) for clip in clips])

        def planned(place: int, start: float, end: float) -> InputPlan:
            where = round(start * SECOND), round(end * SECOND)
            segment, _ = add_segment(session, made[place], *where, "error")
            return plan_input(session, segment, settings=EXACT)

        upright = shown(planned(0, 0, 0.5))[3]
        assert picture_in(upright.jpeg).shape[:2] == (320, 160)
        assert number_in(upright.jpeg) == 3
        assert picture_in(shown(planned(1, 0, 0.5))[0].jpeg).shape[:2] == (120, 160)
        before = planned(2, 0, 1)
        assert before.media is None
        assert before.notes[0] == "The segment lies where the recording has no picture, so nothing is shown of it."
        assert number_in(shown(planned(2, 1, 2.15))[0].jpeg) == 0
        assert [number_in(picture.jpeg) for picture in shown(planned(3, 0.5, 1.5))] == [1, 2, 3]
        heard = planned(4, 0, 1)
        assert heard.media is None
        assert heard.notes[0] == "The recording has no picture, so nothing is shown of it."


def test_a_file_that_is_gone_or_another_is_not_passed_over(seen: Session, tmp_path: Path) -> None:
    place = mark(seen, 1, 7)
    plan = plan_input(seen, place)
    clip = tmp_path / "walk.mp4"
    content = clip.read_bytes()
    clip.write_bytes(content + b"more")
    with pytest.raises(UserError, match="changed since the request was planned"):
        build_messages(plan)
    with pytest.raises(UserError, match="is not the one that was added"):
        plan_input(seen, place)
    clip.unlink()
    with pytest.raises(UserError, match="missing"):
        plan_input(seen, place)
    assert plan_input(seen, place, settings=InputSettings(frames=0)).media is None


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, str, str]]:
    """Two seconds of footage without faces, and the ids of the runs that rendered all and a part of it."""
    with open_seen(tmp_path_factory.mktemp("rendered"), frames=50) as session:
        work = tracking.prepare(session, recording_of(session))
        whole = file_sha256(work.parameters.path)
        tracking.store(session, work, tracked(save_tracks([], cache_folder() / "faces"), 50, source_sha256=whole))
        whole, part = rendered(session), rendered(session, start_us=400_000, end_us=1_800_000)
        yield session, whole, part


def rendered(session: Session, **span: int) -> str:
    """Render the recording with faces painted over, beside the study; returns the run's id."""
    folder = session.study.folder / f"clips-{len(list(session.study.folder.iterdir()))}"
    work = anonymization.prepare(session, recording_of(session), "solid", folder, **span)
    _, changes = run_inline(session, work, Silent())
    (run,) = changes.ids("run")
    return run


def test_a_rendering_is_shown_at_the_same_times(lab: tuple[Session, str, str]) -> None:
    session, whole, part = lab
    place = mark(session, 0.8, 1.6)
    assert resolve_condition(session, recording_of(session), "solid") == part
    assert [condition.id for condition in conditions(session, recording_of(session))] == ["raw", part, whole]
    raw = plan_input(session, place, settings=EXACT)
    wanted = [number_in(picture.jpeg) for picture in shown(raw)]
    assert wanted == [20 + i * 20 // 16 for i in range(1, 16)]
    for run in (whole, part):
        plan = plan_input(session, place, condition=run, settings=EXACT)
        assert [number_in(picture.jpeg) for picture in shown(plan)] == wanted
        assert [picture.time_label for picture in shown(plan)] == [picture.time_label for picture in shown(raw)]
        assert (plan.system, plan.text) == (raw.system, raw.text)
        assert key_of(plan) != key_of(raw)
    with pytest.raises(UserError, match="does not reach over"):
        plan_input(session, mark(session, 0.2, 1.6), condition=part)
    only = conditions(session, recording_of(session))[1]
    assert not only.reviewed
    assert only.unreviewed_reason


def test_a_rendering_that_is_not_there_is_no_condition(seen: Session) -> None:
    with pytest.raises(UserError, match="has no rendering “solid”"):
        resolve_condition(seen, recording_of(seen), "solid")
    with pytest.raises(UserError, match="no such rendering"):
        plan_input(seen, mark(seen, 1, 2), condition="gone")
    assert [condition.id for condition in conditions(seen, recording_of(seen))] == ["raw"]


def test_under_a_rendering_every_text_is_scrubbed(lab: tuple[Session, str, str]) -> None:
    session, whole, _ = lab
    _, user, other = people(session, "P01", "mail@example.org")
    say(session, 0.5, 1, "Write to anna.smith@example.org, please.", user)
    say(session, 1, 2, "Call 030 1234567.", other)
    place = mark(session, 0.6, 1.9)
    raw, hidden = (plan_input(session, place, condition=text) for text in ("raw", whole))
    for personal in ("anna.smith@example.org", "1234567", "mail@example.org"):
        assert personal in raw.text
        assert personal not in hidden.text
        assert personal not in hidden.system
    assert "please." in hidden.text
    assert skeleton(hidden.text) == skeleton(raw.text)


def test_a_studys_own_prompt_is_scrubbed_too(lab: tuple[Session, str, str]) -> None:
    session, whole, _ = lab
    place = mark(session, 0.8, 1.9)
    own = shipped_text("error").replace("Is there such", "Ask bo@example.org. Is there such")
    own = own.replace("You watch how", "Ada, ada@example.org, wrote this. You watch how")
    edit_prompt(session, "error", own.replace('plain = """', 'plain = """\nFor cy@example.org: '))
    raw, hidden = (plan_input(session, place, "error", condition=text) for text in ("raw", whole))
    assert all(f"{name}@example.org" in raw.system + raw.text for name in ("ada", "bo", "cy"))
    assert "@example.org" not in hidden.system + hidden.text
    assert len(skeleton(hidden.text)) == len(skeleton(raw.text))


def test_a_window_searches_no_texts_itself(lab: tuple[Session, str, str]) -> None:
    session, whole, _ = lab
    place = mark(session, 0.7, 1.8)
    say(session, 1.5, 1.7, "Nobody searched this one.")
    session.patient = False
    with pytest.raises(UserError, match="were not searched for personal information"):
        plan_input(session, place, condition=whole)
    session.patient = True
    assert "Nobody searched this one." in plan_input(session, place, condition=whole).text


def test_a_rendering_that_was_changed_is_not_shown(lab: tuple[Session, str, str]) -> None:
    session, whole, _ = lab
    for clip in session.study.folder.glob("clips-*/*.mp4"):
        clip.write_bytes(clip.read_bytes() + b"x")
    assert [condition.id for condition in conditions(session, recording_of(session))] == ["raw"]
    with pytest.raises(UserError, match="was changed since it was made"):
        plan_input(session, mark(session, 1, 1.8), condition=whole)
