"""The diffs in CONTRIBUTING.md apply, and the format and the task that they add work."""

import importlib
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from annotate.interchange import annotation_files
from annotate.interchange.annotation_files import FORMATS, READ_ONLY_FORMATS, guess_format, read_file
from annotate.interchange.document import Format
from annotate.interchange.document_export import export_recordings, exportable_recordings
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.judge_registry import add_judge
from benchmark.prompts.judge_prompt import TASKS
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets.frozen_sets import make_set
from benchmark.tasks.benchmark_task import SUITE
from project.plugins.plugin_registry import Plugins
from project.progress import Silent
from project.queries.item_set_rows import items_of
from project.queries.judgment_rows import all_judges
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_study import fill_whole_study
from resources import prompt_texts, resource
from tests.contract.documentation import ROOT

DIFFS = dict(
    re.findall(
        r"^## ([^\n]+)\n(?:(?!^## ).)*?^```diff\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M | re.S
    )
)
PACKAGES = ("annotate.interchange.formats", "benchmark.prompts", "benchmark.tasks")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, session_folders: None) -> Any:
    path = tmp_path_factory.mktemp("study") / "lab.greenroom"
    with Study.create(path) as study:
        fill_whole_study(study, recordings=8, segments=200)
    with Session.open(path, "Annotator 1") as opened:
        yield opened


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder for a copy of what a diff changes."""
    return tmp_path / "copy"


def applied(heading: str, copy: Path) -> Path:
    """Return a copy of the files that a diff changes, with the diff applied."""
    copy.mkdir()
    for name in re.findall(r"^--- a/(.+)$", DIFFS[heading], re.M):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    subprocess.run(["git", "apply", "--whitespace=error", "-"], input=DIFFS[heading], text=True, cwd=copy, check=True)
    return copy


def register(monkeypatch: pytest.MonkeyPatch, registry: Plugins[Any], copy: Path, name: str) -> list[str]:
    """Take over the entries that a changed module adds to a registry; return their keys."""
    for package in map(importlib.import_module, PACKAGES):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(copy / package.__name__.replace(".", "/"))])
    module = importlib.import_module(name.removesuffix(".py").replace("/", "."))
    (variable,) = (variable for variable, value in vars(module).items() if value is registry)
    known = runpy.run_path(str(copy / name))[variable]
    added = [key for key in known if key not in registry]
    for key in added:
        monkeypatch.setitem(registry, key, known[key])
    return added


def test_each_addition_has_one_diff() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n# Additions\n")[2]
    assert [*DIFFS] == re.findall(r"^## (.+)$", text, re.M)
    assert text.count("```diff") == len(DIFFS)


@pytest.mark.parametrize("heading", DIFFS)
def test_a_diff_applies(heading: str, copy: Path) -> None:
    copy = applied(heading, copy)
    assert all((copy / name).is_file() for name in re.findall(r"^\+\+\+ b/(.+)$", DIFFS[heading], re.M))
    for path in copy.rglob("*.py"):
        compile(path.read_text("utf-8"), path, "exec")


def test_the_format_writes_what_it_reads(session: Session, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = applied("A format of annotations", copy)
    (key,) = register(monkeypatch, FORMATS, copy, "annotate/interchange/annotation_files.py")
    monkeypatch.setattr(annotation_files, "READ_FORMATS", (*FORMATS, *READ_ONLY_FORMATS))
    made = FORMATS.make(key)
    assert isinstance(made, Format)
    recording = exportable_recordings(session)[:1]
    (path,) = export_recordings(session, made, copy / f"out{made.suffixes[0]}", recording)
    (part,) = read_file(path, key).recordings
    assert guess_format(path).key == key
    assert sum(len(lane.entries) for lane in part.lanes) == path.read_text("utf-8").count("\n") - 1 > 0


def test_the_task_is_asked_sampled_answered_and_measured(
    session: Session, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = applied("A task of the benchmark", copy)
    (key,) = register(monkeypatch, TASKS, copy, "benchmark/prompts/judge_prompt.py")
    assert register(monkeypatch, SUITE, copy, "benchmark/tasks/benchmark_task.py") == [key]
    keys = prompt_texts.prompt_keys()
    monkeypatch.setattr(
        prompt_texts,
        "resource",
        lambda *parts: copy / "resources" / Path(*parts) if parts[-1] == f"{key}.toml" else resource(*parts),
    )
    for module in ("resources.prompt_texts", "benchmark.prompts.prompt_templates"):
        monkeypatch.setattr(f"{module}.prompt_keys", lambda: (*keys, key))
    made, _ = make_set(session, key, draws=2, size=20)
    items = items_of(session.study, made.id)
    assert len(items) == 40
    content = cast(dict[str, Any], items[0].content)
    plan = plan_input(session, f"item/{items[0].id}", key, settings=InputSettings(frames=0))
    assert plan.truth == content["truth"][key]
    assert "nonverbal = Nonverbal" in plan.text
    add_judge(session, "perfect", "oracle")
    add_judge(session, "chance", "random")
    run_benchmark(session, BenchmarkRequest([made], all_judges(session.study)), Silent())
    found = {figure.judge: {row.metric: row for row in figure.rows} for figure in read_figures(session)}
    assert found["perfect"]["accuracy"].mean == found["perfect"]["macro_f1"].mean == 1.0
    assert found["chance"]["accuracy"].chance == pytest.approx(1 / 3)
