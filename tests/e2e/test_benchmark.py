"""Every task of the benchmark, from an invented study to figures: baselines whose figures are known beforehand."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean

import pytest

from annotate.segments.segment_edits import add_segment
from benchmark.authoring.synthetic_questions import add_synthetic_questions
from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_figures import RunFigures, read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets import frozen_sets as making
from benchmark.sets.frozen_sets import make_set
from benchmark.tasks.benchmark_task import SUITE
from project.entities.frozen_items import ItemModality, ItemSet
from project.entities.judgments import JudgeEntry
from project.entities.study_records import Json
from project.errors import UserError
from project.progress import Silent
from project.queries.annotator_rows import all_annotators
from project.queries.item_set_rows import find_item_set, items_of
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_phrases import InventedIds
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.metric_cases import constant_macro_f1
from tests.builders.terminal import Terminal
from tests.builders.tiny_gguf import Shape, write_tiny_model

SIZES = {"socialnli": 40, "socialnli_facts": 20, "r3vqa_written": 0, "esi": 0, "sotopia_eval": 0}
"""Items of a draw, where a task usually takes more than a test needs; 0 for all."""
NEEDS_RENDERINGS = {"conditions"}
WITHOUT_TRUTH = {"socialnli_facts"}
RATED = {"socialnli", "sotopia_eval"}
ASKED = [key for key in SUITE if key not in NEEDS_RENDERINGS]
GUESSED = {
    **dict.fromkeys(("pre", "post", "rationale", "correction", "r3vqa", "r3vqa_written"), 1 / 5),
    **{"verdict": 1 / 3, "error": 1 / 2, "multiple": 1 / 2, "esi": 1 / 4},
}
"""Tasks with one right answer -> the accuracy of guesses."""
ONE_LABEL = {"verdict": "error", "error": "yes", "multiple": "yes"}
"""Tasks whose answer is one label -> what the constant judge says."""
RIGHT = 0.9


@dataclass(frozen=True)
class Scale:
    """How large a study is, and the sets that are drawn of it; None for what a task takes by itself."""

    recordings: int
    segments: int
    size: int | None = None
    draws: int | None = None


SOME, AS_SHREC = Scale(12, 250, size=30, draws=2), Scale(403, 10353)


@dataclass(frozen=True)
class Figures:
    """What baselines came to, and what was said of those that could not be asked."""

    by_task_and_judge: dict[tuple[str, str], RunFigures]
    notes: list[str]

    def __getitem__(self, key: tuple[str, str]) -> RunFigures:
        return self.by_task_and_judge[key]

    def mean(self, task: str, judge: str, metric: str = "accuracy") -> float:
        mean = self[task, judge].row(metric).mean
        assert mean is not None
        return mean


def listed(value: Json) -> list[str]:
    assert isinstance(value, list)
    return [str(item) for item in value]


def ask(session: Session, sets: list[ItemSet], judges: list[JudgeEntry]) -> Figures:
    ran = run_benchmark(session, BenchmarkRequest(sets, judges, shown=ItemModality.TEXT), Silent())
    found = read_figures(session, [run.id for run in ran.runs], samples=0, parts=False)
    return Figures({(one.item_set.task, one.judge): one for one in found}, [note.as_text() for note in ran.notes])


@pytest.fixture(scope="module", params=[SOME, pytest.param(AS_SHREC, marks=pytest.mark.soak)], ids=["some", "as SHREC"])
def scale(request: pytest.FixtureRequest) -> Scale:
    found: Scale = request.param
    return found


@pytest.fixture(scope="module")
def study(scale: Scale, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("benchmark") / "study.greenroom"
    with Study.create(path) as made:
        fill_whole_study(made, scale.recordings, scale.segments)
        add_synthetic_questions(Session(made, "Annotator 1"), 0, Silent())
    return path


@pytest.fixture
def copy(study: Path, tmp_path: Path) -> Iterator[Session]:
    with Session.open(Path(shutil.copy(study, tmp_path)), "Annotator 1") as session:
        yield session


@pytest.fixture(scope="module")
def figures(study: Path, scale: Scale, tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """Ask every baseline every task.

    Items get the same ids each time: these decide what is guessed, and of so many figures one would stray now and then.
    """
    path = Path(shutil.copy(study, tmp_path_factory.mktemp("asked")))
    with pytest.MonkeyPatch.context() as patch, Session.open(path, "Annotator 1") as session:
        patch.setattr(making, "new_id", InventedIds(random.Random(1)).new)
        judges = [add_judge(session, name, name)[0] for name in ("random", "oracle", "majority", "reliable")]
        sets = [make_set(session, key, size=SIZES.get(key, scale.size), draws=scale.draws)[0] for key in ASKED]
        constant, _ = add_judge(session, "constant", "constant", settings={"says": "error, yes"})
        all_asked = ask(session, sets, judges)
        few_asked = ask(session, [item_set for item_set in sets if item_set.task in ONE_LABEL], [constant])
        return Figures(all_asked.by_task_and_judge | few_asked.by_task_and_judge, all_asked.notes)


def off(mean: float, share: float, items: int) -> float:
    """Return how many standard errors a share of right answers lies off the one that was to be expected."""
    return abs(mean - share) / sqrt(share * (1 - share) / items)


@pytest.mark.parametrize("task", ASKED)
def test_each_baseline_comes_to_what_is_known_beforehand(figures: Figures, task: str) -> None:
    oracle = figures[task, "oracle"]
    items = oracle.counts.items
    assert items > 0
    if task in WITHOUT_TRUTH:
        for judge in ("oracle", "majority", "reliable"):
            counts = figures[task, judge].counts
            assert (counts.missing, counts.answered) == (items, 0)
            assert all(row.mean is None for row in figures[task, judge].rows)
        assert any("does not apply" in note for note in figures.notes)
        return
    assert oracle.counts.answered == items
    assert oracle.rows[0].mean == pytest.approx(1.0), oracle.rows[0].metric
    if task in GUESSED:
        assert off(figures.mean(task, "random"), GUESSED[task], items) <= 3
        assert off(figures.mean(task, "reliable"), RIGHT, items) <= 3
        key = next(iter(oracle.items[0].response.truth))
        truths = Counter(str(value) for item in oracle.items for value in item.response.truth[key].values())
        assert figures.mean(task, "majority") == pytest.approx(max(truths.values()) / items, abs=0.01)
    if task in RATED:
        majority = figures[task, "majority"]
        assert majority.counts.answered == items
        assert majority.row("pearson_r").mean is None, "everything is rated alike"
        assert majority.row("mae").mean is not None


@pytest.mark.parametrize(("task", "says"), ONE_LABEL.items())
def test_the_constant_judge_has_the_macro_f1_of_the_closed_form_in_every_draw(
    figures: Figures, task: str, says: str
) -> None:
    found = figures[task, "constant"]
    labels = listed(found.items[0].response.traits["labels"])
    draws: dict[int, list[str]] = {}
    for item in found.items:
        (truth,) = item.response.truth[task].values()
        draws.setdefault(item.response.draw, []).append(str(truth))
    assert {value for item in found.items for value in item.response.answers[task].values()} == {says}
    expected = fmean(constant_macro_f1(truths, says, labels) or 0.0 for truths in draws.values())
    assert figures.mean(task, "constant", "macro_f1") == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("tasks", [["verdict", "socialnli"], pytest.param(ASKED, marks=pytest.mark.soak)])
def test_a_tiny_local_model_answers_every_task(copy: Session, tmp_path: Path, tasks: list[str]) -> None:
    tiny = write_tiny_model(tmp_path, Shape(width=32, heads=2, layers=1, inner=32))
    settings: dict[str, Json] = {"projector": str(tiny.projector), "threads": 1}
    local, _ = add_judge(copy, "tiny", "llama-cpp", str(tiny.model), settings)
    sets = [make_set(copy, key, draws=1, size=8 if key == "r3vqa" else 1)[0] for key in tasks]
    for found in ask(copy, sets, [local]).by_task_and_judge.values():
        assert found.counts.answered + found.counts.unparsed == found.counts.items > 0, found.item_set.task


def test_explanations_of_judges_are_checked_beside_those_of_people(copy: Session) -> None:
    oracle, _ = add_judge(copy, "oracle", "oracle")
    guess, _ = add_judge(copy, "random", "random")
    ask(copy, [make_set(copy, "socialnli", size=6)[0]], [oracle])
    found = ask(copy, [make_set(copy, "socialnli_facts")[0]], [guess])["socialnli_facts", "random"]
    assert {item.response.traits["author"] for item in found.items} == {"people", "oracle"}
    assert {row.metric for row in found.rows} >= {"factuality"}


def test_no_task_takes_a_study_with_one_segment(tmp_path: Path) -> None:
    with Study.create(tmp_path / "one.greenroom") as study:
        fill_whole_study(study, 1, 0, 1)
        session = Session(study, "Annotator 1")
        filled: dict[str, Json] = {
            "attributes": ["norms"],
            "channel": "verbal",
            "rationale": "So.",
            "correction": "No.",
        }
        add_segment(session, all_recordings(study)[0].id, 0, 5_000_000, "error", filled)
        for key in ASKED:
            with pytest.raises(UserError):
                make_set(session, key)


def test_a_benchmark_is_run_taken_up_read_and_compared_by_commands(copy: Session, greenroom: Terminal) -> None:
    study = copy.study.path
    copy.close()
    for name in ("oracle", "random"):
        greenroom("judge", "add", study, name, "--backend", name)
    asked = ("benchmark", "run", study, "--task", "verdict", "--draws", "2", "--seed", "3")
    told = greenroom.json(*asked, "--judge", "oracle", "--judge", "random", "--judge", "oracle")
    assert [(item_set["name"], item_set["made"]) for item_set in told["sets"]] == [("verdict-seed-3", True)]
    lines = {result["judge"]: result for result in told["results"] if result["metric"] == "accuracy"}
    assert {*lines} == {"oracle", "random"}, "who is named twice is asked once"
    assert {"task", "judge", "metric", "mean", "sd", "n", "unparsed"} <= {*lines["oracle"]}
    assert (lines["oracle"]["mean"], lines["oracle"]["sd"], len(told["runs"])) == (1.0, 0.0, 2)

    again = greenroom.json(*asked, "--judge", "oracle")
    assert (again["sets"][0]["made"], again["answered"], again["taken_up"]) == (False, 0, again["runs"])
    assert again["runs"][0] in told["runs"]

    found = greenroom.json("benchmark", "results", study, "--task", "verdict", "--parts")
    assert {result["judge"] for result in found["results"]} == {"oracle", "random"}
    assert found["runs"][0]["confusions"][0]["labels"] == ["error", "competence", "none"]
    (compared,) = greenroom.json("benchmark", "compare", study, "oracle", "random")["comparisons"]
    assert (compared["paired"], compared["mcnemar"]["second_only"]) == (True, 0)
    shown = greenroom("benchmark", "results", study, "--parts")
    assert "published, SHREC" in shown
    assert "chance: Accuracy 33.3 %" in shown
    assert "McNemar" in greenroom("benchmark", "compare", study, "oracle", "random")

    with Session.open(study, read_only=True) as session:
        item_set = find_item_set(session.study, told["sets"][0]["id"])
        about = {item.about for item in items_of(session.study, item_set.id)}
        segment = next(segment for segment in all_segments(session.study) if segment.id in about)
        maker = next(each for each in all_annotators(session.study) if each.id == segment.annotator_id)
    greenroom("segment", "delete", study, segment.id, "--annotator", maker.name)
    (changed,) = greenroom.json("benchmark", "results", study, "--task", "verdict")["changed"]
    assert (changed["set"], changed["sha256"]) == ("verdict-seed-3", item_set.sha256)
    assert changed["items"] >= 1
    assert not greenroom.json(*asked, "--judge", "oracle")["sets"][0]["made"], "it stays the set that was drawn"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("benchmark run STUDY --judge oracle", "nothing to run"),
        ("benchmark run STUDY --task juggling --judge oracle", "no benchmark task"),
        ("benchmark run STUDY --set nothing --judge oracle", "no item set"),
        ("benchmark run STUDY --task verdict --judge nobody", "no judge"),
        ("benchmark results STUDY --judge nobody", "No run matches"),
        ("benchmark compare STUDY oracle nobody", "has no answers"),
        ("judge add STUDY oracle --backend random", "already"),
    ],
)
def test_what_cannot_be_run_is_one_line(command: str, said: str, greenroom: Terminal, session: Session) -> None:
    add_judge(session, "oracle", "oracle")
    study = str(session.study.path)
    session.close()
    assert said in greenroom(*[study if word == "STUDY" else word for word in command.split()], code=2)
