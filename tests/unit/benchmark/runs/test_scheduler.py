"""Runs are begun before they ask, taken up where they were, and ask nothing twice."""

from dataclasses import replace

import pytest

from benchmark.cluster.coordinator import JobResult
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_budget import Limits
from benchmark.runs import scheduler as running
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest, start_runs
from benchmark.runs.scheduler import BenchmarkResult, BenchmarkScheduler, run_benchmark
from project.entities.frozen_items import ItemModality, ItemSet
from project.entities.judgments import JudgeEntry, JudgmentStatus, Modality
from project.errors import Cancelled, UserError
from project.progress import Progress, Silent
from project.queries.item_set_rows import answers_of, benchmark_runs, read_run_answers
from project.queries.judgment_rows import find_judgments
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from tests.builders.item_sets import verdicts
from tests.builders.misbehaving_server import Server, fails, misbehaving, says

LABELS = ("error", "none", "competence", "error", "none", "error")
ERROR = says('{"label": "error"}')


def at_server(session: Session, server: Server, name: str = "model", **settings: object) -> JudgeEntry:
    usual = {"url": server.url, "sees": "text", "concurrency": 1, "tries": 1}
    return add_judge(session, name, "openai", "fake-1", {**usual, **settings})[0]


def baseline(session: Session, backend: str, name: str = "") -> JudgeEntry:
    return add_judge(session, name or backend, backend, "", {})[0]


def go(session: Session, item_set: ItemSet, *judges: JudgeEntry, **more: object) -> BenchmarkResult:
    return run_benchmark(session, BenchmarkRequest([item_set], judges, **more), Silent())


def statuses(session: Session, run_id: str) -> list[JudgmentStatus]:
    return [run_answer.status for run_answer in read_run_answers(session.study, run_id)]


def test_a_run_is_in_the_study_before_its_first_question(session: Session) -> None:
    item_set, _ = verdicts(session, LABELS)
    oracle = baseline(session, "oracle")

    class Looking(Silent):
        known = 0

        def check_cancelled(self) -> None:
            self.known = len(benchmark_runs(session.study))
            raise Cancelled

    progress = Looking()
    with pytest.raises(Cancelled):
        run_benchmark(session, BenchmarkRequest([item_set], [oracle]), progress)
    assert progress.known == 1
    (run,) = benchmark_runs(session.study)
    assert (run.judge["name"], run.shown, run.condition) == ("oracle", ItemModality.TEXT, "raw")


def test_each_answer_is_noted_under_its_run(session: Session) -> None:
    item_set, items = verdicts(session, LABELS, draws=2)
    ran = go(session, item_set, baseline(session, "oracle"), baseline(session, "random"))
    assert len(ran.runs) == 2
    for run in ran.runs:
        answers = answers_of(session.study, run.id)
        assert {(answer.item_id, answer.part) for answer in answers} == {(item.id, "verdict") for item in items}
        judgments = find_judgments(session.study, [answer.judgment_id for answer in answers])
        assert {judgment.judge_id for judgment in judgments} == {run.judge_id}
    assert not ran.notes


def test_what_failed_is_asked_again_and_what_was_refused_is_not(session: Session) -> None:
    item_set, _ = verdicts(session, LABELS)
    behaviours = [ERROR, says(None, refusal="no"), fails(400), says("I cannot tell"), says("I cannot tell"), ERROR]
    with misbehaving(*behaviours) as server:
        model = at_server(session, server)
        first = go(session, item_set, model)
        assert [first.outcome.refused, first.outcome.failed] == [1, 1]
        (figures,) = read_figures(session, [first.runs[0].id], samples=0)
        assert (figures.counts.refused, figures.counts.errors, figures.counts.missing) == (1, 1, 0)
        before = len(server.asked)
        second = go(session, item_set, model)
        assert len(server.asked) == before + 1
    assert [run.id for run in second.runs] == [run.id for run in first.runs] == [*second.resumed_ids]
    (figures,) = read_figures(session, [first.runs[0].id], samples=0)
    assert (figures.counts.refused, figures.counts.errors, figures.counts.counted) == (1, 0, len(LABELS))
    accuracy = figures.row("accuracy")
    assert (accuracy.mean, accuracy.n) == (pytest.approx(2 / 6), len(LABELS)), "what was refused or not read is wrong"


def test_again_is_a_new_run_that_keeps_the_answers_there_were(session: Session) -> None:
    item_set, _ = verdicts(session, LABELS)
    with misbehaving(says(None, refusal="no"), ERROR) as server:
        model = at_server(session, server)
        first = go(session, item_set, model).runs[0]
        second = go(session, item_set, model, again=True).runs[0]
        assert len(server.asked) == len(LABELS) + 1
        third = go(session, item_set, model, fresh=True).runs[0]
        assert len(server.asked) == 2 * len(LABELS) + 1
    assert len({first.id, second.id, third.id}) == 3
    assert statuses(session, first.id).count(JudgmentStatus.REFUSED) == 1
    assert {*statuses(session, second.id)} == {*statuses(session, third.id)} == {JudgmentStatus.OK}


def test_what_stands_in_several_draws_is_asked_once(session: Session) -> None:
    item_set, items = verdicts(session, [label for label in LABELS for _ in range(3)], draws=3, same=True)
    with misbehaving(ERROR) as server:
        ran = go(session, item_set, at_server(session, server))
        assert len(server.asked) == len(LABELS)
    answers = read_run_answers(session.study, ran.runs[0].id)
    assert {answer.item_id for answer in answers} == {item.id for item in items}
    assert sum(answer.cached for answer in answers) == 2 * len(LABELS)


def test_another_setting_or_way_is_another_run(session: Session) -> None:
    item_set, _ = verdicts(session, LABELS)
    constant = baseline(session, "constant")
    wanted = BenchmarkRequest([item_set], [constant])
    changes = ({}, {"variant": "cot"}, {"seed": 1}, {"shown": ItemModality.TEXT_AND_VIDEO})
    ways = [replace(wanted, **change) for change in changes]
    ways.append(replace(wanted, judges=[replace(constant, settings={"says": "none"})]))
    assert len({start_runs(session, way).runs[0].id for way in ways for _ in range(2)}) == len(ways)


def test_a_judge_that_sees_no_pictures_is_not_said_to_have_seen_any_nor_one_that_got_words_alone(
    session: Session,
) -> None:
    item_set, _ = verdicts(session, LABELS[:2])
    with misbehaving(ERROR) as server:
        judges = at_server(session, server), baseline(session, "oracle")
        ran = go(session, item_set, *judges, shown=ItemModality.TEXT_AND_VIDEO)
        assert not server.asked
        clips = go(session, item_set, at_server(session, server, "clips", sees="clip"), shown=ItemModality.TEXT)
    assert [run.judge["name"] for run in ran.runs] == ["oracle"]
    assert [note.judge for note in ran.notes] == ["model"]
    assert "text only" in ran.notes[0].as_text()
    kept = find_judgments(session.study, [answer.judgment_id for answer in answers_of(session.study, clips.runs[0].id)])
    assert {judgment.modality for judgment in kept} == {Modality.TEXT}


def test_a_rendering_that_is_not_there_is_said_and_asks_nothing(session: Session) -> None:
    item_set, _ = verdicts(session, LABELS)
    ran = go(session, item_set, baseline(session, "oracle"), conditions=("raw", "blur"))
    assert [run.condition for run in ran.runs] == ["raw", "blur"]
    (note,) = ran.notes
    assert len(note.about) == len(LABELS)
    assert "blur" in note.message
    blurred = read_figures(session, [ran.runs[1].id], samples=0)[0]
    assert (blurred.counts.missing, blurred.counts.counted) == (len(LABELS), 0)
    assert all(row.mean is None for row in blurred.rows)


def test_a_budget_holds_for_all_of_it(session: Session) -> None:
    first, _ = verdicts(session, LABELS, name="first")
    second, _ = verdicts(session, [*reversed(LABELS), "error"], name="second")
    with misbehaving(ERROR) as server:
        model = at_server(session, server, max_tokens=16)
        wanted = BenchmarkRequest([first, second], [model], budget=Limits(tokens=20_000), fresh=True)
        outcome = run_benchmark(session, wanted, Silent()).outcome
    assert 0 < outcome.tokens_in + outcome.tokens_out <= 20_000
    with misbehaving(ERROR) as server:
        poor = at_server(session, server, "poor")
        wanted = BenchmarkRequest([first, second], [poor], budget=Limits(tokens=10), fresh=True)
        outcome = run_benchmark(session, wanted, Silent()).outcome
        assert not server.asked
    assert outcome.over_budget == 2 * len(LABELS) + 1


def test_a_scheduler_that_goes_away_leaves_what_was_answered(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = verdicts(session, LABELS, name="first")
    second, _ = verdicts(session, LABELS, name="second")

    def dies(there: Session, works: list[JobSpec], progress: Progress, _: str, *, ended: object) -> list[JobResult]:
        run_inline(there, works[0], progress)
        raise UserError("The scheduler at tcp://node7:8786 no longer responds.", "Run the same again.")

    oracle = baseline(session, "oracle")
    wanted = BenchmarkRequest([first, second], [oracle])
    with monkeypatch.context() as patched:
        patched.setattr(running, "run_jobs", dies)
        with pytest.raises(UserError, match="no longer responds"):
            run_benchmark(session, wanted, Silent(), "node7")
    runs = benchmark_runs(session.study)
    assert [len(answers_of(session.study, run.id)) for run in runs] == [len(LABELS), 0]
    ran = run_benchmark(session, wanted, Silent())
    assert ran.outcome.answered == len(LABELS)
    assert ran.resumed_ids == {run.id for run in runs}


def test_all_rounds_are_given_out_together_where_they_can_be_done_so(session: Session) -> None:
    first, _ = verdicts(session, LABELS, name="first")
    second, _ = verdicts(session, LABELS, name="second")
    wanted = BenchmarkRequest([first, second], [baseline(session, "oracle")])
    course = BenchmarkScheduler(session, wanted, start_runs(session, wanted), at_once=True)
    works = course.next_jobs(Silent())
    assert len(works) == 2
    with pytest.raises(RuntimeError):
        course.next_jobs(Silent())
    for work in works:
        result, _ = run_inline(session, work, Silent())
        course.finish_job(work, result)
    assert course.next_jobs(Silent()) == []
    assert (course.settled, course.total) == (2 * len(LABELS), 2 * len(LABELS))


def test_there_is_nothing_to_run_without_a_set_or_a_judge(session: Session) -> None:
    item_set, _ = verdicts(session, LABELS)
    for wanted in (BenchmarkRequest([], [baseline(session, "oracle")]), BenchmarkRequest([item_set], [])):
        with pytest.raises(UserError, match="nothing to run"):
            run_benchmark(session, wanted, Silent())
    with pytest.raises(UserError, match="no variant"):
        go(session, item_set, baseline(session, "random"), variant="rhyming")
    assert not benchmark_runs(session.study)
