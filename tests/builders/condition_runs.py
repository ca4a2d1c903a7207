"""A study whose judge was asked under two conditions, and in which a person answered too."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.entities.frozen_items import BenchmarkRun, RunAnswer
from project.entities.judgments import PERSON_BACKEND
from project.ids import new_id
from project.progress import Silent
from project.queries.annotator_rows import all_annotators
from project.queries.item_set_rows import answers_of, insert_answers, insert_benchmark_run, items_of
from project.queries.judgment_rows import all_judges
from project.session.session import Session
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import open_study

LABELS = ("error", "none", "competence", "error", "none", "error") * 5
HOMES = ("walk", "walk 2", "walk 3")


def again(
    session: Session,
    source: BenchmarkRun,
    answers_from: BenchmarkRun,
    but_of: Collection[str] = (),
    **changed: object,
) -> None:
    """Note a run like another one, with the answers of a third, and its own to some items."""
    made = replace(source, id=new_id(), **changed)
    with session.study.run_transaction():
        insert_benchmark_run(session.study, made)
        found = [answer for answer in answers_of(session.study, answers_from.id) if answer.item_id not in but_of]
        found += [answer for answer in answers_of(session.study, source.id) if answer.item_id in but_of]
        insert_answers(
            session.study,
            [RunAnswer(made.id, run_answer.item_id, run_answer.part, run_answer.judgment_id) for run_answer in found],
        )


@contextmanager
def asked_study(folder: Path) -> Iterator[Session]:
    """Lend a study of one set: an oracle raw, and right about little but errors under “blur”, a random judge, a person.

    Under “blur” each draw has one more right answer than the one before, so that there is something to test.
    """
    with open_study(folder, recordings=3) as opened:
        for backend in ("oracle", "random", "constant"):
            add_judge(opened, backend, backend, "", {"says": "error"} if backend == "constant" else {})
        item_set, _ = verdicts(opened, LABELS, draws=3, recordings=HOMES)
        runs = run_benchmark(opened, BenchmarkRequest([item_set], all_judges(opened.study)), Silent()).runs
        oracle, constant = (next(run for run in runs if run.judge["name"] == name) for name in ("oracle", "constant"))
        items = [item for item in items_of(opened.study, item_set.id) if item.content["truth"]["verdict"] != "error"]
        seen = [text for draw in range(3) for text in [each.id for each in items if each.draw == draw][:draw]]
        again(opened, oracle, constant, seen, condition="blur")
        who = all_annotators(opened.study)[0]
        again(
            opened,
            oracle,
            oracle,
            judge_id="p",
            judge={"name": who.name, "backend": PERSON_BACKEND},
            annotator_id=who.id,
        )
        yield opened
