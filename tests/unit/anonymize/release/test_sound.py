"""The sound of a release: who is muted, what is covered, and that the check hears whatever is wrong."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anonymize.pii_detection.pii_hit import PiiMatch
from anonymize.pii_review.review_hits import SpokenHit
from anonymize.release.release_plan import ReleasePlan
from anonymize.release.release_sound import (
    AudioTreatment,
    Speech,
    find_sound_problems,
    plan_audio_treatment,
    with_seeds,
)
from anonymize.sound.sound_plan import Treatments, sound_filter
from anonymize.sound.voice_stream import VoiceSpan
from media.clip_writer import paint_clip
from media.sound import Samples, SoundFilter
from media.soundtrack import copy_with_sound
from project.codec import dump, load
from project.entities.study_records import Participant, ParticipantRole, Run, Utterance
from tests.builders.clips import make_clip, make_sound_tracks, tone

SECONDS = 3
KEY = "0" * 64
HIT = PiiMatch(0, 4, "person", "Anna", 1.0, "rule")
PEOPLE = (Participant("a", "P01", ParticipantRole.USER, ""), Participant("b", "P02", ParticipantRole.BYSTANDER, ""))
RUN = Run("r", "1", "speech", "silero", {}, {}, "2026-01-01T00:00:00.000Z", "1")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    made = make_clip(folder / "a.mp4", size=(64, 48), frames=SECONDS * 10, fps=10, sound=True)
    paint_clip(made, folder / "rendered.mp4", lambda _: None)
    return made


def released(source: Path, folder: Path, treatment: SoundFilter) -> Path:
    copy_with_sound(source.with_name("rendered.mp4"), source, folder / "out.mp4", treatment)
    return folder / "out.mp4"


def points(spans: list[tuple[int, int]]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


def said(start: float, end: float, who: str | None, **more: bool) -> Utterance:
    return Utterance(f"{start}", "1", round(start * 1e6), round(end * 1e6), "some words", who, **more)


def test_speech_that_stands_nowhere_is_found_and_little_ends_of_it_are_not() -> None:
    nothing = replace(said(5, 6, "a"), text=" ")
    speech = Speech(RUN, ((0, 3_300_000), (5_000_000, 6_000_000)), (said(0, 3, "a"), nothing))
    assert speech.untranscribed == [(5_000_000, 6_000_000)]


def test_where_somebody_refused_only_those_are_heard_who_agreed_and_are_known_to_speak() -> None:
    speech = Speech(
        RUN,
        ((0, 9_000_000),),
        (said(0, 2, "a"), said(1.5, 2, "b"), said(3, 4, "a", suggested=True), said(5, 6, None), said(7, 8, "a")),
    )
    muted = points([(s // 10_000, e // 10_000) for s, e in speech.intervals_to_mute({"a"})])
    assert points([(150, 200), (300, 400), (500, 600), (850, 900), (430, 470)]) <= muted
    assert not muted & points([(0, 130), (710, 790)])
    plan = ReleasePlan(sound="mcadams")
    assert plan_audio_treatment(plan, [], speech, PEOPLE, []).muted == ()
    assert plan_audio_treatment(plan, [], speech, PEOPLE, PEOPLE[1:]).muted == tuple(speech.intervals_to_mute({"a"}))


def test_what_is_said_about_it_holds_no_place_and_nobody_and_seeds_are_nobody_elses() -> None:
    spoken = [
        SpokenHit(0, 5, "person", HIT, True),
        SpokenHit(7, 9, "person", HIT, False),
        SpokenHit(8, 9, "phone", HIT, True),
    ]
    made = plan_audio_treatment(ReleasePlan(sound="mcadams"), spoken, Speech(RUN, (), (said(0, 2, "a"),)), PEOPLE, [])
    assert load(AudioTreatment, dump(made), "treatment") == made
    assert made.facts()["covered"] == {"person": 2, "phone": 1}
    assert made.facts()["whole_utterances"] == 1
    assert "P01" not in str(made.facts())
    seeds = with_seeds(made, KEY).seeds
    assert sorted(seeds) == ["", "P01"]
    assert seeds != with_seeds(made, "1" * 64).seeds


WAYS = (
    AudioTreatment(),
    AudioTreatment(covered=((500_000, 900_000), (2_000_000, 2_000_000)), muted=((1_500_000, 1_800_000),)),
    AudioTreatment(covered=((500_000, 900_000),), cover="beep", muted=((850_000, 1_000_000),)),
    AudioTreatment(covered=((500_000, 900_000),), cover="silence"),
    AudioTreatment(covered=((500_000, 900_000),), voice="mcadams", speakers=(VoiceSpan(0, 3_000_000, "P01"),)),
)


@pytest.mark.parametrize("audio_treatment", [WAYS[1], WAYS[2], WAYS[4]])
def test_what_was_treated_as_planned_passes(source: Path, tmp_path: Path, audio_treatment: AudioTreatment) -> None:
    clip = released(source, tmp_path, sound_filter(with_seeds(audio_treatment, KEY), source))
    assert [*find_sound_problems(clip, source, audio_treatment)] == []


class Changed:
    """Adds to the sound of a stretch, or takes from its end."""

    def __init__(self, stretch: tuple[float, float], by: float, cut: int = 0) -> None:
        self._stretch, self._by, self._cut = stretch, by, cut

    def treat(self, blocks: Iterator[Samples], rate: int, _start_us: int) -> Iterator[Samples]:
        whole = np.concatenate([*blocks], axis=1)
        start, end = (round(value * rate) for value in self._stretch)
        whole[:, start:end] += np.float32(self._by)
        yield whole[:, : whole.shape[1] - self._cut]


@pytest.mark.parametrize(
    ("planned", "done", "spoilt", "what"),
    [
        (WAYS[1], WAYS[0], None, "sound is left where words are covered or somebody is muted, first at 0:00:00.500"),
        (WAYS[1], WAYS[1], Changed((1.6, 1.6001), 2 / 32768), "sound is left"),
        (WAYS[0], WAYS[1], None, "its sound differs where nothing is covered, first at 0:00:00.4"),
        (WAYS[1], WAYS[1], Changed((2.5, 2.50005), 2 / 32768), "its sound differs"),
        (WAYS[1], WAYS[1], Changed((0, 0), 0, cut=1), "not as long"),
        (WAYS[4], replace(WAYS[4], voice=None), None, "a voice is left as it was, first at 0:00:00"),
    ],
)
def test_whatever_is_wrong_is_heard(
    source: Path, tmp_path: Path, planned: AudioTreatment, done: AudioTreatment, spoilt: Changed | None, what: str
) -> None:
    treatment = sound_filter(with_seeds(done, KEY), source)
    clip = released(source, tmp_path, treatment if spoilt is None else Treatments((treatment, spoilt)))
    assert any(what in sound_problem for sound_problem in find_sound_problems(clip, source, planned))


def test_the_sound_track_that_leaves_is_the_chosen_one(tmp_path: Path) -> None:
    source = make_sound_tracks(tmp_path / "a.mp4", [tone(0.1, 3), tone(0.6, 3)], picture=True)
    clip = paint_clip(source, tmp_path / "rendered.mp4", lambda _: None, sound="none").path
    treatment = sound_filter(WAYS[3], source, track=2)
    copy_with_sound(clip, source, tmp_path / "out.mp4", treatment, track=2)
    assert [*find_sound_problems(tmp_path / "out.mp4", source, WAYS[3], track=2)] == []
    assert [*find_sound_problems(tmp_path / "out.mp4", source, WAYS[3], track=1)]
