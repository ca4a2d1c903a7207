"""Questions from chains in the words of a judge: what is asked for follows from the rules alone.

`requests` makes what the job that asks judges is given, `take_in` makes questions of what came back.
"""

from collections.abc import Iterable, Sequence

from app.core.chains.checks import sound
from app.core.chains.state import state_of
from app.core.commands.questions import add_questions
from app.core.judging.runs.wanted import AskRequest
from app.core.judging.seeing.sight import SightSettings
from app.core.questions.coverage import is_stale
from app.core.questions.making import UNSOUND, Made, chosen_graphs, questions_of_drafts
from app.core.questions.taking import THERE, Intake
from app.core.session import Session
from benchmark.questions.base import OPTIONS, SINGLE_STEP, Draft, Wanted, wanted_called, wanted_from
from benchmark.tasks.word_question import KEY
from project.chains import ChainGraph
from project.counted import counted
from project.errors import UserError
from project.judging import RAW, About, JudgeEntry, Judgment, Subject
from project.queries.chains import all_chains, graphs_of
from project.queries.questions import all_questions
from project.questions import OF_CHAINS, Maker, QuestionKind
from project.types import Changes

CHANGED = "Its chain was changed since it was asked."
GONE = "Its chain is gone, or not to be seen."
NOT_ASKED = "The rules do not ask for it any more."
SIGHT = SightSettings(cues=True)
"""What a judge that words questions is told: cues too, because they hold what is not said."""


def requests(
    session: Session,
    chain_ids: Sequence[str],
    judges: Sequence[JudgeEntry],
    kinds: Sequence[QuestionKind] = SINGLE_STEP,
    condition: str = RAW,
) -> AskRequest:
    """Return what judges are to be asked: to word each question that the rules ask for and none of them has worded.

    Args:
        session: of the study.
        chain_ids: of which chains; of all where empty, one version of each.
        judges: who words them. Of several answers for one question, the first that can be used becomes one.
        kinds: which questions.
        condition: what is shown.

    Raises:
        UserError: there is no chain, or none of an id, or nothing is left to ask for.
    """
    known = graphs_of(session.study, all_chains(session.study))
    there = _there(session, {one.chain.id: one for one in known})
    about = [
        About(Subject.CHAIN, graph.chain.id, one.part).key
        for graph in chosen_graphs(session, known, chain_ids)
        if sound(graph)
        for one in wanted_from(graph, kinds)
        if (graph.chain.id, one.part) not in there
    ]
    if not about:
        raise UserError(
            "No question is left for a judge to word.", "Draw more of the chains, or correct the questions there are."
        )
    return AskRequest(judges, about, KEY, condition=condition, sight=SIGHT)


def take_in(session: Session, judgments: Iterable[Judgment], seed: int = 0) -> tuple[Made, Changes]:
    """Make questions of what judges worded, as one step of the history.

    What cannot be used is left out and counted by its reason: too few or too many options, the answer among the wrong
    ones or a paraphrase of it, what is empty or too long, and what is about a chain that was changed since.

    Args:
        session: of the study.
        judgments: answers to the task `word_question`, the preferred ones first.
        seed: of the order of options, and of the places of the right ones.
    """
    session.study.require_writable()
    graphs = {one.chain.id: one for one in graphs_of(session.study, all_chains(session.study))}
    there = _there(session, graphs)
    intake = Intake.of(session)
    drafts: list[tuple[ChainGraph, Draft, str]] = []
    for said in intake.usable(judgments, KEY):
        graph = graphs.get(said.chain_id)
        reason, wanted = _wanted(graph, said)
        if wanted is not None and (said.chain_id, wanted.part) in there:
            reason = THERE
        if reason or graph is None or wanted is None:
            intake.skipped[reason] += 1
            continue
        draft = intake.draft(said, wanted.kind, wanted.aspect, wanted.covers, OPTIONS)
        if draft is not None:
            there.add((said.chain_id, wanted.part))
            drafts.append((graph, draft, said.id))
    questions = questions_of_drafts(session, drafts, Maker.JUDGE, seed)
    changes = add_questions(session, questions, f"Take {counted(len(questions), 'question')} of judges")
    return intake.made(questions, [one for one in OF_CHAINS if any(each.kind is one for each in questions)]), changes


def _wanted(graph: ChainGraph | None, said: Judgment) -> tuple[str, Wanted | None]:
    """Return what an answer is the wording of; else why it is of nothing."""
    if graph is None:
        return GONE, None
    if said.state != state_of(graph):
        return CHANGED, None
    if not sound(graph):
        return UNSOUND, None
    found = wanted_called(graph, said.part)
    return ("", found) if found is not None else (NOT_ASKED, None)


def _there(session: Session, graphs: dict[str, ChainGraph]) -> set[tuple[str, str]]:
    """Return which questions judges have worded that still fit, each by its chain and `Wanted.part`."""
    return {
        (one.chain_id, Wanted(one.kind, one.aspect, one.covers).part)
        for one in all_questions(session.study)
        if one.chain_id and one.covers and one.maker is Maker.JUDGE and not is_stale(one, graphs.get(one.chain_id))
    }
