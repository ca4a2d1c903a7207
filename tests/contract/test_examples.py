"""Examples of the documentation work as they stand."""

import re
import sqlite3
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.judge_registry import add_judge
from benchmark.prompts import judge_prompt as tasks
from benchmark.prompts import prompt_templates as prompts
from benchmark.prompts.prompt_templates import parse_prompt
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets.frozen_sets import make_set
from benchmark.sets.item_sources import POOL_SOURCES
from benchmark.tasks import benchmark_task as suite
from project.progress import Silent
from project.queries.item_set_rows import items_of
from project.queries.judgment_rows import all_judges
from project.schemes.scheme import FieldKind
from project.schemes.scheme_file import parse_scheme
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.synthetic.synthetic_study import fill_whole_study
from tests.contract.documentation import page


def blocks(language: str, name: str = "add-a-task") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page(name), re.DOTALL)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Study.create(tmp_path / "lab.greenroom") as study:
        fill_whole_study(study, recordings=8, segments=200)
    with Session.open(tmp_path / "lab.greenroom", "Annotator 1") as opened:
        yield opened


@pytest.fixture
def channel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the code of the page where it says that it belongs."""
    names = ("benchmark.prompts.channel_prompt", "benchmark.tasks.channel_task")
    for name, code in zip(names, blocks("python"), strict=True):
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(code, name, "exec"), module.__dict__)
    line = r'^    "channel": "(benchmark\.(prompts|tasks)\.channel_\w+:\w+)",$'
    lines = dict(re.findall(line, page("add-a-task"), re.M))
    places = {kind: place for place, kind in lines.items()}
    monkeypatch.setitem(tasks.TASKS, "channel", places["prompts"])
    monkeypatch.setitem(suite.SUITE, "channel", places["tasks"])
    (text,) = blocks("toml")
    monkeypatch.setattr(prompts, "shipped_text", lambda _key: text)
    monkeypatch.setattr(prompts, "prompt_keys", lambda: ("channel",))


def test_the_task_is_asked_sampled_answered_and_measured(session: Session, channel: None) -> None:
    assert "segments" in POOL_SOURCES
    assert parse_prompt(blocks("toml")[0], "channel").version == 1
    made, _ = make_set(session, "channel", draws=2, size=20)
    items = items_of(session.study, made.id)
    assert len(items) == 40
    content = cast(dict[str, Any], items[0].content)
    plan = plan_input(session, f"item/{items[0].id}", "channel", settings=InputSettings(frames=0))
    assert plan.truth == content["truth"]["channel"]
    assert "nonverbal = Nonverbal" in plan.text
    add_judge(session, "perfect", "oracle")
    add_judge(session, "chance", "random")
    run_benchmark(session, BenchmarkRequest([made], all_judges(session.study)), Silent())
    found = {figure.judge: {row.metric: row for row in figure.rows} for figure in read_figures(session)}
    assert found["perfect"]["accuracy"].mean == found["perfect"]["macro_f1"].mean == 1.0
    assert found["chance"]["accuracy"].chance == pytest.approx(1 / 3)
    assert found["chance"]["accuracy"].n == 40


def test_the_scheme_is_one_with_fields_of_several_kinds() -> None:
    scheme = parse_scheme(blocks("toml", "schemes")[0], "greetings.toml")
    assert {field.kind for field in scheme.fields} >= {FieldKind.PARTICIPANT, FieldKind.SCALE, FieldKind.CHOICES}


def test_the_query_for_other_programs_returns_every_segment_with_its_rationale(tmp_path: Path) -> None:
    path = tmp_path / "my-study.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=3, segments=20)
    query = re.search(r'read_sql\(\n\s+"""(.*?)"""', page("study-file"), re.DOTALL)
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    rows = connection.execute(query[1]).fetchall()
    connection.close()
    assert len(rows) == 20
    assert {row[2] for row in rows} <= {"error", "competence", "none"}
    assert any(isinstance(row[5], str) and row[5].endswith(".") for row in rows)
