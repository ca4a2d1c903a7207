"""Active minutes are counted and kept; plans are even, and the same for the same seed; when a recording is done."""

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.segments.segment_edits import set_field
from annotate.team import activity
from annotate.team.assignments import PlannedRecording, mark_done, plan_assignments
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.annotator_rows import is_completed
from project.queries.recording_rows import insert_recording
from project.session.session import Session
from tests.builders.marked_study import WALK, mark, person
from tests.builders.terminal import Terminal

KEY = ("recording", "annotator", "2026-11-21")
OTHER = ("other", "annotator", "2026-11-21")


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


def test_it_is_kept_beside_the_history_and_can_be_deleted(session: Session, greenroom: Terminal) -> None:
    mark(session, "Ada", 1, 2)
    first, second, who = WALK, "other", person(session, "Ada")
    with session.study.without_history():
        insert_recording(session.study, Recording(second, "lab", 2, second, 60_000_000))
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
    path = session.study.path
    assert "1 h 04 min" in greenroom("team", "activity", path)
    assert greenroom.json("team", "activity", path)["seconds"] == 3850
    activity.delete_activity_of(session, who)
    assert greenroom.json("team", "activity", path) == {"seconds": 0, "activity": []}
    assert "No active minutes" in greenroom("team", "activity", path)


_PARTS = st.lists(st.integers(1, 60), min_size=1, max_size=60).map(
    lambda minutes: [PlannedRecording(f"r{place:03}", 60_000_000 * number) for place, number in enumerate(minutes)]
)
_TEAM = st.integers(1, 7).map(lambda size: [f"annotator {place}" for place in range(size)])


def counts(made: dict[str, frozenset[str]], team: list[str]) -> list[int]:
    return [sum(who in group for group in made.values()) for who in team]


def meetings(made: dict[str, frozenset[str]], team: list[str]) -> list[int]:
    return [sum({*pair} <= group for group in made.values()) for pair in combinations(team, 2)]


@given(_PARTS, _TEAM, st.integers(1, 3), st.integers(0, 5))
def test_everybody_gets_as_many_recordings_give_or_take_one_each_two_meet_as_often_and_what_is_kept_stays(
    parts: list[PlannedRecording], team: list[str], per_recording: int, seed: int
) -> None:
    per_recording = min(per_recording, len(team))
    made = plan_assignments(parts, team, per_recording, seed)
    assert set(made) == {part.id for part in parts}
    assert all(len(group) == per_recording for group in made.values())
    shares = counts(made, team)
    assert max(shares) - min(shares) <= 1
    if per_recording == 2 < len(team):
        met = meetings(made, team)
        assert max(met) - min(met) <= 2
    keeping = [replace(parts[0], kept=frozenset({team[-1], "somebody else"})), *parts[1:]]
    assert {team[-1], "somebody else"} <= plan_assignments(keeping, team, per_recording, seed)[parts[0].id]
    assert made == plan_assignments([*reversed(parts)], team, per_recording, seed)


def test_a_large_study_is_even_in_numbers_pairs_and_minutes() -> None:
    chance = random.Random(1)
    parts = [PlannedRecording(f"r{place}", int(60_000_000 * chance.lognormvariate(2, 0.5))) for place in range(100)]
    team = ["Ada", "Bo", "Cy", "Dee"]
    made = plan_assignments(parts, team, 2, 0)
    met = meetings(made, team)
    minutes = [sum(part.duration_us for part in parts if who in made[part.id]) / 6e7 for who in team]
    assert max(counts(made, team)) - min(counts(made, team)) <= 1
    assert max(met) - min(met) <= 1
    assert max(minutes) - min(minutes) < 1
    assert made != plan_assignments(parts, team, 2, 1)


def test_a_recording_with_empty_needed_fields_is_not_done_and_says_what_is_missing(session: Session) -> None:
    filled = {"attributes": ["emotions"], "channel": "verbal", "rationale": "Too early."}
    mark(session, "Ada", 1, 2, "competence", **filled)
    first = mark(session, "Ada", 12, 14, "error", **filled)
    mark(session, "Ada", 20, 21, "competence")
    mark(session, "Bo", 3, 4, "error")
    with pytest.raises(UserError, match=r"at 0:00:12\.000, Correction is missing\. 1 further segment lacks"):
        mark_done(session, WALK)
    set_field(session, first, "correction", "Wait.")
    with pytest.raises(UserError, match=r"at 0:00:20\.000, Attributes, Channel, Rationale is missing\."):
        mark_done(session, WALK)
    session.annotator_name = "Cy"
    mark_done(session, WALK)
    assert is_completed(session.study, WALK, person(session, "Cy").id), "who marked nothing is done"
