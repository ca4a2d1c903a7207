"""What an annotator says about questions: whether they are kept, corrected or dropped.

How far two people agree about the questions that both of them looked at. Questions as people verify them: what counts,
what waits for whom, and how far they agree.
"""

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
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.queries import question_rows as rows
from project.queries.chain_rows import all_chains, find_chain, read_graph, read_graphs
from project.queries.question_rows import all_questions, questions_of, verifications, verifications_of
from project.queries.question_rows import find_question as questions_question_called
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.timebase import utc_now

MAX_NOTE_CHARS = 2_000
_DIFFICULTY_CHECK = "difficulty"
_STEP_NAME = "Verify question"
"""Of the history, whose newest step the menu names: it does not tell the next verifier what the last one said."""


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
    """Say whether a question is kept, corrected or dropped, in place of what was said before; one step of the history.

    Whoever keeps or corrects a question whose chain was edited says that it fits the chain as it is now.

    Args:
        session: of the study.
        question_id: of the question.
        decision: what becomes of it.
        checks: of the checklist, what holds. All of them do for a question that is kept or corrected.
        difficulty: one of `DIFFICULTIES`, or "".
        note: why, for whoever looks later.
        checklist: key of `CHECKS`.
        correction: what changes of the question, in the same step; only with the decision to correct it.

    Raises:
        UserError: there is no such question, it cannot be used as corrected, whoever works here wrote it, no judge
            failed at it yet, or the checks do not go with the decision.
    """
    session.study.require_writable()
    if correction is not None and decision is not VerificationDecision.CORRECT:
        raise UserError("A question that is kept or dropped stays as it is.", "Correct it, or leave its words.")
    before = get_question(session, question_id)
    approves = decision is not VerificationDecision.DROP
    holds = _require_checks(checklist, checks, difficulty, note, approves=approves)
    _require_not_author(session, before)
    given = correction or QuestionCorrection()
    if approves and is_stale(before, _graph(session, before)):
        given = replace(given, fits_chain=True)
    after = apply_correction(session, question_id, given) if given != QuestionCorrection() else before
    with session.step(_STEP_NAME) as step:
        who = session.annotator()
        assert who is not None
        if after != before:
            rows.update_question(session.study, after)
        new = Verification(
            *(after.id, who.id, decision, checklist, holds, difficulty, note.strip(), content_state(after), utc_now())
        )
        said = {
            verification.annotator_id: verification for verification in rows.verifications_of(session.study, after.id)
        }
        if not _is_unchanged(said.get(who.id), new):
            rows.set_verification(session.study, new)
    return step.changes


def withdraw_verification(session: Session, question_id: str) -> Changes:
    """Take back what the annotator of this session said about a question; a correction stays.

    Raises:
        UserError: they said nothing about it.
    """
    session.study.require_writable()
    who = session.annotator()
    said = [verification.annotator_id for verification in rows.verifications_of(session.study, question_id)]
    if who is None or who.id not in said or is_author(get_question(session, question_id), who.id):
        raise UserError(
            f"{session.annotator_name or 'Nobody'} did not verify this question.", "There is nothing to take back."
        )
    with session.step("Withdraw verification") as step:
        rows.delete_verification(session.study, question_id, who.id)
    return step.changes


def _require_checks(
    checklist: str, checks: Iterable[str], difficulty: str, note: str, *, approves: bool
) -> tuple[str, ...]:
    if checklist not in CHECKLIST_KEYS:
        raise UserError(f"There is no checklist “{checklist}”.", f"Choose one of {', '.join(CHECKLIST_KEYS)}.")
    known, given = CHECKLIST_KEYS[checklist], {*checks}
    if strange := sorted(given - {*known}):
        raise UserError(f"“{strange[0]}” is not on this checklist.", f"Choose of {', '.join(known)}.")
    if difficulty not in ("", *DIFFICULTIES):
        raise UserError(f"“{difficulty}” is no label of difficulty.", f"Choose one of {', '.join(DIFFICULTIES)}.")
    if len(note) > MAX_NOTE_CHARS:
        raise UserError(f"A note has up to {MAX_NOTE_CHARS:,} characters.", "Say it more briefly.")
    if _DIFFICULTY_CHECK in given and not difficulty:
        raise UserError("The difficulty has no label yet.", f"Choose one of {', '.join(DIFFICULTIES)}.")
    if approves and (missing := [text for text in known if text not in given]):
        raise UserError(
            f"A question that is kept meets every check; missing: {', '.join(missing)}.",
            "Tick what holds; correct the question, or drop it, where something does not.",
        )
    return tuple(text for text in known if text in given)


def _require_not_author(session: Session, question: Question) -> None:
    if question.kind is not QuestionKind.WRITTEN:
        return
    who = session.annotator()
    if who is not None and is_author(question, who.id):
        raise UserError(
            f"{who.name} wrote this question.", "Two others verify it: work under another annotator's name."
        )
    if not is_kept(question, rows.verifications_of(session.study, question.id)):
        raise UserError("This question is a draft: no judge failed at it yet.", "Whoever wrote it tries it on judges.")


def _graph(session: Session, question: Question) -> ChainGraph | None:
    chain = find_chain(session.study, question.chain_id) if question.chain_id else None
    return read_graph(session.study, chain) if chain is not None else None


def _is_unchanged(before: Verification | None, after: Verification) -> bool:
    return before is not None and replace(before, at=after.at) == after


APPROVING_DECISIONS = frozenset({VerificationDecision.KEEP, VerificationDecision.CORRECT})
"""What says that a question is good as it is."""
DECISION, DIFFICULTY = "decision", "difficulty"
_YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """How far pairs of people say the same about one thing.

    Attributes:
        key: `decision` (is it good as it is, or to be dropped), a check, or `difficulty`.
        pairs: of words about the same question in the same state.
        agreeing: pairs that say the same.
        kappa: Cohen's; None where it is undefined, because everybody says the same throughout.
    """

    key: str
    pairs: int
    agreeing: int
    kappa: float | None

    @property
    def raw(self) -> float | None:
        """The share of pairs that say the same, from 0 to 1; None without pairs."""
        return self.agreeing / self.pairs if self.pairs else None

    def as_json(self) -> dict[str, Json]:
        """Return it for a file or a terminal."""
        return {"pairs": self.pairs, "agreeing": self.agreeing, "raw": self.raw, "kappa": self.kappa}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures, the decision first; of checks and labels that no pair gave, there is none."""

    figures: tuple[AgreementFigure, ...]

    def figure(self, key: str) -> AgreementFigure:
        """Return one figure; one of no pairs where nobody could be compared."""
        return next((figure for figure in self.figures if figure.key == key), AgreementFigure(key, 0, 0, None))

    def as_json(self) -> dict[str, Json]:
        """Return it for a file or a terminal, by key."""
        return {figure.key: figure.as_json() for figure in self.figures}


def compute_agreement(said: Iterable[Sequence[Verification]]) -> Agreement:
    """Return how far people agree.

    Args:
        said: for each question, what people said about it in one and the same state. The two who looked first are
            compared. Cohen's kappa knows two sides: over all pairs, whoever comes first by id is the first one.
    """
    pairs = [_first_pair(one) for one in said if len(one) > 1]
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
    return Agreement(
        tuple(
            agreement_figure for agreement_figure in found if agreement_figure.pairs or agreement_figure.key == DECISION
        )
    )


def _first_pair(said: Sequence[Verification]) -> tuple[Verification, Verification]:
    first = sorted(said, key=lambda verification: (verification.at, verification.annotator_id))[:2]
    verification, other = sorted(first, key=lambda each: each.annotator_id)
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
    return AgreementFigure(key, len(given), sum(text == other for text, other in given), _kappa(given, categories))


def _kappa(given: Sequence[tuple[str, str]], categories: Sequence[str]) -> float | None:
    import numpy as np

    from annotate.agreement.coefficients import confusion_tables, kappa

    if not given:
        return None
    places = np.array([[categories.index(text), categories.index(other)] for text, other in given], np.int64)
    ones = np.ones(len(given), np.int64)
    found = float(kappa(confusion_tables(places[:, 0], places[:, 1], ones, np.zeros_like(ones), len(categories), 1))[0])
    return found if np.isfinite(found) else None


REQUIRED_VERIFIERS = 2
"""People that have to say the same."""


class VerificationState(StrEnum):
    """What became of a question, by what people say about it as it is now."""

    OPEN = "open"
    """Nobody's word counts."""
    ONCE = "once"
    """One person's does."""
    VERIFIED = "verified"
    """Two people approve of it, and nobody would drop it."""
    DISPUTED = "disputed"
    """Somebody approves of it, and somebody would drop it."""
    DROPPED = "dropped"
    """Two people would drop it, and nobody approves of it."""


def verification_state(question: Question, said: Iterable[Verification]) -> VerificationState:
    """Return what became of a question, by everything that was said about it."""
    words = counted_verifications(question, said)
    approving = sum(word.decision in APPROVING_DECISIONS for word in words)
    if not words:
        return VerificationState.OPEN
    if 0 < approving < len(words):
        return VerificationState.DISPUTED
    if len(words) < REQUIRED_VERIFIERS:
        return VerificationState.ONCE
    return VerificationState.VERIFIED if approving else VerificationState.DROPPED


def counted_verifications(question: Question, said: Iterable[Verification]) -> tuple[Verification, ...]:
    """Return what counts of what was said: it is about the question as it is now, and not by who wrote that.

    Of a question that a person wrote and no judge fails at, nothing does.
    """
    now, words = content_state(question), [*said]
    if not _is_ready(question, words):
        return ()
    return tuple(word for word in words if word.state == now and not is_author(question, word.annotator_id))


@dataclass(frozen=True, slots=True)
class VerificationItem:
    """A question with what people say about it.

    Attributes:
        verifications: everything, also what no longer counts, by time.
        stale: what it was made from says something else by now.
        graph: the chain that it was made from; None for none.
        ready: it can be verified; what a person wrote is, once judges failed at it.
    """

    question: Question
    verifications: tuple[Verification, ...]
    state: VerificationState
    stale: bool
    graph: ChainGraph | None
    ready: bool = True

    def verification_by(self, annotator_id: str) -> Verification | None:
        """Return what somebody said, whether it counts or not."""
        return next(
            (verification for verification in self.verifications if verification.annotator_id == annotator_id), None
        )

    def is_verified_by(self, annotator_id: str) -> bool:
        """Tell whether what somebody said is about the question as it is now."""
        return any(
            verification.annotator_id == annotator_id and verification.state == content_state(self.question)
            for verification in self.verifications
        )

    def needs_recheck_by(self, annotator_id: str) -> bool:
        """Tell whether somebody has to look again, because the question was changed after they looked."""
        return self.verification_by(annotator_id) is not None and not self.is_verified_by(annotator_id)

    def is_to_verify(self, surviving: Container[str]) -> bool:
        """Tell whether it is to be verified: the filters leave it, or somebody has begun.

        Whoever corrects a question makes one that no filter has seen; it is not forgotten for that.
        """
        return self.question.id in surviving or bool(self.verifications)

    def is_waiting_for(self, annotator_id: str) -> bool:
        """Tell whether somebody should look at it: their word is missing, or its chain was edited since."""
        if not self.ready or is_author(self.question, annotator_id):
            return False
        enough = len(counted_verifications(self.question, self.verifications)) >= REQUIRED_VERIFIERS
        if self.stale:
            return not enough or self.verification_by(annotator_id) is not None
        return not enough and not self.is_verified_by(annotator_id)


def read_items(
    session: Session, recording_id: str = "", question_ids: Iterable[str] | None = None
) -> list[VerificationItem]:
    """Return questions with what people say about them, by recording and time.

    Args:
        session: of the study.
        recording_id: only its questions; "" for those of all recordings.
        question_ids: only these; None for all.

    Raises:
        UserError: a question is damaged.
    """
    study = session.study
    found = questions_of(study, recording_id) if recording_id else all_questions(study)
    if question_ids is not None:
        wanted = {*question_ids}
        found = [question for question in found if question.id in wanted]
    said = verifications(study, recording_id)
    graphs = _read_graphs(session, found)
    order = {recording.id: at for at, recording in enumerate(all_recordings(study))}
    found.sort(key=lambda question: (order.get(question.recording_id, len(order)), question.start_us, question.id))
    return [_build_item(question, said.get(question.id, ()), graphs.get(question.chain_id or "")) for question in found]


def read_item(session: Session, question_id: str) -> VerificationItem | None:
    """Return one question as it is now, or None where none of that id is to be seen.

    Raises:
        UserError: it is damaged.
    """
    question = questions_question_called(session.study, question_id)
    if question is None:
        return None
    graphs = _read_graphs(session, [question])
    return _build_item(question, verifications_of(session.study, question_id), graphs.get(question.chain_id or ""))


def verified_ids(session: Session) -> set[str]:
    """Return the ids of the questions that two people approve of; whether one is stale is another matter.

    Raises:
        UserError: a question is damaged.
    """
    said = verifications(session.study)
    return {
        question.id
        for question in all_questions(session.study)
        if verification_state(question, said.get(question.id, ())) is VerificationState.VERIFIED
    }


def verification_queue(
    session: Session, recording_id: str = "", surviving: Iterable[str] | None = None, annotator_id: str = ""
) -> list[VerificationItem]:
    """Return what waits for somebody: first what has to be looked at again, then the rest by recording and time.

    Args:
        session: of the study.
        recording_id: only its questions; "" for those of all recordings.
        surviving: ids of the questions that go on to verification; None for those that the filters leave.
        annotator_id: for whom; "" for the annotator of the session.

    Raises:
        UserError: a question is damaged.
    """
    who = annotator_id or current_annotator_id(session)
    going = {*(surviving_questions(session) if surviving is None else surviving)}
    waiting = [
        item for item in read_items(session, recording_id) if item.is_waiting_for(who) and item.is_to_verify(going)
    ]
    return sorted(waiting, key=lambda item: not (item.stale or item.needs_recheck_by(who)))


def current_annotator_id(session: Session) -> str:
    """Return the id of the annotator of a session; "" before their first edit."""
    found = session.annotator()
    return found.id if found is not None else ""


@dataclass(frozen=True, slots=True)
class VerificationProgress:
    """How far the verification is.

    Attributes:
        done: questions that the person has looked at as they are now.
        waiting: questions that wait for the person.
        states: how many questions are where.
        stale: questions whose nodes were edited since.
    """

    done: int
    waiting: int
    states: Mapping[VerificationState, int]
    stale: int

    @property
    def total(self) -> int:
        """All questions."""
        return sum(self.states.values())


def verification_progress(found: Sequence[VerificationItem], annotator_id: str) -> VerificationProgress:
    """Return how far the verification of some questions is, for one person and for all."""
    return VerificationProgress(
        sum(item.is_verified_by(annotator_id) for item in found),
        sum(item.is_waiting_for(annotator_id) for item in found),
        {where: sum(item.state is where for item in found) for where in VerificationState},
        sum(item.stale for item in found),
    )


def study_agreement(session: Session, question_ids: Iterable[str] | None = None) -> Agreement:
    """Return how far the verifiers of a study agree, over all questions or some.

    Raises:
        UserError: a question is damaged.
    """
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
    chains = [each_chain for each_chain in all_chains(session.study) if each_chain.id in wanted]
    return {graph.chain.id: graph for graph in read_graphs(session.study, chains)} if chains else {}
