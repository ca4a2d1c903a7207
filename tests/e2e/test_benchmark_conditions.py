"""Conditions from footage to tests: the same moments are judged as recorded, blurred and pixelated."""

import asyncio
import json
from base64 import b64decode
from collections import Counter
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
from project.errors import UserError
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
EACH, LONG_US = 6, 400_000
FPS, FRAMES = 10, 3 * EACH * 5
PLENTY, RARELY = 10, 3


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clips of nine seconds with a face and two renderings of each; two people mark the same moments in them."""
    folder = tmp_path_factory.mktemp("conditions")
    path = folder / "study.greenroom"
    Study.create(path).close()
    with Session.open(path, "Ada") as session:
        for number in range(2):
            size = 160 + 8 * number, 120
            clip = make_clip(folder / f"take {number}.mp4", size=size, frames=FRAMES, fps=FPS)
            add_recordings(session, [probe_file(clip)])
        for recording in all_recordings(session.study):
            frames = recording.duration_us * FPS // SECOND
            track(session, recording, None, frames=frames, looked_at=frames)
            for who in ("Ada", "Bo"):
                session.annotator_name = who
                for at in range(3 * EACH):
                    start = at * SECOND // 2
                    add_segment(session, recording.id, start, start + LONG_US, LABELS[at % 3], {})
            for method in METHODS:
                run_inline(session, anonymization.prepare(session, recording.id, method, folder / "clips"), Silent())
    return path


@pytest.fixture
def session(study: Path) -> Iterator[Session]:
    with Session.open(study, "Ada") as opened:
        yield opened


def ask(
    session: Session,
    made: ItemSet,
    judge: JudgeEntry,
    shown: ItemModality | None = None,
    conditions: tuple[str, ...] = METHODS,
) -> list[RunFigures]:
    ran = run_benchmark(
        session, BenchmarkRequest([made], [judge], shown=shown, conditions=(RAW_CONDITION, *conditions)), Silent()
    )
    assert not ran.notes, ran.notes[0].as_text()
    return read_figures(session, [run.id for run in ran.runs], samples=0)


def test_a_draw_holds_five_of_each_label(session: Session) -> None:
    made, _ = make_set(session, "conditions")
    assert made.draws == PLENTY
    counts = Counter((item.draw, str(item.content["label"])) for item in items_of(session.study, made.id))
    assert counts == {(draw, label): 5 for draw in range(PLENTY) for label in LABELS}


def test_a_study_with_few_moments_has_smaller_draws_where_that_is_wished(session: Session) -> None:
    made, _ = make_set(session, "conditions", draws=2, size=RARELY)
    assert Counter(item.draw for item in items_of(session.study, made.id)) == {0: 3, 1: 3}


def test_who_is_always_right_is_as_good_under_every_condition_and_nothing_is_tested(session: Session) -> None:
    oracle, _ = add_judge(session, "oracle", "oracle")
    found = ask(session, make_set(session, "conditions")[0], oracle)
    assert [run_figures.run.condition for run_figures in found] == [RAW_CONDITION, *METHODS]
    assert all(row.mean == 1.0 and row.sd == 0.0 for run_figures in found for row in run_figures.rows)
    rows = compare_conditions(found)
    assert {(condition_row.condition, condition_row.metric) for condition_row in rows} == {
        (m, f) for m in METHODS for f in ("accuracy", "macro_f1")
    }
    assert all("nothing to test" in condition_row.sentence and condition_row.test.t_p is None for condition_row in rows)


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
    rows = {
        compare_condition.condition: compare_condition
        for compare_condition in compare_conditions(found)
        if compare_condition.metric == "accuracy"
    }
    assert rows["blur"].test.conclusion is EquivalenceConclusion.DIFFERENT
    assert "lower than raw" in rows["blur"].sentence
    assert rows["blur"].test.t_p_holm is not None
    assert rows["blur"].test.equivalence_p is not None
    assert rows["blur"].test.equivalence_p > 0.05
    assert "the same as raw" in rows["pixelate"].sentence


def _moment(asked: Asked) -> int:
    """Return which moment of its clip a question shows a frame of."""
    text = json.dumps(asked.body)
    picture = text.partition("data:image/jpeg;base64,")[2].partition('"')[0]
    return number_in(b64decode(picture)) * 2 // FPS


@pytest.mark.parametrize("shown", [ItemModality.TEXT, ItemModality.TEXT_AND_VIDEO])
def test_a_tiny_local_model_judges_every_condition(session: Session, tiny_gguf: TinyModel, shown: ItemModality) -> None:
    settings: dict[str, Json] = {"projector": str(tiny_gguf.projector), "threads": 1, "frames": 1}
    local, _ = add_judge(session, f"tiny {shown.value}", "llama-cpp", str(tiny_gguf.model), settings)
    made, _ = make_set(session, "conditions", draws=1, size=RARELY)
    found = ask(session, made, local, shown)
    assert [run_figures.run.condition for run_figures in found] == [RAW_CONDITION, *METHODS]
    for run_figures in found:
        assert run_figures.counts.answered + run_figures.counts.unparsed == run_figures.counts.items == RARELY
        said = find_judgments(
            session.study, [each.judgment_id for each in answers_of(session.study, run_figures.run.id)]
        )
        assert {each.modality for each in said} == {
            Modality.BOTH if shown is ItemModality.TEXT_AND_VIDEO else Modality.TEXT
        }
    assert {compare_condition.condition for compare_condition in compare_conditions(found)} == {*METHODS}


def test_a_model_without_eyes_is_asked_where_words_alone_are_shown(session: Session, tiny_gguf: TinyModel) -> None:
    blind, _ = add_judge(session, "blind", "llama-cpp", str(tiny_gguf.model), {"threads": 1})
    made, _ = make_set(session, "conditions", draws=1, size=RARELY)
    for found in ask(session, made, blind, ItemModality.TEXT):
        assert found.counts.answered + found.counts.unparsed == found.counts.items
    ran = run_benchmark(session, BenchmarkRequest([made], [blind], shown=ItemModality.TEXT_AND_VIDEO), Silent())
    assert "sees no frames without a projector" in ran.notes[0].as_text()


def test_without_renderings_it_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "none.greenroom"
    Study.create(path).close()
    with Session.open(path, "Ada") as session:
        clip = make_clip(tmp_path / "take.mp4", size=(64, 48), frames=20, fps=FPS)
        add_recordings(session, [probe_file(clip)])
        with pytest.raises(UserError, match="No recording of this study has a rendering") as refused:
            make_set(session, "conditions")
    assert "\n" not in f"{refused.value.message}{refused.value.hint}"
    assert "greenroom anonymize" in refused.value.hint
