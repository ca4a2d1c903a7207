"""Who annotates what: equal shares, every two together about equally often, the same plan for the same seed."""

import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from annotate.team.assignments import PlannedRecording, plan_assignments

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
