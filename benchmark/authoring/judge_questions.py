"""Questions from chains in the words of a judge: what is asked for follows from the rules alone.

Questions of the five dimensions of ESI-Bench, worded by judges from what was gathered about a recording. From what
judges wrote to questions of a study: what both makers by judges share.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.chains.chain_checks import sound
from annotate.chains.chain_drafts import one_line
from annotate.chains.chain_versions import state_of
from benchmark.authoring.rule_questions import UNSOUND, QuestionGenerationResult, chosen_graphs, questions_of_drafts
from benchmark.disclosure.cast_names import called_in, with_pseudonyms
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.run_config import AskRequest
from benchmark.prompts.judge_prompt import ANSWER_KEY, QUESTION_KEY, wrong_key
from benchmark.prompts.question_prompts import WORD_QUESTION_TASK
from benchmark.prompts.recording_prompts import EACH, ESI_QUESTION_TASK, PASSES, esi_part_from, esi_parts
from benchmark.prompts.recording_prompts import OPTIONS as ESI_DIMENSIONS_OPTIONS
from benchmark.questions.question_edits import add_questions, is_stale
from benchmark.questions.question_validity import (
    OPTIONS,
    SINGLE_STEP,
    QuestionDraft,
    QuestionSpec,
    balanced_places,
    gist,
    wanted_called,
    wanted_from,
    why_not,
)
from project.entities.causal_chains import ChainGraph
from project.entities.judgments import RAW, JudgeEntry, Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.questions import OF_CHAINS, Maker, Question, QuestionKind, WrongOption
from project.entities.study_records import Changes, Json, Participant
from project.errors import UserError
from project.ids import new_id
from project.queries.chain_rows import all_chains, graphs_of
from project.queries.question_rows import all_questions
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.text_format import counted
from project.timebase import utc_now

THERE = "It is there already."
NO_ANSWER = "The judge gave no answer that could be read."
OTHER_TASK = "It is the answer to another task."
_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Signs that nobody sees and that turn the direction of writing, so that a text reads as another one."""


@dataclass
class Intake:
    """What was taken in so far, and why the rest was not.

    Attributes:
        skipped: a reason in one sentence -> how many.
        used: ids of judgments that questions of the study were made from.
    """

    session: Session
    skipped: Counter[str] = field(default_factory=Counter)
    used: set[str] = field(default_factory=set)
    _called: dict[tuple[str, str], dict[str, Participant]] = field(default_factory=dict)

    @classmethod
    def of(cls, session: Session) -> "Intake":
        """Return an empty one for a study."""
        return cls(session, used={one.judgment_id for one in all_questions(session.study) if one.judgment_id})

    def usable(self, judgments: Iterable[Judgment], task: str) -> list[Judgment]:
        """Return the answers to a task that were read and that no question was made from; counts the others."""
        found = []
        for one in {one.id: one for one in judgments}.values():
            if one.task != task:
                self.skipped[OTHER_TASK] += 1
            elif one.status is not JudgmentStatus.OK:
                self.skipped[NO_ANSWER] += 1
            elif one.id in self.used:
                self.skipped[THERE] += 1
            else:
                found.append(one)
        return found

    def draft(
        self, said: Judgment, kind: QuestionKind, aspect: str, covers: tuple[str, ...], options: int
    ) -> QuestionDraft | None:
        """Return what a judge worded; None, and a reason counted, where it cannot be used."""
        key = (said.recording_id, said.condition)
        if key not in self._called:
            self._called[key] = called_in(self.session, *key)
        worded = _draft(said.answer, kind, aspect, covers, options)
        made = _renamed(worded, self._called[key])
        # In both forms: two options that differ as `the User` and `the user` do say the same before and not after.
        if reason := why_not(worded, options) or why_not(made, options):
            self.skipped[reason] += 1
            return None
        return made

    def made(self, questions: Sequence[Question], kinds: Sequence[QuestionKind]) -> QuestionGenerationResult:
        """Return what came of it."""
        counts = Counter(one.kind.value for one in questions)
        return QuestionGenerationResult(
            dict.fromkeys((one.value for one in kinds), 0) | counts,
            tuple(one.id for one in questions),
            dict(self.skipped),
        )


def _draft(
    answer: Mapping[str, Json], kind: QuestionKind, aspect: str, covers: tuple[str, ...], options: int
) -> QuestionDraft:
    keys = [wrong_key(number) for number in range(1, options)]
    wrong = tuple(WrongOption(_text(answer[key])) for key in keys if key in answer)
    return QuestionDraft(kind, aspect, covers, _text(answer.get(QUESTION_KEY)), _text(answer.get(ANSWER_KEY)), wrong)


def _text(said: Json) -> str:
    return one_line(_TURNING.sub("", said)) if isinstance(said, str) else ""


def _renamed(draft: QuestionDraft, called: Mapping[str, Participant]) -> QuestionDraft:
    return replace(
        draft,
        text=with_pseudonyms(draft.text, called),
        answer=with_pseudonyms(draft.answer, called),
        wrong=tuple(replace(one, text=with_pseudonyms(one.text, called)) for one in draft.wrong),
    )


CHANGED = "Its chain was changed since it was asked."
CHAIN_GONE = "Its chain is gone, or not to be seen."
NOT_ASKED = "The rules do not ask for it any more."
QUESTION_SIGHT = InputSettings(cues=True)
"""What a judge that words questions is told: cues too, because they hold what is not said."""


def chain_requests(
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
        JudgmentTarget(JudgmentTargetKind.CHAIN, graph.chain.id, one.part).key
        for graph in chosen_graphs(session, known, chain_ids)
        if sound(graph)
        for one in wanted_from(graph, kinds)
        if (graph.chain.id, one.part) not in there
    ]
    if not about:
        raise UserError(
            "No question is left for a judge to word.", "Draw more of the chains, or correct the questions there are."
        )
    return AskRequest(judges, about, WORD_QUESTION_TASK, condition=condition, sight=QUESTION_SIGHT)


def take_in_chains(
    session: Session, judgments: Iterable[Judgment], seed: int = 0
) -> tuple[QuestionGenerationResult, Changes]:
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
    drafts: list[tuple[ChainGraph, QuestionDraft, str]] = []
    for said in intake.usable(judgments, WORD_QUESTION_TASK):
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


def _wanted(graph: ChainGraph | None, said: Judgment) -> tuple[str, QuestionSpec | None]:
    """Return what an answer is the wording of; else why it is of nothing."""
    if graph is None:
        return CHAIN_GONE, None
    if said.state != state_of(graph):
        return CHANGED, None
    if not sound(graph):
        return UNSOUND, None
    found = wanted_called(graph, said.part)
    return ("", found) if found is not None else (NOT_ASKED, None)


def _there(session: Session, graphs: dict[str, ChainGraph]) -> set[tuple[str, str]]:
    """Return which questions judges have worded that still fit, each by its chain and `Wanted.part`."""
    return {
        (one.chain_id, QuestionSpec(one.kind, one.aspect, one.covers).part)
        for one in all_questions(session.study)
        if one.chain_id and one.covers and one.maker is Maker.JUDGE and not is_stale(one, graphs.get(one.chain_id))
    }


FRAMES = 24
"""Shown with each question, evenly spaced (ESI-Bench, appendix A.1.3)."""
ESI_SIGHT = InputSettings(cues=True)
RECORDING_GONE = "Its recording is gone."
NO_DIMENSION = "It is of none of the five dimensions."


def esi_requests(
    session: Session,
    recording_ids: Sequence[str],
    judges: Sequence[JudgeEntry],
    rounds: int = PASSES,
    each: int = EACH,
    condition: str = RAW,
) -> AskRequest:
    """Return what judges are to be asked: some rounds of questions about each recording, the dimensions in turn.

    Args:
        session: of the study.
        recording_ids: of the recordings.
        judges: who words them; each words all of them, as the two judges of ESI-Bench do.
        rounds: of questions, `PASSES` at most.
        each: questions of a round, `EACH` at most.
        condition: what is shown.

    Raises:
        UserError: there is no such recording, or more is asked for than that.
    """
    if not 1 <= rounds <= PASSES or not 1 <= each <= EACH:
        raise UserError(
            f"There are 1 to {PASSES} rounds of 1 to {EACH} questions.", "More of them would repeat each other."
        )
    about = [
        JudgmentTarget(JudgmentTargetKind.RECORDING, session.recording(recording).id, one.part).key
        for recording in dict.fromkeys(recording_ids)
        for one in esi_parts(rounds, each)
    ]
    return AskRequest(judges, about, ESI_QUESTION_TASK, condition=condition, sight=ESI_SIGHT, frames=FRAMES)


def take_in_esi(
    session: Session, judgments: Iterable[Judgment], seed: int = 0
) -> tuple[QuestionGenerationResult, Changes]:
    """Make questions of what judges worded, as one step of the history; they cover no node and have four options.

    What cannot be used is left out and counted by its reason, as with `by_judge.take_in`; so is what asks word by word
    what another question about the recording asks.

    Args:
        session: of the study.
        judgments: answers to the task `esi_question`.
        seed: of the order of options, and of the places of the right ones.
    """
    session.study.require_writable()
    intake = Intake.of(session)
    durations = {one.id: one.duration_us for one in all_recordings(session.study)}
    there = {(one.recording_id, gist(one.text)) for one in all_questions(session.study)}
    drafts: list[tuple[Judgment, QuestionDraft]] = []
    for said in intake.usable(judgments, ESI_QUESTION_TASK):
        part = esi_part_from(said.part)
        if part is None or said.recording_id not in durations:
            intake.skipped[NO_DIMENSION if part is None else RECORDING_GONE] += 1
            continue
        draft = intake.draft(said, QuestionKind.ESI, part.dimension, (), ESI_DIMENSIONS_OPTIONS)
        if draft is None:
            continue
        if (said.recording_id, gist(draft.text)) in there:
            intake.skipped[THERE] += 1
            continue
        there.add((said.recording_id, gist(draft.text)))
        drafts.append((said, draft))
    places = balanced_places(len(drafts), ESI_DIMENSIONS_OPTIONS, seed)
    questions = [
        Question(
            *(new_id(), said.recording_id, None, draft.kind, draft.aspect, draft.covers, ""),
            *(0, durations[said.recording_id], draft.text, draft.answer, draft.wrong, draft.explanation),
            *(seed, place, Maker.JUDGE, "", said.id, utc_now()),
        )
        for (said, draft), place in zip(drafts, places, strict=True)
    ]
    changes = add_questions(session, questions, f"Take {counted(len(questions), 'question')} of judges")
    return intake.made(questions, [QuestionKind.ESI]), changes
