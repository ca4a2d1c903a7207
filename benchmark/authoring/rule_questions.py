"""Makes questions from the chains of a study by rules, as one step of the history."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.chains.chain_checks import is_sound
from annotate.chains.chain_versions import select_versions
from annotate.study.leave_permission import LeaveUse, has_consented, may_leave
from benchmark.judge_input.judged_subjects import shown_span
from benchmark.questions.question_edits import add_questions, coverage_checksum, is_stale
from benchmark.questions.question_templates import RecordingContext, RuleQuestionGenerator
from benchmark.questions.question_validity import (
    OPTION_COUNT,
    SINGLE_STEP,
    QuestionDraft,
    QuestionSpec,
    balance_positions,
    required_questions,
)
from project.entities.causal_chains import ChainGraph
from project.entities.questions import CHAIN_QUESTION_KINDS, Maker, Question, QuestionKind
from project.entities.study_records import Changes, ConsentUse
from project.errors import UserError, unknown_id
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.question_rows import all_questions
from project.queries.recording_rows import all_participants, participants_in
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import utc_now

ALREADY_EXISTS = "It is there already."
INVALID_CHAIN = "Its chain goes round in a circle, or an edge of it leads nowhere."
_SILENT = Silent()
_NOT_HELD_OUT = "not held out"


@dataclass(frozen=True, slots=True)
class QuestionGenerationResult:
    """The questions that were made, and why others were not.

    Attributes:
        by_kind: value of `QuestionKind` -> how many were made, of every kind that was asked for.
        questions: their ids, in order.
        skipped: a reason in one sentence -> how many of the questions that the rules ask for were not made for it.
    """

    by_kind: dict[str, int] = field(default_factory=dict)
    questions: tuple[str, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)

    @classmethod
    def count(
        cls, questions: Sequence[Question], kinds: Iterable[QuestionKind], skipped: Mapping[str, int]
    ) -> "QuestionGenerationResult":
        by_kind = dict.fromkeys((kind.value for kind in kinds), 0) | Counter(
            question.kind.value for question in questions
        )
        return cls(by_kind, tuple(question.id for question in questions), dict(skipped))


def add_rule_questions(
    session: Session,
    chain_ids: Sequence[str] = (),
    kinds: Sequence[QuestionKind] = (),
    seed: int = 0,
    progress: Progress = _SILENT,
) -> tuple[QuestionGenerationResult, Changes]:
    """Make every question that the rules ask for and that is not there yet.

    Wrong options are other nodes of the whole study. What has fewer than four that would do is left out and counted.

    Args:
        session: of the study.
        chain_ids: of which chains; of all where empty, one version of each (`select_versions`).
        kinds: which, of `CHAIN_QUESTION_KINDS`; the four single-step kinds where empty.
        seed: of wordings, of the order of options, and of the places of the right ones.
        progress: told how many are made.
    """
    session.study.require_writable()
    questions, made = build_rule_questions(session, chain_ids, kinds, seed, progress)
    changes = add_questions(session, questions, f"Make {pluralize(len(questions), 'question')} by rules")
    return made, changes


def build_rule_questions(
    session: Session,
    chain_ids: Sequence[str] = (),
    kinds: Sequence[QuestionKind] = (),
    seed: int = 0,
    progress: Progress = _SILENT,
) -> tuple[list[Question], QuestionGenerationResult]:
    """Return the questions that `add_rule_questions` adds, with counts; nothing is written."""
    wanted_kinds = _require_chain_kinds(kinds)
    known = read_graphs(session.study, all_chains(session.study))
    chosen = select_graphs(session, known, chain_ids)
    existing = existing_keys(session, known, Maker.RULES)
    skipped: Counter[str] = Counter()
    required: list[tuple[ChainGraph, QuestionSpec]] = []
    for graph in chosen:
        if not is_sound(graph):
            skipped[INVALID_CHAIN] += 1
            continue
        for spec in required_questions(graph, wanted_kinds):
            if (graph.chain.id, spec.part) in existing:
                skipped[ALREADY_EXISTS] += 1
            else:
                required.append((graph, spec))
    drafts = _build_drafts(session, known, chosen, required, seed, skipped, progress)
    questions = build_questions(session, drafts, Maker.RULES, seed)
    return questions, QuestionGenerationResult.count(questions, wanted_kinds, skipped)


def select_graphs(session: Session, known: Sequence[ChainGraph], chain_ids: Sequence[str]) -> list[ChainGraph]:
    """Return the chains that questions are made of: those that are named, or one version of each."""
    by_id = {graph.chain.id: graph for graph in known}
    for chain_id in chain_ids:
        if chain_id not in by_id:
            raise unknown_id("chain", chain_id)
    if not known:
        raise UserError(
            "This study has no chains yet.", "Draw one in the mode Chains, or import a file: greenroom chain import"
        )
    named = chain_ids or [version.id for version in select_versions(session, [graph.chain for graph in known])]
    return [by_id[chain_id] for chain_id in dict.fromkeys(named)]


def build_questions(
    session: Session,
    drafts: Sequence[tuple[ChainGraph, QuestionDraft, str]],
    maker: Maker,
    seed: int,
) -> list[Question]:
    """Return drafts as questions, with the places of their right options balanced over all of them."""
    places = balance_positions(len(drafts), OPTION_COUNT, seed)
    durations: dict[str, int] = {}
    found = []
    for (graph, draft, judgment), place in zip(drafts, places, strict=True):
        recording_id = graph.chain.recording_id
        if recording_id not in durations:
            durations[recording_id] = session.recording(recording_id).duration_us
        start_us, end_us = shown_span(durations[recording_id], *graph.span)
        texts = (draft.text, draft.answer, draft.wrong, draft.explanation)
        about = (draft.kind, draft.aspect, draft.covers, coverage_checksum(graph, draft.covers))
        found.append(
            Question(
                *(new_id(), recording_id, graph.chain.id, *about, start_us, end_us, *texts),
                *(seed, place, maker, "", judgment, utc_now()),
            )
        )
    return found


def _require_chain_kinds(kinds: Sequence[QuestionKind]) -> tuple[QuestionKind, ...]:
    if foreign := [kind for kind in kinds if kind not in CHAIN_QUESTION_KINDS]:
        raise UserError(
            f"Questions of the kind {foreign[0].value} cannot be made from chains.",
            f"Choose one of {', '.join(CHAIN_QUESTION_KINDS)}.",
        )
    return tuple(dict.fromkeys(kinds)) or SINGLE_STEP


def existing_keys(session: Session, known: Sequence[ChainGraph], maker: Maker) -> set[tuple[str, str]]:
    """Return which questions of chains were made so and still fit, each by its chain and `QuestionSpec.part`."""
    graphs = {graph.chain.id: graph for graph in known}
    return {
        (question.chain_id, QuestionSpec(question.kind, question.aspect, question.covers).part)
        for question in all_questions(session.study)
        if question.chain_id
        and question.covers
        and question.maker is maker
        and not is_stale(question, graphs.get(question.chain_id))
    }


def _build_drafts(
    session: Session,
    known: Sequence[ChainGraph],
    chosen: Iterable[ChainGraph],
    wanted: Sequence[tuple[ChainGraph, QuestionSpec]],
    seed: int,
    skipped: Counter[str],
    progress: Progress,
) -> list[tuple[ChainGraph, QuestionDraft, str]]:
    usual = {version.id for version in select_versions(session, [graph.chain for graph in known])}
    usual |= {graph.chain.id for graph in chosen}
    pool = [graph for graph in known if graph.chain.id in usual and is_sound(graph)]
    names = [participant.pseudonym for participant in all_participants(session.study)]
    rules = RuleQuestionGenerator(pool, known, _recording_contexts(session, known), names, seed)
    found: dict[tuple[str, str], tuple[ChainGraph, QuestionDraft, str]] = {}
    for done, (graph, question_spec, draft) in enumerate(rules.drafts(wanted)):
        if done % 100 == 0:
            progress.check_cancelled()
            progress.progress(done, len(wanted), "questions")
        if isinstance(draft, str):
            skipped[draft] += 1
        else:
            found[graph.chain.id, question_spec.part] = graph, draft, ""
    ordered = [(graph.chain.id, question_spec.part) for graph, question_spec in wanted]
    return [found[pair] for pair in ordered if pair in found]


def _recording_contexts(session: Session, known: Sequence[ChainGraph]) -> dict[str, RecordingContext]:
    """Return recording id -> what the generator has to know of each recording with chains."""
    study = session.study
    contexts: dict[str, RecordingContext] = {}
    starts_by_recording: dict[str, dict[str, int]] = {}
    for graph in known:
        recording_id = graph.chain.recording_id
        starts_by_recording.setdefault(recording_id, {})[graph.chain.id] = shown_span(
            session.recording(recording_id).duration_us, *graph.span
        )[0]
    for recording_id, starts in starts_by_recording.items():
        people = {participant.id: participant.pseudonym for participant in participants_in(study, recording_id)}
        contexts[recording_id] = RecordingContext(starts, people, _granted_uses(session, recording_id))
    return contexts


def _granted_uses(session: Session, recording_id: str) -> frozenset[str]:
    """Return the uses that everybody in a recording agreed to, none where nobody is known; whether it is held out."""
    permission = may_leave(session, recording_id, LeaveUse.QUESTION_RELEASE)
    uses = {
        use.value
        for use in ConsentUse
        if not permission.unasked and all(has_consented(session, participant, use) for participant in permission.people)
    }
    return frozenset(uses if permission.held_out else {*uses, _NOT_HELD_OUT})
