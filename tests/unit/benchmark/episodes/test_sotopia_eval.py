"""Ratings of episodes as a task of the benchmark: oracle, constant, nobody, and a script of its own beside it."""

import csv
import json
import random
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr

from benchmark.episodes.sotopia_files import import_file
from benchmark.items.candidates import CandidatePool, ItemSamplingRule
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_config import AskRequest
from benchmark.metrics.published_figures import (
    DIMENSIONS,
    MAE,
    PAIRWISE_AGREEMENT,
    PEARSON_R,
    RANDOLPH_KAPPA,
    join_metric_key,
    published_scores_for,
    score_ranges,
)
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK as TASK
from benchmark.sets.rated_material import INCOMPLETE, rating_candidates
from benchmark.tasks.benchmark_task import ItemResponse, get_benchmark_task
from benchmark.tasks.episode_rating_task import KEY
from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.study_records import Json
from project.ids import new_id
from project.progress import Silent
from project.queries.item_set_rows import insert_set
from project.queries.judgment_rows import find_judgments
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study

COLUMNS = {key: "financial_and_material_benefits" if key == "financial" else key for key in DIMENSIONS}


@pytest.fixture
def session(tmp_path: Path, shared_data: Path) -> Iterator[Session]:
    path = tmp_path / "s.greenroom"
    with Session(Study.create(path), "Ada") as opened:
        import_file(opened, shared_data / "sotopia" / "sotopia_pi_episodes.jsonl")
        import_file(opened, shared_data / "sotopia" / "sotopia_pi_human_scores.csv")
        yield opened


def frozen(session: Session) -> list[FrozenItem]:
    """Freeze everything that was rated."""
    drawn = get_benchmark_task(KEY).sample(rating_candidates(session), ItemSamplingRule(0), random.Random(0))
    made = ItemSet(new_id(), "ratings", KEY, 0, 1, {}, {}, "ab", "2026-01-01T00:00:00", "1")
    items = [
        FrozenItem(
            *(
                new_id(),
                made.id,
                0,
                at,
                item_candidate.about,
                item_candidate.recording_id,
                item_candidate.start_us,
                item_candidate.end_us,
            ),
            *(item_candidate.content, item_candidate.made_from),
        )
        for at, item_candidate in enumerate(drawn.items)
    ]
    with session.study.run_transaction():
        insert_set(session.study, made, items)
    return items


def asked(session: Session, judge: JudgeEntry, items: list[FrozenItem]) -> dict[str, Judgment]:
    about = [JudgmentTarget(JudgmentTargetKind.ITEM, item.id).key for item in items]
    asking = prepare(session, AskRequest([judge], about, TASK, frames=0))
    found = [*asking.cached]
    if asking.job is not None:
        _, changes = run_inline(session, asking.job, Silent())
        found += find_judgments(session.study, sorted(changes.ids("judgment")))
    return {judgment.target.id: judgment for judgment in found}


def said(items: list[FrozenItem], answers: Mapping[str, Judgment]) -> list[ItemResponse]:
    return [
        ItemResponse(
            item.id,
            0,
            item.recording_id,
            item.content["truth"],
            {TASK: answers[item.id].answer} if answers[item.id].status is JudgmentStatus.OK else {},
            {TASK: answers[item.id].status},
            item.content["traits"],
        )
        for item in items
    ]


def test_the_oracle_is_right_wherever_right_can_be_told(session: Session) -> None:
    judge, _ = add_judge(session, "oracle", "oracle")
    items = frozen(session)
    assert len(items) == 20
    answers = asked(session, judge, items)
    assert {answer.status for answer in answers.values()} == {JudgmentStatus.OK}
    found = get_benchmark_task(KEY).score(said(items, answers))
    for key in DIMENSIONS:
        truth = [item.content["truth"][TASK][key] for item in items]
        assert found[join_metric_key(MAE, key)] == 0.0
        expected = 1.0 if len(set(truth)) > 1 else None
        assert found[join_metric_key(PEARSON_R, key)] == (None if expected is None else pytest.approx(1.0))
    assert found[PEARSON_R] == pytest.approx(1.0)


def test_who_always_says_the_same_has_no_correlation_and_a_distance(session: Session) -> None:
    judge, _ = add_judge(session, "constant", "constant")
    items = frozen(session)
    found = get_benchmark_task(KEY).score(said(items, asked(session, judge, items)))
    assert found[PEARSON_R] is None
    assert all(found[join_metric_key(PEARSON_R, key)] is None for key in DIMENSIONS)
    assert (found[MAE] or 0.0) > 0


def test_the_figures_are_those_of_a_script_that_reads_the_files_itself(session: Session, shared_data: Path) -> None:
    judge, _ = add_judge(session, "chance", "random")
    items = frozen(session)
    answers = asked(session, judge, items)
    found = get_benchmark_task(KEY).score(said(items, answers))
    folder = shared_data / "sotopia"
    lines = [json.loads(line) for line in (folder / "sotopia_pi_episodes.jsonl").read_text("utf-8").splitlines()]
    given: dict[tuple[str, int], list[dict[str, str]]] = {}
    with (folder / "sotopia_pi_human_scores.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["episode"] in {line["episode"] for line in lines}:
                given.setdefault((row["episode"], int(row["agent"])), []).append(row)
    order = [(line["episode"], agent) for line in lines for agent in (1, 2)]
    by_person = {
        (number, who): answers[item.id].answer
        for item in items
        for number, who in [(session.recording(item.recording_id).number, item.content["person"])]
    }
    people = session.study.rows(
        "SELECT r.number, a.position + 1, a.participant_id "
        "FROM episode_agent a JOIN recording r ON r.id = a.recording_id"
    )
    placed = {(lines[number - 1]["episode"], agent): by_person[number, who] for number, agent, who in people}
    kappas: list[float] = []
    near: list[float] = []
    for key, (low, high) in score_ranges().items():
        mean = np.array([np.mean([int(row[COLUMNS[key]]) for row in given[pair]]) for pair in order])
        scores = np.array([float(placed[pair][key]) for pair in order])
        assert found[join_metric_key(MAE, key)] == pytest.approx(np.abs(mean - scores).mean(), abs=1e-12)
        expected = pearsonr(mean, scores).statistic if mean.std() else None
        assert found[join_metric_key(PEARSON_R, key)] == (
            None if expected is None else pytest.approx(expected, abs=1e-12)
        )
        for rows in given.values():
            for a, b in combinations([int(row[COLUMNS[key]]) for row in rows], 2):
                bins = [min(4, int(np.floor((one - low) / ((high - low) / 5)))) for one in (a, b)]
                kappas.append(bins[0] == bins[1])
                near.append(abs(a - b) <= 2)
    assert found[RANDOLPH_KAPPA] == pytest.approx((np.mean(kappas) - 0.2) / 0.8, abs=1e-12)
    assert found[PAIRWISE_AGREEMENT] == pytest.approx(np.mean(near), abs=1e-12)


def test_what_is_sent_of_an_item_tells_whom_to_rate_and_never_the_ratings(session: Session) -> None:
    from benchmark.judge_input.input_planning import plan_input

    items = frozen(session)
    plan = plan_input(session, JudgmentTarget(JudgmentTargetKind.ITEM, items[0].id).key, TASK)
    person = str(items[0].content["person"])
    who = session.study.rows("SELECT name FROM episode_agent WHERE participant_id = ?", (person,))[0]
    assert f"Who is rated: {who[0]}" in plan.text
    assert "raters" not in plan.text
    assert plan.truth == items[0].content["truth"][TASK]


def test_a_rating_without_a_dimension_is_left_out_and_counted(session: Session) -> None:
    before = rating_candidates(session)
    with session.step("Clear"):
        session.study.write(
            "DELETE FROM segment_value WHERE field = 'goal' AND segment_id = (SELECT min(id) FROM segment)", ()
        )
    after = rating_candidates(session)
    assert after.left_out == {INCOMPLETE: 1}
    assert len(after.candidates) == len(before.candidates) == 20
    assert {candidate.made_from for candidate in before.candidates} != {
        candidate.made_from for candidate in after.candidates
    }


def test_draws_are_seeded_and_can_take_the_same_of_each_collection(session: Session) -> None:
    pool, entry = rating_candidates(session), get_benchmark_task(KEY)
    drawn = [entry.sample(pool, ItemSamplingRule(8), random.Random(seed)).items for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert [len(one) for one in drawn] == [8, 8, 8]
    alike = entry.sample(pool, ItemSamplingRule(8, stratify=True), random.Random(1)).items
    homes = [item_candidate.collection_id for item_candidate in alike]
    assert {homes.count(home) for home in homes} == {4}
    assert entry.sample(CandidatePool(()), ItemSamplingRule(8, stratify=True), random.Random(1)).items == ()
    assert entry.score([])[PEARSON_R] is None


def test_its_metrics_are_those_of_the_published_rows() -> None:
    known = {metric.key for metric in get_benchmark_task(KEY).metrics}
    assert {published_score.metric for published_score in published_scores_for(KEY)} <= known
    scored: Json = [*get_benchmark_task(KEY).score([])]
    assert set(scored) == known
