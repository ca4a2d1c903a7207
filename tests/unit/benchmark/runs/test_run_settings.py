"""What a run has from its paper, where it departs from that, and that all say so in one line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.segments.segment_edits import add_segment
from annotate.study.scheme_versions import use_shipped_scheme
from benchmark.judging.judge_registry import add_judge
from benchmark.metrics.paper_settings import SETTING_NAMES, departure_lines, paper_settings
from benchmark.runs.run_figures import RunFigures, read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.run_settings import default_variant, run_settings
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets.frozen_sets import make_set
from benchmark.tasks.benchmark_task import SUITE
from project.progress import Silent
from project.queries.judgment_rows import all_judges
from project.session.session import Session
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import SECOND, WALK, open_study
from tests.builders.misbehaving_server import Behaviour, misbehaving, says

ANSWERS = ({"explanation": "She laughs."}, {"explanation": "She left."}, {"score": 8}, {"score": 3}, {"score": 6})


def thought(answer: dict[str, object]) -> Behaviour:
    return says(json.dumps({"thoughts": "Well.", "answer": answer}))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as opened:
        use_shipped_scheme(opened, "socialnli")
        values = {"statement": "She jokes.", "plausibility": 80, "explanation": "So."}
        add_segment(opened, WALK, 0, 5 * SECOND, "belief", values, scheme="socialnli")
        yield opened


def lines_of(found: RunFigures) -> list[str]:
    return departure_lines([(found.item_set.task, found.judge, run_settings(found.run, found.item_set))])


def test_a_statement_is_asked_as_the_paper_says_and_in_both_readings_of_the_opposing_likelihood(
    session: Session,
) -> None:
    made, _ = make_set(session, "socialnli")
    with misbehaving(*map(thought, ANSWERS)) as server:
        settings = {"url": server.url, "sees": "text", "concurrency": 1, "tries": 1}
        judge, _ = add_judge(session, "model", "openai", "fake-1", settings)
        ran = run_benchmark(session, BenchmarkRequest([made], [judge]), Silent())
    bodies = [asked.body for asked in server.asked]
    assert len(bodies) == len(ANSWERS)
    assert {body["temperature"] for body in bodies} == {0.7}
    assert {body.get("max_tokens", body.get("max_completion_tokens")) for body in bodies} == {5000}
    negated, plain = (body["messages"][-1]["content"] for body in bodies[3:])
    assert "The explanation: She left." in negated
    assert "The claim: The statement is false: She jokes." in negated
    assert "The explanation: She left." in plain
    assert "The statement: She jokes." in plain
    assert "is false" not in plain
    (found,) = read_figures(session, [run.id for run in ran.runs], samples=0)
    figures = {row.metric: row.mean for row in found.rows}
    assert figures["mae"] == pytest.approx(0.8 * 0.7 / (0.8 * 0.7 + 0.2 * 0.3) - 0.8)
    assert figures["mae.c8"] == pytest.approx(0.8 - 0.8 * 0.4 / (0.8 * 0.4 + 0.2 * 0.6))
    (line,) = lines_of(found)
    wording = "Other than in SocialNLI, socialnli, model: wording of prompts our own (there that of appendix C)"
    assert line == f"{wording}."


def test_whatever_differs_from_the_paper_stands_beside_its_rows(session: Session) -> None:
    made, _ = verdicts(session, ("error", "none", "error", "competence"), draws=2)
    with misbehaving(says('{"label": "error"}')) as server:
        add_judge(session, "model", "openai", "m", {"url": server.url, "tries": 1, "frames": 8, "temperature": 1})
        add_judge(session, "oracle", "oracle")
        run_benchmark(session, BenchmarkRequest([made], all_judges(session.study)), Silent())
    lines = [line for found in read_figures(session, samples=0) for line in lines_of(found)]
    drawn = "draws 2 (there 3); shares of the labels the same for each (there competence 0.295, error 0.5, none 0.205)"
    model = next(line for line in lines if ", model:" in line)
    assert "frames 8 (there 15)" in model
    assert "wording of prompts our own (there that of appendix B)" in model
    oracle = next(line for line in lines if ", oracle:" in line)
    assert all(drawn in line for line in (model, oracle))
    assert "wording" not in oracle


def test_every_task_declares_how_its_paper_asked() -> None:
    for task in SUITE:
        declared = paper_settings(task)
        assert declared is not None
        assert declared.values.keys() <= SETTING_NAMES.keys()
        assert default_variant(task) == ("cot" if task == "socialnli" else "plain")
        assert departure_lines([(task, "model", declared.values)]) == []
