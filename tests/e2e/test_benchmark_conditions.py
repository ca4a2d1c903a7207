"""Conditions from footage to tests: the same moments are judged as recorded, blurred and pixelated."""

import asyncio
import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_job as anonymization
from benchmark.judging.judge_registry import add_judge
from benchmark.metrics.paired_tests import EquivalenceConclusion
from benchmark.runs.run_figures import RunFigures, compare_conditions, read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets.frozen_sets import make_set
from project.entities.frozen_items import ItemModality, ItemSet
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Modality
from project.entities.study_records import Json
from project.progress import Silent
from project.queries.item_set_rows import answers_of, items_of
from project.queries.judgment_rows import find_judgments
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.conversation_study import number_in
from tests.builders.misbehaving_server import Asked, misbehaving, says
from tests.builders.release_study import track
from tests.builders.tiny_gguf import TinyModel

SECOND = 1_000_000
METHODS = ("blur", "pixelate")
LABELS = ("error", "competence", "none")
MOMENTS, LONG_US = 18, 400_000
FPS = 4
"""Two frames to a moment, which begins every half second."""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clips of nine seconds with two renderings of each; two people mark the same moments in them."""
    folder = tmp_path_factory.mktemp("conditions")
    path = folder / "study.greenroom"
    Study.create(path).close()
    with Session.open(path, "Ada") as session:
        for number in range(2):
            clip = make_clip(folder / f"{number}.mp4", size=(160 + 8 * number, 120), frames=2 * MOMENTS, fps=FPS)
            add_recordings(session, [probe_file(clip)])
        for recording in all_recordings(session.study):
            track(session, recording, None, frames=1, looked_at=2 * MOMENTS)
            for who in ("Ada", "Bo"):
                session.annotator_name = who
                for at in range(MOMENTS):
                    start = at * SECOND // 2
                    add_segment(session, recording.id, start, start + LONG_US, LABELS[at % 3], {})
            for method in METHODS:
                run_inline(session, anonymization.prepare(session, recording.id, method, folder / "clips"), Silent())
    return path


@pytest.fixture
def session(study: Path) -> Iterator[Session]:
    with Session.open(study, "Ada") as opened:
        yield opened


def ask(session: Session, made: ItemSet, judge: JudgeEntry, shown: ItemModality | None = None) -> list[RunFigures]:
    wanted = BenchmarkRequest([made], [judge], shown=shown, conditions=(RAW_CONDITION, *METHODS))
    ran = run_benchmark(session, wanted, Silent())
    assert not ran.notes, ran.notes[0].as_text()
    found = read_figures(session, [run.id for run in ran.runs], samples=0)
    assert [run_figures.run.condition for run_figures in found] == [RAW_CONDITION, *METHODS]
    return found


def test_who_sees_worse_when_blurred_is_said_to_differ_there_alone(session: Session) -> None:
    """A model is right on raw footage and on what is pixelated, and wrong on half of what is blurred."""
    made, _ = make_set(session, "conditions")
    moments = len({(item.recording_id, item.start_us) for item in items_of(session.study, made.id)})

    async def answered(asked: Asked, writer: asyncio.StreamWriter) -> None:
        moment = _moment(asked)
        label = (moment + moment % 2) if moments < len(server.asked) <= 2 * moments else moment
        await says(json.dumps({"label": LABELS[label % 3]}))(asked, writer)

    with misbehaving(answered) as server:
        settings: dict[str, Json] = {"url": server.url, "frames": 1, "concurrency": 1, "tries": 1}
        model, _ = add_judge(session, "model", "openai", "fake-1", settings)
        found = ask(session, made, model)
        assert len(server.asked) == 3 * moments
    rows = {row.condition: row for row in compare_conditions(found) if row.metric == "accuracy"}
    assert rows["blur"].test.conclusion is EquivalenceConclusion.DIFFERENT
    assert "lower than raw" in rows["blur"].sentence
    assert rows["blur"].test.t_p_holm is not None
    assert rows["blur"].test.equivalence_p is not None
    assert rows["blur"].test.equivalence_p > 0.05
    assert "the same as raw" in rows["pixelate"].sentence


def _moment(asked: Asked) -> int:
    """Return which moment of its clip a question shows a frame of."""
    picture = json.dumps(asked.body).partition("data:image/jpeg;base64,")[2].partition('"')[0]
    return number_in(b64decode(picture)) // 2


def test_who_is_always_right_is_as_good_under_every_condition_and_nothing_is_tested(session: Session) -> None:
    oracle, _ = add_judge(session, "oracle", "oracle")
    found = ask(session, make_set(session, "conditions", draws=2)[0], oracle)
    assert all(row.mean == 1.0 and row.sd == 0.0 for run_figures in found for row in run_figures.rows)
    rows = compare_conditions(found)
    assert {(row.condition, row.metric) for row in rows} == {(m, f) for m in METHODS for f in ("accuracy", "macro_f1")}
    assert all("nothing to test" in row.sentence and row.test.t_p is None for row in rows)


@pytest.mark.soak
@pytest.mark.parametrize("shown", [ItemModality.TEXT, ItemModality.TEXT_AND_VIDEO])
def test_a_tiny_local_model_judges_every_condition(session: Session, tiny_gguf: TinyModel, shown: ItemModality) -> None:
    settings: dict[str, Json] = {"projector": str(tiny_gguf.projector), "threads": 1, "frames": 1}
    local, _ = add_judge(session, f"tiny {shown.value}", "llama-cpp", str(tiny_gguf.model), settings)
    made, _ = make_set(session, "conditions", draws=1, size=3)
    for run_figures in ask(session, made, local, shown):
        assert run_figures.counts.answered + run_figures.counts.unparsed == run_figures.counts.items == 3
        answers = answers_of(session.study, run_figures.run.id)
        said = find_judgments(session.study, [answer.judgment_id for answer in answers])
        asked_with = Modality.BOTH if shown is ItemModality.TEXT_AND_VIDEO else Modality.TEXT
        assert {judgment.modality for judgment in said} == {asked_with}
