"""Sums over items give what the tasks themselves compute: by kind, over chains, by dimension."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.metrics.published_figures import DIMENSIONS
from benchmark.metrics.resampling import mean_over_draws
from benchmark.results.run_measures import metric_contributions
from benchmark.tasks.benchmark_task import ItemResponse, get_benchmark_task
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json

OPTIONS: list[Json] = ["A", "B", "C", "D", "E"]


def questions(seed: int) -> list[ItemResponse]:
    """Return questions of chains with two subchains, a few answered wrong and some that belong to no chain."""
    chance = random.Random(seed)
    found = []
    for at in range(40):
        chain = at // 5
        belongs: dict[str, Json] = {"x": 3} if at % 5 < 3 else {"y": 2}
        traits: dict[str, Json] = {
            "labels": OPTIONS,
            "question": f"q{at}",
            "kind": chance.choice(["MSE", "EU", "CW"]),
            "aspect": chance.choice(["emotion", "belief", ""]),
        }
        if chain < 7:
            traits |= {"chain": f"c{chain}", "steps": 2, "subchains": belongs}
        answer = "A" if chance.random() < 0.9 else "B"
        found.append(
            ItemResponse(
                f"i{at}",
                0,
                f"r{chain // 2}",
                {"answer": {"answer": "A"}},
                {"answer": {"answer": answer}},
                {"answer": JudgmentStatus.OK},
                traits,
            )
        )
    return found


def ratings(seed: int) -> list[ItemResponse]:
    chance = random.Random(seed)
    found = []
    for at in range(12):
        truth: dict[str, Json] = {key: chance.uniform(0, 10) for key in DIMENSIONS}
        answers: dict[str, Json] = {key: chance.randint(0, 10) for key in DIMENSIONS}
        said = {"episode_ratings": answers} if chance.random() < 0.9 else {}
        status = JudgmentStatus.OK if said else JudgmentStatus.REFUSED
        found.append(
            ItemResponse(f"i{at}", 0, f"r{at // 2}", {"episode_ratings": truth}, said, {"episode_ratings": status})
        )
    return found


def both(task: str, said: list[ItemResponse]) -> dict[str, tuple[float | None, float | None]]:
    """Return metric -> the figure by sums over items, and the task's own."""
    own = get_benchmark_task(task).score(said)
    homes = [item_response.recording_id for item_response in said]
    sums = metric_contributions(said, get_benchmark_task(task))
    return {
        key: (mean_over_draws(contributions, [0] * len(said), homes, 0).value, own[key])
        for key, contributions in sums.items()
        if key in own
    }


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_questions_by_kind_and_over_chains(seed: int) -> None:
    found = both("r3vqa", questions(seed))
    assert {"accuracy", "accuracy.MSE", "chain_consistency", "subchain_consistency"} <= {*found}
    for quick, own in found.values():
        assert quick == (None if own is None else pytest.approx(own, abs=1e-9))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_ratings_by_dimension(seed: int) -> None:
    found = both("sotopia_eval", ratings(seed))
    assert {"pearson_r", "mae", "pearson_r.goal", "mae.secret"} <= {*found}
    for quick, own in found.values():
        assert quick == (None if own is None else pytest.approx(own, abs=1e-9))
