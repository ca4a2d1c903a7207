"""Questions by rules over a study of R3-VQA's size, and baselines whose figures are known beforehand."""

import math
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from annotate.agreement.figure_intervals import StatisticResult
from annotate.study.recording_edits import undo
from benchmark.authoring.question_requests import answer_request
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.chain_consistency import expected_consistency
from benchmark.questions.question_measures import JudgeMeasures, compute_measures, read_measures_input
from project.progress import Silent
from project.queries.question_rows import all_questions
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import NODES, SUBCHAINS, fill_with_chains
from tools.bench.row import Row

AT_MOST_S = 10.0
RIGHT, CHANCE = 0.9, 0.2
WANTED = {"EU": 997, "MSE": sum(NODES.values()) - 997, "CW": SUBCHAINS, "CH/W": SUBCHAINS}
_TIMES = 3
_SIZE = "347 chains, 2,198 nodes, 1,406 subchains"


def run() -> list[Row]:
    """Make the questions, ask three baselines all of them, and measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chains.greenroom"
        with Study.create(path) as study:
            fill_with_chains(study)
        with Session.open(path, "Annotator 1") as session:
            return [*_made(session), *_asked(session)]


def _made(session: Session) -> list[Row]:
    took = []
    for _ in range(_TIMES):
        if took:
            undo(session)
        began = time.perf_counter()
        made, _ = add_rule_questions(session)
        took.append(time.perf_counter() - began)
    middle = statistics.median(took)
    counts = ", ".join(f"{number:,} {kind}" for kind, number in made.by_kind.items())
    return [
        Row(f"questions by rules, {_SIZE}", f"{middle:.1f} s", target=f"<= {AT_MOST_S:.0f} s", ok=middle <= AT_MOST_S),
        Row(
            "their numbers by kind",
            f"{counts}, {sum(made.skipped.values())} left out",
            target="what the rules give",
            ok=made.by_kind == WANTED and not made.skipped,
        ),
    ]


def _asked(session: Session) -> list[Row]:
    judges = [add_judge(session, name, name)[0] for name in ("random", "reliable", "oracle")]
    ids = [question.id for question in all_questions(session.study)]
    began = time.perf_counter()
    asking = prepare(session, answer_request(judges, ids))
    planned = time.perf_counter() - began
    assert asking.job is not None
    run_inline(session, asking.job, Silent())
    asked = time.perf_counter() - began
    began = time.perf_counter()
    found = compute_measures(read_measures_input(session), everything=True)
    measured = time.perf_counter() - began
    by_name = {judge.setup.judge: judge for judge in found.judges}
    guessed, reliable, oracle = (by_name[judge.name] for judge in judges)
    rows = [
        Row(
            f"three baselines asked {len(ids):,} questions",
            f"{asked:.0f} s ({planned:.0f} s of it planning), measured in {measured:.1f} s",
            *("", "", "", None),
        ),
        _accuracy("random judge", guessed, CHANCE),
        _accuracy(f"judge that is right with p = {RIGHT}", reliable, RIGHT),
    ]
    sizes = ("chains", found.sizes[0], reliable.chain), ("subchains", found.sizes[1], reliable.subchain)
    rows += [_consistency(what, numbers, figure) for what, numbers, figure in sizes]
    whole = [oracle.overall.value, oracle.chain.value, oracle.subchain.value]
    told = " / ".join("-" if value is None else f"{value:.2%}" for value in whole)
    rows.append(Row("oracle: accuracy / chains / subchains", told, target="100 %", ok={*whole} == {1.0}))
    return rows


def _accuracy(name: str, found: JudgeMeasures, chance: float) -> Row:
    deviation = math.sqrt(chance * (1 - chance) / found.asked)
    value = found.overall.value or 0.0
    away = abs(value - chance) / deviation
    told = f"{value:.2%} of {found.asked:,}"
    target = f"{chance:.0%} within 3 sd ({deviation:.2%})"
    return Row(f"{name}: accuracy", told, ratio=f"{away:.1f} sd", target=target, ok=away <= 3)


def _consistency(what: str, sizes: Sequence[int], figure: StatisticResult) -> Row:
    """Compare with theory; the standard error is that of so many draws with their own chances, apart from each other.

    Subchains that share questions are not apart, so theirs is larger in truth than it is taken here.
    """
    theory = expected_consistency(sizes, RIGHT)
    error = math.sqrt(sum(RIGHT**size * (1 - RIGHT**size) for size in sizes)) / len(sizes)
    value = figure.value or 0.0
    away = abs(value - theory) / error
    told = f"{value:.2%} of {figure.n:,}"
    return Row(
        f"judge that is right with p = {RIGHT}: consistency over {what}",
        told,
        f"mean(.9^n) = {theory:.2%}",
        f"{away:.1f} se",
        f"within 3 se ({error:.2%})",
        away <= 3,
    )
