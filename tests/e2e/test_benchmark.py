"""Every task of the benchmark, from an invented study to figures: baselines whose figures are known beforehand."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path
from statistics import fmean

import pytest

from annotate.segments.segment_edits import add_segment, edit_segment
from benchmark.authoring.synthetic_questions import add_synthetic_questions
from benchmark.items.sampling import SamplingOptions
from benchmark.judging.judge_registry import add_judge
from benchmark.metrics.classification import (
    constant_macro_f1,
    exact_match_by_chance,
    highest_macro_f1,
    partial_match_by_chance,
    pearson_by_chance,
)
from benchmark.metrics.published_figures import DIMENSIONS, PEARSON_R, join_metric_key
from benchmark.questions.chain_consistency import expected_consistency
from benchmark.runs.run_figures import RunFigures, read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets import frozen_sets as making
from benchmark.sets.frozen_sets import find_changed_items, make_set
from benchmark.tasks.benchmark_task import SUITE, get_benchmark_task
from project.entities.frozen_items import ItemModality, ItemSet
from project.entities.judgments import JudgeEntry
from project.entities.study_records import Json
from project.errors import UserError
from project.progress import Silent
from project.queries.annotator_rows import annotator_by_name
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_phrases import InventedIds
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.misbehaving_server import misbehaving
from tests.builders.misbehaving_server import says as says_to_all
from tests.builders.tiny_gguf import Shape, write_tiny_model

SIZES = {"socialnli": 60, "socialnli_facts": 40, "r3vqa": 0, "r3vqa_written": 0, "esi": 0, "sotopia_eval": 0}
"""Items of a draw, where a task usually takes more than a test needs."""
NEEDS_RENDERINGS = {"conditions"}
WITHOUT_TRUTH = {"socialnli_facts"}
ASKED = [key for key in SUITE if key not in NEEDS_RENDERINGS]
GUESSED = {
    **dict.fromkeys(("pre", "post", "rationale", "correction", "r3vqa", "r3vqa_written"), 1 / 5),
    **{"verdict": 1 / 3, "error": 1 / 2, "multiple": 1 / 2, "esi": 1 / 4},
}
"""Tasks with one right answer -> the accuracy of guesses."""
ONE_LABEL = {"verdict": "error", "error": "yes", "multiple": "yes"}
"""Tasks whose answer is one label -> what the constant judge says."""
RIGHT = 0.9
SOME, AS_SHREC = (40, 1000), (403, 10353)
"""Recordings and segments of a study."""


def invented(path: Path, recordings: int, segments: int) -> Path:
    with Study.create(path) as study:
        fill_whole_study(study, recordings, segments)
        add_synthetic_questions(Session(study, "Annotator 1"), 0, Silent())
    return path


def _listed(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


def ask(session: Session, sets: list[ItemSet], judges: list[JudgeEntry]) -> list[RunFigures]:
    ran = run_benchmark(session, BenchmarkRequest(sets, judges, shown=ItemModality.TEXT), Silent())
    return read_figures(session, [run.id for run in ran.runs], samples=0, parts=False)


@pytest.fixture(scope="module", params=[SOME, pytest.param(AS_SHREC, marks=pytest.mark.soak)])
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return invented(tmp_path_factory.mktemp("benchmark") / "study.greenroom", *request.param)


@pytest.fixture(scope="module")
def figures(study: Path) -> Mapping[tuple[str, str], RunFigures]:
    """Return task and judge -> figures, of every task and baseline.

    Items get the same ids each time: these decide what is guessed, and of so many figures one would stray now and then.
    """
    with pytest.MonkeyPatch.context() as patch, Session.open(study, "Annotator 1") as session:
        patch.setattr(making, "new_id", InventedIds(random.Random(0)).new)
        names = ("random", "oracle", "majority", "reliable")
        judges = [add_judge(session, name, name)[0] for name in names]
        sets = [make_set(session, key, size=SIZES.get(key))[0] for key in ASKED]
        constant, _ = add_judge(session, "constant", "constant", settings={"says": "error, yes"})
        few = [item_set for item_set in sets if item_set.task in ONE_LABEL]
        return {
            (run_figures.item_set.task, run_figures.judge): run_figures
            for run_figures in [*ask(session, sets, judges), *ask(session, few, [constant])]
        }


@pytest.fixture(scope="module")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return invented(tmp_path_factory.mktemp("small") / "small.greenroom", 24, 500)


@pytest.fixture
def small(small_study: Path, tmp_path: Path) -> Iterator[Session]:
    with Session.open(Path(shutil.copy(small_study, tmp_path)), "Annotator 1") as session:
        yield session


@pytest.mark.parametrize("task", ASKED)
def test_the_oracle_is_right_everywhere(figures: Mapping[tuple[str, str], RunFigures], task: str) -> None:
    found = figures[task, "oracle"]
    if task in WITHOUT_TRUTH:
        assert all(row.mean is None for row in found.rows)
        return
    assert found.counts.answered == found.counts.items > 0
    first = found.rows[0]
    assert first.mean == pytest.approx(1.0), f"{first.metric} of {task}"


@pytest.mark.parametrize("task", GUESSED)
def test_guesses_land_at_chance(figures: Mapping[tuple[str, str], RunFigures], task: str) -> None:
    found = figures[task, "random"]
    chance, items = GUESSED[task], found.counts.items
    accuracy = found.row("accuracy")
    assert accuracy.mean is not None
    assert abs(accuracy.mean - chance) <= 3 * sqrt(chance * (1 - chance) / items)


@pytest.mark.parametrize("task", GUESSED)
def test_a_judge_that_is_right_nine_times_in_ten_is_measured_so(
    figures: Mapping[tuple[str, str], RunFigures], task: str
) -> None:
    found = figures[task, "reliable"]
    accuracy = found.row("accuracy")
    assert accuracy.mean is not None
    assert abs(accuracy.mean - RIGHT) <= 3 * sqrt(RIGHT * (1 - RIGHT) / found.counts.items)


def test_guessed_plausibilities_have_no_correlation_with_those_of_people(
    figures: Mapping[tuple[str, str], RunFigures],
) -> None:
    found = figures["socialnli", "random"].row("pearson_r")
    assert found.mean is not None
    assert abs(found.mean) <= 3 / sqrt(figures["socialnli", "random"].counts.items - 1)


@pytest.mark.parametrize("metric", ["exact_match", "partial_match"])
def test_guessed_attributes_land_at_chance(figures: Mapping[tuple[str, str], RunFigures], metric: str) -> None:
    found = figures["attributes", "random"]
    truths = [[str(one) for one in _listed(each.response.truth["attributes"]["attributes"])] for each in found.items]
    labels = len(_listed(found.items[0].response.traits["labels"]))
    by_metric = {
        "exact_match": exact_match_by_chance(len(truths), labels),
        "partial_match": partial_match_by_chance(truths),
    }
    chance, figure = by_metric[metric], found.row(metric)
    assert figure.mean is not None
    assert abs(figure.mean - chance.value) <= 3 * chance.se


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_guessed_ratings_of_episodes_have_no_correlation_with_those_of_people(
    figures: Mapping[tuple[str, str], RunFigures], dimension: str
) -> None:
    found = figures["sotopia_eval", "random"]
    chance, figure = pearson_by_chance(found.counts.items), found.row(join_metric_key(PEARSON_R, dimension))
    # Where people do not vary on a dimension, r is undefined.
    assert figure.mean is None or abs(figure.mean - chance.value) <= 3 * chance.se


@pytest.mark.parametrize(("task", "says"), ONE_LABEL.items())
def test_the_constant_judge_has_the_macro_f1_of_the_closed_form_in_every_draw(
    figures: Mapping[tuple[str, str], RunFigures], task: str, says: str
) -> None:
    found = figures[task, "constant"]
    labels = [str(one) for one in _listed(found.items[0].response.traits["labels"])]
    draws: dict[int, list[str]] = {}
    for item in found.items:
        (truth,) = item.response.truth[task].values()
        draws.setdefault(item.response.draw, []).append(str(truth))
    assert {value for item in found.items for value in item.response.answers[task].values()} == {says}
    expected_of_draws = [constant_macro_f1(truths, says, labels) or 0.0 for truths in draws.values()]
    figure = found.row("macro_f1")
    assert figure.mean == pytest.approx(fmean(expected_of_draws), abs=1e-9)


@pytest.mark.parametrize("task", GUESSED)
def test_majority_is_right_as_often_as_its_answer_is(figures: Mapping[tuple[str, str], RunFigures], task: str) -> None:
    found = figures[task, "majority"]
    key = next(iter(found.items[0].response.truth))
    truths = Counter(str(value) for item in found.items for value in item.response.truth[key].values())
    accuracy = found.row("accuracy")
    assert accuracy.mean == pytest.approx(max(truths.values()) / found.counts.items, abs=0.01)


@pytest.mark.parametrize("task", ["socialnli", "sotopia_eval"])
def test_majority_rates_everything_alike(figures: Mapping[tuple[str, str], RunFigures], task: str) -> None:
    found = figures[task, "majority"]
    correlation, distance = found.row("pearson_r"), found.row("mae")
    assert found.counts.answered == found.counts.items
    assert correlation.mean is None
    assert distance.mean is not None


def test_explanations_of_people_are_the_baseline_of_the_fact_check(
    figures: Mapping[tuple[str, str], RunFigures],
) -> None:
    found = figures["socialnli_facts", "random"]
    assert {item.response.traits["author"] for item in found.items} == {"people"}


@pytest.mark.parametrize("says", ["error", "competence"])
def test_a_constant_judge_has_the_macro_f1_of_the_closed_form(small: Session, says: str) -> None:
    constant, _ = add_judge(small, "constant", "constant", settings={"says": says})
    made, _ = make_set(small, "verdict", draws=1)
    (found,) = ask(small, [made], [constant])
    truths = [str(item.response.truth["verdict"]["label"]) for item in found.items]
    figure = found.row("macro_f1")
    assert figure.mean == pytest.approx(constant_macro_f1(truths, says, ("error", "competence", "none")))


def test_a_tiny_local_model_answers_every_task(small: Session, tmp_path: Path) -> None:
    tiny = write_tiny_model(tmp_path, Shape(width=32, heads=2, layers=1, inner=32))
    settings: dict[str, Json] = {"projector": str(tiny.projector), "threads": 1}
    local, _ = add_judge(small, "tiny", "llama-cpp", str(tiny.model), settings)
    sets = [make_set(small, key, draws=1, size=8 if key == "r3vqa" else 1)[0] for key in ASKED]
    for found in ask(small, sets, [local]):
        counts = found.counts
        assert counts.answered + counts.unparsed == counts.items, found.item_set.task
        assert counts.items > 0


def test_explanations_of_judges_are_checked_beside_those_of_people(small: Session) -> None:
    oracle, _ = add_judge(small, "oracle", "oracle")
    made, _ = make_set(small, "socialnli", size=6)
    ask(small, [made], [oracle])
    facts, _ = make_set(small, "socialnli_facts")
    guess, _ = add_judge(small, "random", "random")
    (found,) = ask(small, [facts], [guess])
    assert {item.response.traits["author"] for item in found.items} == {"people", "oracle"}
    assert {row.metric for row in found.rows} >= {"factuality"}


def test_what_changed_since_a_set_was_made_is_said(small: Session) -> None:
    for key in ("verdict", "socialnli"):
        made, _ = make_set(small, key, draws=1)
        assert find_changed_items(small, made).count == 0
    me = annotator_by_name(small.study, "Annotator 1")
    mine = [
        segment
        for segment in all_segments(small.study)
        if segment.annotator_id == me.id and segment.scheme == "socialnli"
    ]
    for segment in mine:
        edit_segment(small, segment.id, values={"plausibility": 1})
    assert find_changed_items(small, made).count > 0


def test_a_study_with_one_segment_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "one.greenroom"
    with Study.create(path) as study:
        fill_whole_study(study, 1, 0, 1)
    with Session.open(path, "Annotator 1") as session:
        home = all_recordings(session.study)[0]
        filled = {"attributes": ["norms"], "channel": "verbal", "rationale": "So.", "correction": "Not so."}
        add_segment(session, home.id, 0, 5_000_000, "error", filled)
        for key in ASKED:
            with pytest.raises(UserError) as refused:
                make_set(session, key)
            assert str(refused.value).strip()
            assert get_benchmark_task(key).key == key


@pytest.mark.parametrize("backend", ["majority", "oracle", "reliable"])
def test_who_goes_by_what_is_right_is_not_defined_where_nothing_is(small: Session, backend: str) -> None:
    judge, _ = add_judge(small, backend, backend)
    made, _ = make_set(small, "socialnli_facts", size=8)
    ran = run_benchmark(small, BenchmarkRequest([made], [judge]), Silent())
    (found,) = read_figures(small, [run.id for run in ran.runs], samples=0)
    assert (found.counts.missing, found.counts.answered) == (found.counts.items, 0)
    assert all(row.mean is None for row in found.rows)
    (note,) = ran.notes
    assert "not defined" in note.as_text()
    assert len(note.about) == found.counts.items


@pytest.mark.parametrize("task", ["pre", "attributes"])
def test_a_judge_that_always_refuses_is_wrong_and_counted_apart(small: Session, task: str) -> None:
    made, _ = make_set(small, task, draws=1, size=4)
    with misbehaving(says_to_all(None, refusal="I would rather not.")) as server:
        settings: dict[str, Json] = {"url": server.url, "sees": "text", "tries": 1}
        judge, _ = add_judge(small, "shy", "openai", "fake-1", settings)
        (found,) = ask(small, [made], [judge])
    assert (found.counts.refused, found.counts.errors) == (found.counts.items, 0)
    assert found.rows[0].mean == 0.0


@pytest.mark.parametrize("task", ["rationale", "correction"])
def test_without_a_segment_of_other_attributes_there_are_no_options_and_it_is_said(tmp_path: Path, task: str) -> None:
    with Session.open(invented(tmp_path / "alike.greenroom", 4, 120), "Annotator 1") as session:
        alike = [('["norms"]', "attributes")]
        with session.study.without_history():
            session.study.write_many("UPDATE segment_value SET value = ? WHERE field = ?", alike)
        with pytest.raises(UserError) as refused:
            make_set(session, task)
    assert "fewer than four errors with other attributes" in refused.value.hint


def test_the_oracle_of_a_draw_that_lacks_a_class_stays_at_the_highest_macro_f1(small: Session) -> None:
    oracle, _ = add_judge(small, "oracle", "oracle")
    shares = SamplingOptions(shares={"error": 1, "competence": 1})
    made, _ = make_set(small, "verdict", draws=1, size=10, options=shares)
    (found,) = ask(small, [made], [oracle])
    truths = [str(item.response.truth["verdict"]["label"]) for item in found.items]
    assert {*truths} == {"error", "competence"}
    accuracy, figure = found.row("accuracy"), found.row("macro_f1")
    assert accuracy.mean == 1.0
    assert figure.mean == pytest.approx(highest_macro_f1(truths, ("error", "competence", "none"))) == 2 / 3


def test_two_judges_of_one_name_are_refused(small: Session) -> None:
    add_judge(small, "guess", "random")
    with pytest.raises(UserError, match="guess"):
        add_judge(small, "guess", "oracle")


def test_consistency_of_a_judge_that_is_right_nine_times_in_ten(
    figures: Mapping[tuple[str, str], RunFigures],
) -> None:
    found = figures["r3vqa", "reliable"]
    sizes = [*Counter(str(item.response.traits["chain"]) for item in found.items).values()]
    error = sqrt(sum(RIGHT**n * (1 - RIGHT**n) for n in sizes)) / len(sizes)
    figure = found.row("chain_consistency")
    assert figure.mean is not None
    assert abs(figure.mean - expected_consistency(sizes, RIGHT)) <= 3 * error
