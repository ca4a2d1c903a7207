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
from media.exact_frames import FrameReader
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


def test_frames_are_those_of_the_rule_and_exact(seen: Session) -> None:
    place = mark(seen, 1, 7)
    for rule, wanted in (
        ("interior", [25 + i * 150 // 6 for i in range(1, 6)]),
        ("endpoints", [25 + i * 149 // 4 for i in range(5)]),
    ):
        plan = plan_input(seen, place, settings=replace(EXACT, frames=5, rule=rule))
        assert [frame.position for frame in plan.media.frames] == wanted
        pictures = shown(plan)
        assert [number_in(picture.jpeg) for picture in pictures] == wanted
        assert [picture.time_us for picture in pictures] == [at * SECOND // FPS for at in wanted]
        assert [picture.time_label for picture in pictures] == [f"{at / FPS - 1:.2f} s" for at in wanted]
        assert "5 pictures, in order and evenly spaced, come with this, from the moment's 6.0 s. Taken at " in plan.text
        assert [picture.sha256 for picture in shown(plan)] == [picture.sha256 for picture in pictures]
    plan = plan_input(seen, place, settings=replace(EXACT, frames=2, stamps=False))
    assert {picture.time_label for picture in shown(plan)} == {""}
    assert "Taken at" not in plan.text
    plan = plan_input(seen, mark(seen, 2.001, 2.03), settings=EXACT)
    assert [number_in(picture.jpeg) for picture in shown(plan)] == [50]
    assert plan.notes[0] == "The segment has 1 of the 15 frames that were asked for."


@given(st.integers(1, 3000), st.integers(1, 64), st.sampled_from(["interior", "endpoints"]))
def test_positions_lie_inside_ascend_and_are_as_many_as_there_can_be(frames: int, count: int, rule: str) -> None:
    positions = choose_frame_positions(100, 100 + frames, count, rule)
    assert positions == sorted(set(positions))
    assert 100 <= positions[0] <= positions[-1] < 100 + frames
    if frames > count:
        assert len(positions) == count
    if rule == "endpoints" and count > 1:
        assert (positions[0], positions[-1]) == (100, 99 + frames)


def test_frames_are_no_larger_than_wanted_and_have_the_colours_that_are_shown(seen: Session) -> None:
    place = mark(seen, 1, 7)
    small = shown(plan_input(seen, place, settings=InputSettings(frames=1, longest_side=100, quality=20)))[0]
    assert (small.width, small.height) == (100, 76) == picture_in(small.jpeg).shape[1::-1]
    assert shown(plan_input(seen, place, settings=InputSettings(frames=1)))[0].width == SIZE[0], "never enlarged"
    plan = plan_input(seen, place, settings=replace(EXACT, frames=1, quality=100))
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


def test_footage_without_a_picture_all_the_time(tmp_path: Path) -> None:
    clips = [
        make_clip(tmp_path / "late.mp4", size=(320, 240), frames=20, fps=10, picture_offset_us=2_000_000, sound=True),
        make_clip(tmp_path / "vfr.mp4", size=(320, 240), times_us=[0, 40_000, 900_000, 1_000_000, 1_900_000]),
        make_clip(tmp_path / "sound.m4a", picture=False, sound=True, sound_seconds=4),
    ]
    with Session(Study.create(tmp_path / "odd.greenroom"), "Ada") as session:
        made, _ = add_recordings(session, [probe_file(clip) for clip in clips])

        def planned(place: int, start: float, end: float) -> InputPlan:
            where = round(start * SECOND), round(end * SECOND)
            segment, _ = add_segment(session, made[place], *where, "error")
            return plan_input(session, segment, settings=EXACT)

        before = planned(0, 0, 1)
        assert before.media is None
        assert before.notes[0] == "The segment lies where the recording has no picture, so nothing is shown of it."
        assert number_in(shown(planned(0, 1, 2.15))[0].jpeg) == 0
        assert [number_in(picture.jpeg) for picture in shown(planned(1, 0.5, 1.5))] == [1, 2, 3]
        heard = planned(2, 0, 1)
        assert heard.media is None
        assert heard.notes[0] == "The recording has no picture, so nothing is shown of it."


def test_a_file_or_rendering_that_is_gone_or_another_is_not_passed_over(seen: Session, tmp_path: Path) -> None:
    place = mark(seen, 1, 7)
    with pytest.raises(UserError, match="has no rendering “solid”"):
        resolve_condition(seen, recording_of(seen), "solid")
    with pytest.raises(UserError, match="is not rendered in this condition"):
        plan_input(seen, place, condition="gone")
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
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, str]]:
    """Two seconds of footage without faces, and the id of the run that rendered all but the ends of it."""
    with open_seen(tmp_path_factory.mktemp("rendered"), frames=50) as session:
        work = tracking.prepare(session, recording_of(session))
        whole = file_sha256(work.parameters.path)
        tracking.store(session, work, tracked(save_tracks([], cache_folder() / "faces"), 50, source_sha256=whole))
        span = {"start_us": 400_000, "end_us": 1_800_000}
        work = anonymization.prepare(session, recording_of(session), "solid", session.study.folder / "clips", **span)
        _, changes = run_inline(session, work, Silent())
        (run,) = changes.ids("run")
        yield session, run


def test_a_rendering_is_shown_at_the_same_times(lab: tuple[Session, str]) -> None:
    session, run = lab
    place = mark(session, 0.8, 1.6)
    assert resolve_condition(session, recording_of(session), "solid") == run
    _, rendering = conditions(session, recording_of(session))
    assert (rendering.id, rendering.reviewed) == (run, False)
    assert rendering.unreviewed_reason
    raw, plan = (plan_input(session, place, condition=condition, settings=EXACT) for condition in ("raw", run))
    wanted = [20 + i * 20 // 16 for i in range(1, 16)]
    for each in (raw, plan):
        assert [number_in(picture.jpeg) for picture in shown(each)] == wanted
    assert [picture.time_label for picture in shown(plan)] == [picture.time_label for picture in shown(raw)]
    assert (plan.system, plan.text) == (raw.system, raw.text)
    assert key_of(plan) != key_of(raw)
    with pytest.raises(UserError, match="does not cover"):
        plan_input(session, mark(session, 0.2, 1.6), condition=run)


def test_under_a_rendering_every_text_is_scrubbed_also_a_studys_own_prompt(lab: tuple[Session, str]) -> None:
    session, run = lab
    _, user, other = people(session, "P01", "mail@example.org")
    say(session, 0.5, 1, "Write to anna.smith@example.org, please.", user)
    say(session, 1, 2, "Call 030 1234567.", other)
    own = shipped_text("error").replace("Is there such", "Ask bo@example.org. Is there such")
    own = own.replace("You watch how", "Ada, ada@example.org, wrote this. You watch how")
    edit_prompt(session, "error", own.replace('plain = """', 'plain = """\nFor cy@example.org: '))
    place = mark(session, 0.6, 1.75)
    raw, hidden = (plan_input(session, place, "error", condition=text) for text in ("raw", run))
    for personal in ("anna.smith", "1234567", "mail@", "ada@", "bo@", "cy@"):
        assert personal in raw.system + raw.text
        assert personal not in hidden.system + hidden.text
    assert "please." in hidden.text
    assert len(skeleton(hidden.text)) == len(skeleton(raw.text))


def test_a_window_searches_no_texts_itself(lab: tuple[Session, str]) -> None:
    session, run = lab
    place = mark(session, 0.7, 1.8)
    say(session, 1.5, 1.7, "Nobody searched this one.")
    session.patient = False
    with pytest.raises(UserError, match="have not been searched for personal information"):
        plan_input(session, place, condition=run)
    session.patient = True
    assert "Nobody searched this one." in plan_input(session, place, condition=run).text


def test_a_rendering_that_was_changed_is_not_shown(lab: tuple[Session, str]) -> None:
    session, run = lab
    for clip in session.study.folder.glob("clips/*.mp4"):
        clip.write_bytes(clip.read_bytes() + b"x")
    assert [condition.id for condition in conditions(session, recording_of(session))] == ["raw"]
    with pytest.raises(UserError, match="is missing or was changed"):
        plan_input(session, mark(session, 1, 1.8), condition=run)
