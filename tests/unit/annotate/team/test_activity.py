"""Active minutes are counted and kept; plans are even, and the same for the same seed."""

import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.team import activity
from annotate.team.assignments import PlannedRecording, plan_assignments
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.terminal import Terminal

KEY = ("recording", "annotator", "2026-11-21")
OTHER = ("other", "annotator", "2026-11-21")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=2, segments=0, annotators=1)
    with Session.open(tmp_path / "lab.greenroom", "Annotator 1") as opened:
        yield opened


def test_a_minute_after_the_last_input_nothing_counts_any_more() -> None:
    counted = activity.ActiveTime()
    counted.tick(0, KEY, True)
    counted.record_activity(0)
    for now in range(5, 300, 5):
        counted.tick(now, KEY, True)
    assert counted.take_seconds() == {KEY: int(activity.IDLE_AFTER_S)}
    assert counted.take_seconds() == {}


def test_out_of_sight_asleep_or_without_a_recording_nothing_counts() -> None:
    counted = activity.ActiveTime()
    counted.tick(0, KEY, True)
    counted.record_activity(0)
    counted.tick(5, KEY, False)
    counted.tick(10, None, True)
    counted.record_activity(1000)
    counted.tick(1000, KEY, True)
    assert counted.take_seconds() == {}
    counted.tick(1004, KEY, True)
    counted.tick(1007, OTHER, True)
    assert counted.take_seconds() == {KEY: 4, OTHER: 3}


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans(), st.booleans()), max_size=40))
def test_never_more_than_the_time_that_passed(looks: list[tuple[float, bool, bool]]) -> None:
    counted, now, taken = activity.ActiveTime(), 0.0, 0
    for passed, done, in_sight in looks:
        now += passed
        if done:
            counted.record_activity(now)
        counted.tick(now, KEY, in_sight)
        taken += sum(counted.take_seconds().values())
    assert taken <= now


def test_it_is_kept_beside_the_history_and_can_be_deleted(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (recording.id for recording in all_recordings(session.study))
    who = next(annotator for annotator in all_annotators(session.study) if annotator.name == "Annotator 1")
    before = session.study.undo_name
    activity.store_seconds(session, {(first, who.id, "2026-11-20"): 90, (second, who.id, "2026-11-21"): 3700})
    activity.store_seconds(session, {(first, who.id, "2026-11-20"): 60})
    assert session.study.undo_name == before
    assert [(total.seconds, total.recording_id) for total in activity.totals_by_recording(session, who)] == [
        (150, first),
        (3700, second),
    ]
    assert [(total.name, total.seconds) for total in activity.totals_by_day(session)] == [
        ("2026-11-21", 3700),
        ("2026-11-20", 150),
    ]
    greenroom = Terminal(capsys)
    path = session.study.path
    assert "1 h 04 min" in greenroom("activity", path)
    assert greenroom.json("activity", path)["seconds"] == 3850
    activity.delete_activity_of(session, who)
    assert greenroom.json("activity", path) == {"seconds": 0, "activity": []}
    assert "No active minutes" in greenroom("activity", path)


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "under a minute"), (60, "1 min"), (3599, "59 min"), (3660, "1 h 01 min")]
)
def test_minutes_in_words(seconds: int, said: str) -> None:
    assert activity.format_minutes(seconds) == said


_PARTS = st.lists(st.integers(1, 60), min_size=1, max_size=60).map(
    lambda minutes: [PlannedRecording(f"r{place:03}", 60_000_000 * number) for place, number in enumerate(minutes)]
)
_TEAM = st.integers(1, 7).map(lambda size: [f"annotator {place}" for place in range(size)])


def counts(made: dict[str, frozenset[str]], team: list[str]) -> list[int]:
    return [sum(who in group for group in made.values()) for who in team]


def meetings(made: dict[str, frozenset[str]], team: list[str]) -> list[int]:
    return [sum({*pair} <= group for group in made.values()) for pair in combinations(team, 2)]


@given(_PARTS, _TEAM, st.integers(1, 3), st.integers(0, 5))
def test_everybody_gets_as_many_recordings_give_or_take_one(
    parts: list[PlannedRecording], team: list[str], per_recording: int, seed: int
) -> None:
    per_recording = min(per_recording, len(team))
    made = plan_assignments(parts, team, per_recording, seed)
    assert set(made) == {part.id for part in parts}
    assert all(len(group) == per_recording for group in made.values())
    shares = counts(made, team)
    assert max(shares) - min(shares) <= 1
    assert made == plan_assignments([*reversed(parts)], team, per_recording, seed)


@given(_PARTS, st.integers(3, 6), st.integers(0, 5))
def test_every_two_meet_about_equally_often(parts: list[PlannedRecording], size: int, seed: int) -> None:
    team = [f"annotator {place}" for place in range(size)]
    met = meetings(plan_assignments(parts, team, 2, seed), team)
    assert max(met) - min(met) <= 2


@given(_PARTS, _TEAM, st.integers(0, 5), st.data())
def test_what_is_kept_stays(parts: list[PlannedRecording], team: list[str], seed: int, data: st.DataObject) -> None:
    some = st.frozensets(st.sampled_from([*team, "somebody else"]), max_size=3)
    parts = [PlannedRecording(part.id, part.duration_us, data.draw(some)) for part in parts]
    made = plan_assignments(parts, team, min(2, len(team)), seed)
    for part in parts:
        assert part.kept <= made[part.id]
        assert len(made[part.id]) <= max(2, len(part.kept))


def test_a_study_of_shrecs_size_is_even_in_numbers_pairs_and_minutes() -> None:
    chance = random.Random(1)
    parts = [PlannedRecording(f"r{place}", int(60_000_000 * chance.lognormvariate(2, 0.5))) for place in range(403)]
    team = ["Ada", "Bo", "Cy", "Dee"]
    made = plan_assignments(parts, team, 2, 0)
    met = meetings(made, team)
    minutes = [sum(part.duration_us for part in parts if who in made[part.id]) / 6e7 for who in team]
    assert max(counts(made, team)) - min(counts(made, team)) <= 1
    assert max(met) - min(met) <= 1
    assert max(minutes) - min(minutes) < 1
    assert made != plan_assignments(parts, team, 2, 1)
