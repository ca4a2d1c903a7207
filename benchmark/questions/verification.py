"""Verification of questions by annotators: their decisions, the state of each question, queues, and agreement."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from benchmark.questions.filter_funnel import surviving_questions
from benchmark.questions.question_edits import (
    QuestionCorrection,
    apply_correction,
    content_state,
    get_question,
    is_author,
    is_kept,
    is_stale,
    verification_by,
)
from project.entities.causal_chains import ChainGraph
from project.entities.questions import (
    CHECKLIST_KEYS,
    DIFFICULTIES,
    Question,
    QuestionKind,
    Verification,
    VerificationDecision,
)
from project.entities.study_records import MAX_NOTE_CHARS, Changes
from project.errors import UserError, no_own_decision, require_length, unknown_choice
from project.queries import question_rows
from project.queries.chain_rows import all_chains, find_chain, read_graph, read_graphs
from project.queries.question_rows import all_questions, find_question, questions_of, verifications, verifications_of
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.timebase import utc_now

_DIFFICULTY_CHECK = "difficulty"
_STEP_NAME = "Verify question"
"""Name of the step in the history; it does not reveal the decision to the next verifier, who sees it in the menu."""


def verify(
    session: Session,
    question_id: str,
    decision: VerificationDecision,
    checks: Iterable[str],
    difficulty: str = "",
    note: str = "",
    checklist: str = "chain",
    correction: QuestionCorrection | None = None,
) -> Changes:
    """Store the decision of the annotator about a question, as one step; it replaces an earlier one.

    Keeping or correcting a question whose chain was edited confirms that it fits the present chain.

    Args:
        session: of the study.
        question_id: of the question.
        decision: keep, correct or drop.
        checks: those of the checklist that hold; all of them for a question that is kept or corrected.
        difficulty: one of `DIFFICULTIES`, or "".
        note: the reason.
        checklist: key of `CHECKLIST_KEYS`.
        correction: changes of the question, in the same step; only with the decision to correct it.
    """
    session.study.require_writable()
    if correction is not None and decision is not VerificationDecision.CORRECT:
        raise UserError(
            "A correction cannot be combined with keeping or dropping a question.",
            "Decide to correct it, or leave its text unchanged.",
        )
    before = get_question(session, question_id)
    approves = decision is not VerificationDecision.DROP
    holds = _require_checks(checklist, checks, difficulty, note, approves=approves)
    _require_not_author(session, before)
    given = correction or QuestionCorrection()
    if approves and is_stale(before, _graph(session, before)):
        given = replace(given, fits_chain=True)
    after = apply_correction(session, question_id, given) if given != QuestionCorrection() else before
    with session.step(_STEP_NAME) as step:
        who = session.author()
        if after != before:
            question_rows.update_question(session.study, after)
        new = Verification(
            *(after.id, who.id, decision, checklist, holds, difficulty, note.strip(), content_state(after), utc_now())
        )
        earlier = verification_by(verifications_of(session.study, after.id), who.id)
        if earlier is None or replace(earlier, at=new.at) != new:
            question_rows.set_verification(session.study, new)
    return step.changes


def withdraw_verification(session: Session, question_id: str) -> Changes:
    """Delete the verification of the session's annotator; a correction stays."""
    session.study.require_writable()
    who = session.annotator()
    said = verifications_of(session.study, question_id)
    if who is None or not verification_by(said, who.id) or is_author(get_question(session, question_id), who.id):
        raise no_own_decision("verify", "question")
    with session.step("Withdraw verification") as step:
        question_rows.delete_verification(session.study, question_id, who.id)
    return step.changes


def _require_checks(
    checklist: str, checks: Iterable[str], difficulty: str, note: str, *, approves: bool
) -> tuple[str, ...]:
    if checklist not in CHECKLIST_KEYS:
        raise unknown_choice("checklist", checklist, CHECKLIST_KEYS)
    known, given = CHECKLIST_KEYS[checklist], {*checks}
    if strange := sorted(given - {*known}):
        raise unknown_choice("check in this checklist", strange[0], known)
    if difficulty not in ("", *DIFFICULTIES):
        raise unknown_choice("difficulty", difficulty, DIFFICULTIES)
    require_length(note, MAX_NOTE_CHARS, "A note")
    if _DIFFICULTY_CHECK in given and not difficulty:
        raise UserError("The question has no difficulty yet.", f"Choose one of {', '.join(DIFFICULTIES)}.")
    if approves and (missing := [check for check in known if check not in given]):
        raise UserError(
            f"To keep a question, all checks must hold; missing: {', '.join(missing)}.",
            "Tick the checks that hold; otherwise correct or drop the question.",
        )
    return tuple(check for check in known if check in given)


def _require_not_author(session: Session, question: Question) -> None:
    if question.kind is not QuestionKind.WRITTEN:
        return
    who = session.annotator()
    if who is not None and is_author(question, who.id):
        raise UserError("You wrote this question yourself.", "Two other annotators have to verify it.")
    if not is_kept(question, verifications_of(session.study, question.id)):
        raise UserError(
            "This question is a draft: no judge has failed on it yet.", "Its author has to try it on judges."
        )


def _graph(session: Session, question: Question) -> ChainGraph | None:
    chain = find_chain(session.study, question.chain_id) if question.chain_id else None
    return read_graph(session.study, chain) if chain is not None else None


APPROVING_DECISIONS = frozenset({VerificationDecision.KEEP, VerificationDecision.CORRECT})
"""Decisions that approve of a question."""
DECISION, DIFFICULTY = "decision", "difficulty"
_YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """The agreement of pairs of people on one aspect.

    Attributes:
        key: `decision` (approve or drop), a check, or `difficulty`.
        pairs: of verifications of the same question in the same state.
        kappa: Cohen's; None if undefined, because all values are the same.
    """

    key: str
    pairs: int
    agreeing: int
    kappa: float | None

    @property
    def raw(self) -> float | None:
        """The share of pairs that agree, from 0 to 1; None without pairs."""
        return self.agreeing / self.pairs if self.pairs else None


def compute_agreement(said: Iterable[Sequence[Verification]]) -> dict[str, AgreementFigure]:
    """Compute the agreement of verifiers by key: the decision first, then checks and labels that any pair has.

    Args:
        said: for each question, its verifications in the same state. The two earliest are compared; for Cohen's kappa,
            the annotator with the smaller id is the first rater.
    """
    pairs = [_first_pair(question_verifications) for question_verifications in said if len(question_verifications) > 1]
    found = [
        _agreement_figure(
            DECISION, pairs, lambda verification: _YES_NO[verification.decision not in APPROVING_DECISIONS], _YES_NO
        )
    ]
    for checklist, checks in CHECKLIST_KEYS.items():
        same = [
            (verification, other)
            for verification, other in pairs
            if verification.checklist == other.checklist == checklist
        ]
        found += [
            _agreement_figure(check, same, _check_category(check), _YES_NO) for check in checks if check != DIFFICULTY
        ]
    labelled = [(verification, other) for verification, other in pairs if verification.difficulty and other.difficulty]
    found.append(_agreement_figure(DIFFICULTY, labelled, lambda verification: verification.difficulty, DIFFICULTIES))
    return {figure.key: figure for figure in found if figure.pairs or figure.key == DECISION}


def _first_pair(said: Sequence[Verification]) -> tuple[Verification, Verification]:
    first = sorted(said, key=lambda verification: (verification.at, verification.annotator_id))[:2]
    verification, other = sorted(first, key=lambda verification: verification.annotator_id)
    return verification, other


def _check_category(check: str) -> Callable[[Verification], str]:
    return lambda verification: _YES_NO[check not in verification.checks]


def _agreement_figure(
    key: str,
    pairs: Sequence[tuple[Verification, Verification]],
    category: Callable[[Verification], str],
    categories: Sequence[str],
) -> AgreementFigure:
    given = [(category(verification), category(other)) for verification, other in pairs]
    return AgreementFigure(key, len(given), sum(value == other for value, other in given), _kappa(given, categories))


def _kappa(given: Sequence[tuple[str, str]], categories: Sequence[str]) -> float | None:
    import numpy as np

    from annotate.agreement.coefficients import kappa_of_codes

    if not given:
        return None
    places = np.array([[categories.index(value), categories.index(other)] for value, other in given], np.int64)
    found = kappa_of_codes(places.T, len(categories), np.ones(len(given)))
    return found if np.isfinite(found) else None


REQUIRED_VERIFIERS = 2
"""Number of people that have to agree."""


class VerificationState(StrEnum):
    """The state of a question, by the verifications of its present form."""

    OPEN = "open"
    """No verification counts."""
    ONCE = "once"
    """One verification counts."""
    VERIFIED = "verified"
    """Two people approve of it, and nobody drops it."""
    DISPUTED = "disputed"
    """Somebody approves of it, and somebody drops it."""
    DROPPED = "dropped"
    """Two people drop it, and nobody approves of it."""


def verification_state(question: Question, said: Iterable[Verification]) -> VerificationState:
    """Return the state of a question from all of its verifications."""
    counted = counted_verifications(question, said)
    approving = sum(verification.decision in APPROVING_DECISIONS for verification in counted)
    if not counted:
        return VerificationState.OPEN
    if 0 < approving < len(counted):
        return VerificationState.DISPUTED
    if len(counted) < REQUIRED_VERIFIERS:
        return VerificationState.ONCE
    return VerificationState.VERIFIED if approving else VerificationState.DROPPED


def counted_verifications(question: Question, said: Iterable[Verification]) -> tuple[Verification, ...]:
    """Return the verifications that count: those of the present form that are not by the author.

    For a hand-written question that was not kept by its author, none counts.
    """
    state, all_verifications = content_state(question), [*said]
    if not _is_ready(question, all_verifications):
        return ()
    return tuple(
        verification
        for verification in all_verifications
        if verification.state == state and not is_author(question, verification.annotator_id)
    )


@dataclass(frozen=True, slots=True)
class VerificationItem:
    """A question with its verifications.

    Attributes:
        verifications: all of them, by time, with those that do not count any more.
        stale: its source was changed.
        graph: the chain that it was made from; None for none.
        ready: it can be verified; a hand-written question can once judges failed at it.
    """

    question: Question
    verifications: tuple[Verification, ...]
    state: VerificationState
    stale: bool
    graph: ChainGraph | None
    ready: bool = True

    def verification_by(self, annotator_id: str) -> Verification | None:
        return verification_by(self.verifications, annotator_id)

    def is_verified_by(self, annotator_id: str) -> bool:
        own = self.verification_by(annotator_id)
        return own is not None and own.state == content_state(self.question)

    def needs_recheck_by(self, annotator_id: str) -> bool:
        """Tell whether an annotator verified an earlier form and has to look again."""
        return self.verification_by(annotator_id) is not None and not self.is_verified_by(annotator_id)

    def is_to_verify(self, surviving: Container[str]) -> bool:
        """Tell whether it is to be verified: it survives the filter, or somebody verified it.

        A corrected question has not passed the filter, but stays in the queue.
        """
        return self.question.id in surviving or bool(self.verifications)

    def is_waiting_for(self, annotator_id: str) -> bool:
        """Tell whether an annotator should verify it: a verification is missing, or its chain was edited since."""
        if not self.ready or is_author(self.question, annotator_id):
            return False
        enough = len(counted_verifications(self.question, self.verifications)) >= REQUIRED_VERIFIERS
        if self.stale:
            return not enough or self.verification_by(annotator_id) is not None
        return not enough and not self.is_verified_by(annotator_id)


def read_items(
    session: Session, recording_id: str = "", question_ids: Iterable[str] | None = None
) -> list[VerificationItem]:
    """Return questions with their verifications, by recording and time."""
    study = session.study
    found = questions_of(study, recording_id) if recording_id else all_questions(study)
    if question_ids is not None:
        wanted = {*question_ids}
        found = [question for question in found if question.id in wanted]
    said = verifications(study, recording_id)
    graphs = _read_graphs(session, found)
    order = {recording.id: position for position, recording in enumerate(all_recordings(study))}
    found.sort(key=lambda question: (order.get(question.recording_id, len(order)), question.start_us, question.id))
    return [_build_item(question, said.get(question.id, ()), graphs.get(question.chain_id or "")) for question in found]


def read_item(session: Session, question_id: str) -> VerificationItem | None:
    """Return one question with its verifications, or None if it is not visible."""
    question = find_question(session.study, question_id)
    if question is None:
        return None
    graphs = _read_graphs(session, [question])
    return _build_item(question, verifications_of(session.study, question_id), graphs.get(question.chain_id or ""))


def verified_ids(session: Session) -> set[str]:
    """Return the ids of the verified questions, stale ones included."""
    said = verifications(session.study)
    return {
        question.id
        for question in all_questions(session.study)
        if verification_state(question, said.get(question.id, ())) is VerificationState.VERIFIED
    }


def verification_queue(
    session: Session, recording_id: str = "", surviving: Iterable[str] | None = None, annotator_id: str = ""
) -> list[VerificationItem]:
    """Return the queue of an annotator: first questions to look at again, then the rest by recording and time.

    Args:
        session: of the study.
        recording_id: only its questions; "" for those of all recordings.
        surviving: ids of the questions that go on to verification; None for those that survive the filter.
        annotator_id: of the annotator; "" for that of the session.
    """
    who = annotator_id or current_annotator_id(session)
    survivors = {*(surviving_questions(session) if surviving is None else surviving)}
    waiting = [
        item for item in read_items(session, recording_id) if item.is_waiting_for(who) and item.is_to_verify(survivors)
    ]
    return sorted(waiting, key=lambda item: not (item.stale or item.needs_recheck_by(who)))


def current_annotator_id(session: Session) -> str:
    """Return the id of the annotator of a session; "" before their first edit."""
    found = session.annotator()
    return found.id if found is not None else ""


@dataclass(frozen=True, slots=True)
class VerificationProgress:
    """The progress of verification.

    Attributes:
        done: questions whose present form the annotator verified.
        waiting: questions in the queue of the annotator.
        stale: questions whose source was changed.
    """

    done: int
    waiting: int
    states: Mapping[VerificationState, int]
    stale: int

    @property
    def total(self) -> int:
        return sum(self.states.values())


def verification_progress(found: Sequence[VerificationItem], annotator_id: str) -> VerificationProgress:
    """Return the progress of verification, for one annotator and for all."""
    return VerificationProgress(
        sum(item.is_verified_by(annotator_id) for item in found),
        sum(item.is_waiting_for(annotator_id) for item in found),
        {state: sum(item.state is state for item in found) for state in VerificationState},
        sum(item.stale for item in found),
    )


def study_agreement(session: Session, question_ids: Iterable[str] | None = None) -> dict[str, AgreementFigure]:
    """Return the agreement of the verifiers of a study, over all questions or some."""
    wanted = None if question_ids is None else {*question_ids}
    said = verifications(session.study)
    return compute_agreement(
        [
            counted_verifications(question, said.get(question.id, ()))
            for question in all_questions(session.study)
            if wanted is None or question.id in wanted
        ]
    )


def _build_item(question: Question, said: Sequence[Verification], graph: ChainGraph | None) -> VerificationItem:
    return VerificationItem(
        question,
        tuple(said),
        verification_state(question, said),
        is_stale(question, graph),
        graph,
        _is_ready(question, said),
    )


def _is_ready(question: Question, said: Iterable[Verification]) -> bool:
    return question.kind is not QuestionKind.WRITTEN or is_kept(question, said)


def _read_graphs(session: Session, questions: Sequence[Question]) -> dict[str, ChainGraph]:
    wanted = {question.chain_id for question in questions if question.chain_id}
    if len(wanted) == 1:
        chain = find_chain(session.study, next(iter(wanted)))
        return {chain.id: read_graph(session.study, chain)} if chain is not None else {}
    chains = [chain_row for chain_row in all_chains(session.study) if chain_row.id in wanted]
    return {graph.chain.id: graph for graph in read_graphs(session.study, chains)} if chains else {}
