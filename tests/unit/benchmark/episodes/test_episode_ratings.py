"""Ratings of episodes as a task of the benchmark: oracle, constant, nobody, and a script of its own beside it."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.blinding.reveals import set_blind_first
from annotate.segments.segment_edits import add_segment
from annotate.study.scheme_versions import use_shipped_scheme
from benchmark.episodes.episode_ratings import blind_rater_reason, compute_agreement, mean_scores, read_ratings
from benchmark.episodes.episode_state import read_episode_state
from benchmark.episodes.sotopia_files import import_file
from benchmark.items.candidates import CandidatePool, ItemSamplingRule
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from benchmark.metrics.published_figures import (
    DIMENSIONS,
    MAE,
    PAIRWISE_AGREEMENT,
    PEARSON_R,
    RANDOLPH_KAPPA,
    SCHEME,
    join_metric_key,
)
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK as TASK
from benchmark.sets.rated_material import INCOMPLETE, rating_pool
from benchmark.tasks.benchmark_task import SUITE, ItemResponse, score
from benchmark.tasks.episode_rating_task import KEY
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.roleplay import EpisodeAgent
from project.entities.study_records import ParticipantRole
from project.progress import Silent
from project.queries.judgment_rows import find_judgments
from project.queries.recording_rows import all_participants
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.episodes import ANNA, started
from tests.builders.item_sets import freeze
from tests.builders.terminal import Terminal


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Iterator[Session]:
    """Ten published episodes and their human scores."""
    with Session(Study.create(tmp_path_factory.mktemp("sotopia") / "s.greenroom"), "Ada") as opened:
        import_file(opened, shared_data / "sotopia" / "sotopia_pi_episodes.jsonl")
        import_file(opened, shared_data / "sotopia" / "sotopia_pi_human_scores.csv")
        yield opened


@pytest.fixture(scope="module")
def items(session: Session) -> list[FrozenItem]:
    """Everything that was rated, frozen."""
    drawn = SUITE.make(KEY).sample(rating_pool(session), ItemSamplingRule(0), random.Random(0))
    items = [
        FrozenItem(
            *(f"i{at}", "set", 0, at, candidate.about, candidate.recording_id),
            *(candidate.start_us, candidate.end_us, candidate.content, candidate.made_from),
        )
        for at, candidate in enumerate(drawn.items)
    ]
    freeze(session, items, task=KEY)
    return items


def answers_of(session: Session, backend: str, items: list[FrozenItem]) -> list[ItemResponse]:
    """Ask a baseline about the items."""
    judge, _ = add_judge(session, backend, backend)
    about = [JudgmentTarget(JudgmentTargetKind.ITEM, item.id).key for item in items]
    work = prepare(session, AskRequest([judge], about, TASK, frames=0)).job
    _, changes = run_inline(session, work, Silent())
    judgments = {each.target.id: each for each in find_judgments(session.study, sorted(changes.ids("judgment")))}
    assert {judgment.status for judgment in judgments.values()} == {JudgmentStatus.OK}
    return [
        ItemResponse(
            *(item.id, 0, item.recording_id, item.content["truth"], {TASK: judgments[item.id].answer}),
            *({TASK: JudgmentStatus.OK}, item.content["traits"]),
        )
        for item in items
    ]


def test_an_oracle_is_right_and_who_always_says_the_same_has_no_correlation_and_a_distance(
    session: Session, items: list[FrozenItem]
) -> None:
    assert len(items) == 20
    figures = score(SUITE.make(KEY), answers_of(session, "oracle", items))
    for key in DIMENSIONS:
        varies = len({item.content["truth"][TASK][key] for item in items}) > 1
        assert figures[join_metric_key(MAE, key)] == 0.0
        assert figures[join_metric_key(PEARSON_R, key)] == (pytest.approx(1.0) if varies else None)
    assert figures[PEARSON_R] == pytest.approx(1.0)
    (overall,) = [each for each in compute_agreement(session).people if each.dimension == "all"]
    assert figures[RANDOLPH_KAPPA] == pytest.approx(overall.kappa, abs=1e-12)
    assert figures[PAIRWISE_AGREEMENT] == pytest.approx(overall.agreement, abs=1e-12)
    for item in items:
        means = mean_scores(read_ratings(session, item.recording_id), item.content["person"])
        assert item.content["truth"][TASK] == pytest.approx(means, abs=1e-12)
    figures = score(SUITE.make(KEY), answers_of(session, "constant", items))
    assert {figures[key] for key in (PEARSON_R, *(join_metric_key(PEARSON_R, each) for each in DIMENSIONS))} == {None}
    assert figures[MAE] > 0


def test_a_rater_sees_neither_who_played_nor_what_others_gave_before_rating_everybody(
    tmp_path: Path, greenroom: Terminal
) -> None:
    path = tmp_path / "blind.greenroom"

    def rate(session: Session, who: str, *agents: EpisodeAgent) -> None:
        session.annotator_name = who
        for agent in agents:
            values = {"participant": agent.participant_id, **dict.fromkeys(DIMENSIONS, 0)}
            add_segment(session, episode, 0, 1_000_000, "rating", values, scheme=SCHEME)

    def shown() -> str:
        return greenroom("episode", "show", path, 1, "--annotator", "Ada")

    with Session(Study.create(path), "Ben") as session:
        use_shipped_scheme(session, SCHEME)
        judge, _ = add_judge(session, "gpt", "random")
        episode = started(session, judge.id, "", agreed=True)
        state = read_episode_state(session, episode)
        rated = JudgmentTarget(JudgmentTargetKind.RECORDING, episode, str(state.agents[0].participant_id))
        prompt = plan_input(session, rated.key, TASK)
        assert "Agent" not in prompt.text, "the role would tell which one a model played"
        assert {person.role for person in all_participants(session.study)} == {ParticipantRole.CHARACTER}
        rate(session, "Ben", *state.agents)
        assert blind_rater_reason(session, episode) == ""
        session.annotator_name = "Ada"
        assert "hidden until you have rated everybody" in blind_rater_reason(session, episode)
    before = shown()
    assert "played by" not in before
    assert "rated:" not in before
    assert ANNA.name in before
    with Session.open(path, "Ada") as session:
        rate(session, "Ada", state.agents[0])
    assert shown() == before
    with Session.open(path, "Ada") as session:
        rate(session, "Ada", state.agents[1])
    assert "played by a judge" in shown()
    assert "rated: believability 0" in shown()
    assert "played by a person" in shown()
    with Session.open(path, "Cleo") as session:
        assert blind_rater_reason(session, episode)
        set_blind_first(session, False)
        assert blind_rater_reason(session, episode) == ""


def test_what_is_sent_of_an_item_tells_whom_to_rate_and_never_the_ratings(
    session: Session, items: list[FrozenItem]
) -> None:
    plan = plan_input(session, JudgmentTarget(JudgmentTargetKind.ITEM, items[0].id).key, TASK)
    person = str(items[0].content["person"])
    who = session.study.rows("SELECT name FROM episode_agent WHERE participant_id = ?", (person,))[0]
    assert f"Who is rated: {who[0]}" in plan.text
    assert "raters" not in plan.text
    assert plan.truth == items[0].content["truth"][TASK]


def test_a_rating_without_a_dimension_is_left_out_and_counted(session: Session) -> None:
    before = rating_pool(session)
    where = "field = 'goal' AND segment_id = (SELECT min(id) FROM segment)"
    with session.step("Clear"):
        session.study.write(f"DELETE FROM segment_value WHERE {where}", ())
    after = rating_pool(session)
    assert after.left_out == {INCOMPLETE: 1}
    assert len(after.candidates) == len(before.candidates) == 20
    states = [{candidate.made_from for candidate in pool.candidates} for pool in (before, after)]
    assert states[0] != states[1]
    session.study.undo()


def test_draws_are_seeded_and_can_take_the_same_of_each_collection(session: Session) -> None:
    pool, entry = rating_pool(session), SUITE.make(KEY)
    drawn = [entry.sample(pool, ItemSamplingRule(8), random.Random(seed)).items for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert [len(items) for items in drawn] == [8, 8, 8]
    alike = entry.sample(pool, ItemSamplingRule(8, stratify=True), random.Random(1)).items
    homes = [candidate.collection_id for candidate in alike]
    assert {homes.count(home) for home in homes} == {4}
    assert entry.sample(CandidatePool(()), ItemSamplingRule(8, stratify=True), random.Random(1)).items == ()
