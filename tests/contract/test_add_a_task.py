"""The worked example of docs/add-a-task.md works as it stands: its task is asked, sampled, answered and measured."""

import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from app.core.benchmark.results.figures import figures_of
from app.core.benchmark.running.running import run_benchmark
from app.core.benchmark.running.wanted import Wanted
from app.core.benchmark.sets.making import make_set
from app.core.benchmark.sets.sources import SOURCES
from app.core.commands.judges import add_judge
from app.core.judging.seeing.plan import SightSettings
from app.core.judging.seeing.planning import plan_sight
from app.core.session import Session
from benchmark import prompts
from benchmark.prompts import parse_prompt
from benchmark.suite import registry as suite
from benchmark.tasks import registry as tasks
from project.invented.study import fill_whole
from project.progress import Silent
from project.queries.item_sets import items_of
from project.queries.judges import all_judges
from project.store import Study
from tests.contract.documentation import page


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page("add-a-task"), re.DOTALL)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Study.create(tmp_path / "lab.greenroom") as study:
        fill_whole(study, recordings=8, segments=200)
    with Session.open(tmp_path / "lab.greenroom", "Annotator 1") as opened:
        yield opened


@pytest.fixture
def channel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the code of the page where it says that it belongs."""
    for name, code in zip(("benchmark.tasks.channel", "benchmark.suite.channel"), blocks("python"), strict=True):
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(code, name, "exec"), module.__dict__)
    lines = dict(re.findall(r'^    "channel": "(benchmark\.(tasks|suite)\.channel:\w+)",$', page("add-a-task"), re.M))
    places = {kind: place for place, kind in lines.items()}
    monkeypatch.setitem(cast(dict[str, str], tasks.TASKS), "channel", places["tasks"])
    monkeypatch.setitem(cast(dict[str, str], suite.SUITE), "channel", places["suite"])
    (text,) = blocks("toml")
    monkeypatch.setattr(prompts, "shipped_text", lambda _key: text)
    monkeypatch.setattr(prompts, "shipped_keys", lambda: ("channel",))


def test_the_page_shows_a_task_that_works(session: Session, channel: None) -> None:
    assert parse_prompt(blocks("toml")[0], "channel").version == 1
    made, _ = make_set(session, "channel", draws=2, size=20)
    items = items_of(session.study, made.id)
    assert len(items) == 40
    content = cast(dict[str, Any], items[0].content)
    plan = plan_sight(session, f"item/{items[0].id}", "channel", settings=SightSettings(frames=0))
    assert plan.truth == content["truth"]["channel"]
    assert "nonverbal = Nonverbal" in plan.text
    add_judge(session, "perfect", "oracle")
    add_judge(session, "chance", "random")
    run_benchmark(session, Wanted([made], all_judges(session.study)), Silent())
    found = {one.judge: {row.metric: row for row in one.rows} for one in figures_of(session)}
    assert found["perfect"]["accuracy"].mean == found["perfect"]["macro_f1"].mean == 1.0
    assert found["chance"]["accuracy"].chance == pytest.approx(1 / 3)
    assert found["chance"]["accuracy"].n == 40


def test_the_page_names_the_sources_that_there_are() -> None:
    assert "segments" in SOURCES
    assert "`SOURCES` in `app/core/benchmark/sets/sources.py`" in page("add-a-task")
