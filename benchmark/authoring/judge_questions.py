"""Questions that judges word, about chains and for the dimensions of ESI-Bench.

For a chain, the rules decide what is asked; judges only word it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.chains.chain_checks import is_sound
from annotate.chains.chain_drafts import to_single_line
from annotate.chains.chain_versions import chain_checksum
from benchmark.authoring.rule_questions import (
    INVALID_CHAIN,
    QuestionGenerationResult,
    build_questions,
    existing_keys,
    select_graphs,
)
from benchmark.disclosure.cast_names import participants_by_name, restore_pseudonyms
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.ask_run import AskRequest
from benchmark.prompts.judge_prompt import ANSWER_KEY, QUESTION_KEY, wrong_key
from benchmark.prompts.question_prompts import WORD_QUESTION_TASK
from benchmark.prompts.recording_prompts import (
    EACH,
    ESI_OPTION_COUNT,
    ESI_QUESTION_TASK,
    PASSES,
    esi_parts,
    parse_esi_part,
)
from benchmark.questions.question_edits import add_questions
from benchmark.questions.question_validity import (
    OPTION_COUNT,
    SINGLE_STEP,
    QuestionDraft,
    QuestionSpec,
    balance_positions,
    draft_problem,
    find_required_question,
    gist,
    required_questions,
)
from project.entities.causal_chains import ChainGraph
from project.entities.judgments import (
    RAW_CONDITION,
    JudgeEntry,
    Judgment,
    JudgmentStatus,
    JudgmentTarget,
    JudgmentTargetKind,
)
from project.entities.questions import CHAIN_QUESTION_KINDS, Maker, Question, QuestionKind, WrongOption
from project.entities.study_records import Changes, Json, Participant
from project.errors import UserError
from project.ids import new_id
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.question_rows import all_questions
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import utc_now

ALREADY_EXISTS = "It is there already."
NO_ANSWER = "The judge gave no answer that could be read."
OTHER_TASK = "It is the answer to another task."
_INVISIBLE_CHARS = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Characters that nobody sees; some change the direction of writing, so that a text reads as another one."""


@dataclass
class Intake:
    """Collects usable questions from judgments, and counts why others are skipped.

    Attributes:
        skipped: a reason in one sentence -> how many.
        used_judgment_ids: ids of judgments that questions of the study were made from.
    """

    session: Session
    skipped: Counter[str] = field(default_factory=Counter)
    used_judgment_ids: set[str] = field(default_factory=set)
    _names_by_request: dict[tuple[str, str], dict[str, Participant]] = field(default_factory=dict)

    @classmethod
    def for_session(cls, session: Session) -> "Intake":
        used = {question.judgment_id for question in all_questions(session.study) if question.judgment_id}
        return cls(session, used_judgment_ids=used)

    def usable_answers(self, judgments: Iterable[Judgment], task: str) -> list[Judgment]:
        """Return the readable answers to a task that no question was made from; counts the others."""
        found = []
        for judgment in {judgment.id: judgment for judgment in judgments}.values():
            if judgment.task != task:
                self.skipped[OTHER_TASK] += 1
            elif judgment.status is not JudgmentStatus.OK:
                self.skipped[NO_ANSWER] += 1
            elif judgment.id in self.used_judgment_ids:
                self.skipped[ALREADY_EXISTS] += 1
            else:
                found.append(judgment)
        return found

    def names_in(self, said: Judgment) -> dict[str, Participant]:
        request_key = said.recording_id, said.condition
        if request_key not in self._names_by_request:
            self._names_by_request[request_key] = participants_by_name(self.session, *request_key)
        return self._names_by_request[request_key]

    def draft_question(
        self, said: Judgment, kind: QuestionKind, aspect: str, covers: tuple[str, ...], options: int
    ) -> QuestionDraft | None:
        """Return what a judge worded; None, and a reason counted, where it cannot be used."""
        draft = _parse_draft(said.answer, kind, aspect, covers, options)
        with_pseudonyms = _pseudonymize(draft, self.names_in(said))
        # Checked in both forms: options that differ only by `the User` and `the user` are duplicates in one of them.
        if reason := draft_problem(draft, options) or draft_problem(with_pseudonyms, options):
            self.skipped[reason] += 1
            return None
        return with_pseudonyms


def _parse_draft(
    answer: Mapping[str, Json], kind: QuestionKind, aspect: str, covers: tuple[str, ...], options: int
) -> QuestionDraft:
    keys = [wrong_key(number) for number in range(1, options)]
    wrong = tuple(WrongOption(clean_text(answer[key])) for key in keys if key in answer)
    return QuestionDraft(
        kind, aspect, covers, clean_text(answer.get(QUESTION_KEY)), clean_text(answer.get(ANSWER_KEY)), wrong
    )


def clean_text(said: Json) -> str:
    """Return a text of an answer on one line, without invisible characters; "" for what is no text."""
    return to_single_line(_INVISIBLE_CHARS.sub("", said)) if isinstance(said, str) else ""


def _pseudonymize(draft: QuestionDraft, called: Mapping[str, Participant]) -> QuestionDraft:
    return replace(
        draft,
        text=restore_pseudonyms(draft.text, called),
        answer=restore_pseudonyms(draft.answer, called),
        wrong=tuple(replace(option, text=restore_pseudonyms(option.text, called)) for option in draft.wrong),
    )


CHAIN_CHANGED = "Its chain was changed since it was asked."
CHAIN_MISSING = "Its chain is gone, or not to be seen."
NO_LONGER_REQUESTED = "The rules do not ask for it any more."
QUESTION_INPUT = InputSettings(cues=True)
"""Input of a judge that words questions: with cues, because they hold what is not said."""


def chain_requests(
    session: Session,
    chain_ids: Sequence[str],
    judges: Sequence[JudgeEntry],
    kinds: Sequence[QuestionKind] = SINGLE_STEP,
    condition: str = RAW_CONDITION,
) -> AskRequest:
    """Return a request to word each question that the rules ask for and no judge has worded."""
    graphs = read_graphs(session.study, all_chains(session.study))
    existing = existing_keys(session, graphs, Maker.JUDGE)
    targets = [
        JudgmentTarget(JudgmentTargetKind.CHAIN, graph.chain.id, spec.part).key
        for graph in select_graphs(session, graphs, chain_ids)
        if is_sound(graph)
        for spec in required_questions(graph, kinds)
        if (graph.chain.id, spec.part) not in existing
    ]
    if not targets:
        raise UserError(
            "There are no questions for a judge to word.",
            "Make more questions from chains, or correct the existing ones.",
        )
    return AskRequest(judges, targets, WORD_QUESTION_TASK, condition=condition, sight=QUESTION_INPUT)


def import_chain_questions(
    session: Session, judgments: Iterable[Judgment], seed: int = 0
) -> tuple[QuestionGenerationResult, Changes]:
    """Make questions of what judges worded, as one step of the history.

    What cannot be used is left out and counted by its reason: too few or too many options, the answer among the wrong
    ones or a paraphrase of it, what is empty or too long, and what is about a chain that was changed since.
    """
    session.study.require_writable()
    graphs = {graph.chain.id: graph for graph in read_graphs(session.study, all_chains(session.study))}
    existing = existing_keys(session, [*graphs.values()], Maker.JUDGE)
    intake = Intake.for_session(session)
    drafts: list[tuple[ChainGraph, QuestionDraft, str]] = []
    for said in intake.usable_answers(judgments, WORD_QUESTION_TASK):
        graph = graphs.get(said.chain_id)
        reason, spec = _match_spec(graph, said)
        if spec is not None and (said.chain_id, spec.part) in existing:
            reason = ALREADY_EXISTS
        if reason or graph is None or spec is None:
            intake.skipped[reason] += 1
            continue
        draft = intake.draft_question(said, spec.kind, spec.aspect, spec.covers, OPTION_COUNT)
        if draft is not None:
            existing.add((said.chain_id, spec.part))
            drafts.append((graph, draft, said.id))
    questions = build_questions(session, drafts, Maker.JUDGE, seed)
    changes = add_questions(session, questions, f"Take {pluralize(len(questions), 'question')} of judges")
    kinds = [kind for kind in CHAIN_QUESTION_KINDS if any(question.kind is kind for question in questions)]
    return QuestionGenerationResult.count(questions, kinds, intake.skipped), changes


def _match_spec(graph: ChainGraph | None, said: Judgment) -> tuple[str, QuestionSpec | None]:
    """Return why an answer words no question, or "" and the question that it words."""
    if graph is None:
        return CHAIN_MISSING, None
    if said.state != chain_checksum(graph):
        return CHAIN_CHANGED, None
    if not is_sound(graph):
        return INVALID_CHAIN, None
    found = find_required_question(graph, said.part)
    return ("", found) if found is not None else (NO_LONGER_REQUESTED, None)


FRAME_COUNT = 24
"""Frames shown with each question, evenly spaced (ESI-Bench, appendix A.1.3)."""
ESI_INPUT = InputSettings(cues=True)
RECORDING_MISSING = "Its recording is gone."
NO_DIMENSION = "It is of none of the five dimensions."


def esi_requests(
    session: Session,
    recording_ids: Sequence[str],
    judges: Sequence[JudgeEntry],
    rounds: int = PASSES,
    each: int = EACH,
    condition: str = RAW_CONDITION,
) -> AskRequest:
    """Return a request for rounds of questions about each recording, the dimensions in turn; each judge words all."""
    if not 1 <= rounds <= PASSES or not 1 <= each <= EACH:
        raise UserError(
            f"Questions are made in 1 to {PASSES} rounds of 1 to {EACH}.",
            "Give numbers in these ranges; more questions would repeat each other.",
        )
    targets = [
        JudgmentTarget(JudgmentTargetKind.RECORDING, session.recording(recording_id).id, esi_part.part).key
        for recording_id in dict.fromkeys(recording_ids)
        for esi_part in esi_parts(rounds, each)
    ]
    return AskRequest(judges, targets, ESI_QUESTION_TASK, condition=condition, sight=ESI_INPUT, frames=FRAME_COUNT)


def import_esi_questions(
    session: Session, judgments: Iterable[Judgment], seed: int = 0
) -> tuple[QuestionGenerationResult, Changes]:
    """Make questions of what judges worded, as one step of the history; they cover no node and have four options.

    What cannot be used is left out and counted by its reason, as with `import_chain_questions`; so is a question that
    the recording has already, word by word.
    """
    session.study.require_writable()
    intake = Intake.for_session(session)
    durations = {recording.id: recording.duration_us for recording in all_recordings(session.study)}
    existing_gists = {(question.recording_id, gist(question.text)) for question in all_questions(session.study)}
    drafts: list[tuple[Judgment, QuestionDraft]] = []
    for said in intake.usable_answers(judgments, ESI_QUESTION_TASK):
        part = parse_esi_part(said.part)
        if part is None or said.recording_id not in durations:
            intake.skipped[NO_DIMENSION if part is None else RECORDING_MISSING] += 1
            continue
        draft = intake.draft_question(said, QuestionKind.ESI, part.dimension, (), ESI_OPTION_COUNT)
        if draft is None:
            continue
        if (said.recording_id, gist(draft.text)) in existing_gists:
            intake.skipped[ALREADY_EXISTS] += 1
            continue
        existing_gists.add((said.recording_id, gist(draft.text)))
        drafts.append((said, draft))
    places = balance_positions(len(drafts), ESI_OPTION_COUNT, seed)
    questions = [
        Question(
            *(new_id(), said.recording_id, None, draft.kind, draft.aspect, draft.covers, ""),
            *(0, durations[said.recording_id], draft.text, draft.answer, draft.wrong, draft.explanation),
            *(seed, place, Maker.JUDGE, "", said.id, utc_now()),
        )
        for (said, draft), place in zip(drafts, places, strict=True)
    ]
    changes = add_questions(session, questions, f"Take {pluralize(len(questions), 'question')} of judges")
    return QuestionGenerationResult.count(questions, [QuestionKind.ESI], intake.skipped), changes
