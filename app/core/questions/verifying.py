"""Questions as people verify them: what counts, what waits for whom, and how far they agree.

After R3-VQA (section 3.2): two people look at a question, each without what the other says. What somebody said counts
as long as the question is what they saw: a correction, or an edit of the nodes that it covers, asks them again.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.questions.agreeing import APPROVING, Agreement, agreement_of
from app.core.questions.coverage import is_stale
from app.core.questions.hardening.funnel import survives
from app.core.questions.seen import is_author, kept, seen_state
from app.core.session import Session
from project.chains import ChainGraph
from project.queries.chains import all_chains, chain_called, graph_of, graphs_of
from project.queries.questions import all_questions, question_called, questions_of, verifications, verifications_of
from project.queries.recordings import all_recordings
from project.questions import Question, QuestionKind, Verification

VERIFIERS = 2
"""People that have to say the same."""


class Standing(StrEnum):
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


def standing(question: Question, said: Iterable[Verification]) -> Standing:
    """Return what became of a question, by everything that was said about it."""
    words = counting(question, said)
    approving = sum(one.decision in APPROVING for one in words)
    if not words:
        return Standing.OPEN
    if 0 < approving < len(words):
        return Standing.DISPUTED
    if len(words) < VERIFIERS:
        return Standing.ONCE
    return Standing.VERIFIED if approving else Standing.DROPPED


def counting(question: Question, said: Iterable[Verification]) -> tuple[Verification, ...]:
    """Return what counts of what was said: it is about the question as it is now, and not by who wrote that.

    Of a question that a person wrote and no judge fails at, nothing does.
    """
    now, words = seen_state(question), [*said]
    if not _ready(question, words):
        return ()
    return tuple(one for one in words if one.state == now and not is_author(question, one.annotator_id))


@dataclass(frozen=True, slots=True)
class Verified:
    """A question with what people say about it.

    Attributes:
        said: everything, also what no longer counts, by time.
        stale: what it was made from says something else by now.
        graph: the chain that it was made from; None for none.
        ready: it can be verified; what a person wrote is, once judges failed at it.
    """

    question: Question
    said: tuple[Verification, ...]
    standing: Standing
    stale: bool
    graph: ChainGraph | None
    ready: bool = True

    def by(self, annotator_id: str) -> Verification | None:
        """Return what somebody said, whether it counts or not."""
        return next((one for one in self.said if one.annotator_id == annotator_id), None)

    def looked_at_by(self, annotator_id: str) -> bool:
        """Tell whether what somebody said is about the question as it is now."""
        return any(one.annotator_id == annotator_id and one.state == seen_state(self.question) for one in self.said)

    def again(self, annotator_id: str) -> bool:
        """Tell whether somebody has to look again, because the question was changed after they looked."""
        return self.by(annotator_id) is not None and not self.looked_at_by(annotator_id)

    def goes_on(self, surviving: Container[str]) -> bool:
        """Tell whether it is to be verified: the filters leave it, or somebody has begun.

        Whoever corrects a question makes one that no filter has seen; it is not forgotten for that.
        """
        return self.question.id in surviving or bool(self.said)

    def waits_for(self, annotator_id: str) -> bool:
        """Tell whether somebody should look at it: their word is missing, or its chain was edited since."""
        if not self.ready or is_author(self.question, annotator_id):
            return False
        enough = len(counting(self.question, self.said)) >= VERIFIERS
        if self.stale:
            return not enough or self.by(annotator_id) is not None
        return not enough and not self.looked_at_by(annotator_id)


def gathered(session: Session, recording_id: str = "", question_ids: Iterable[str] | None = None) -> list[Verified]:
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
        found = [one for one in found if one.id in wanted]
    said = verifications(study, recording_id)
    graphs = _graphs(session, found)
    order = {one.id: at for at, one in enumerate(all_recordings(study))}
    found.sort(key=lambda one: (order.get(one.recording_id, len(order)), one.start_us, one.id))
    return [_verified(one, said.get(one.id, ()), graphs.get(one.chain_id or "")) for one in found]


def read_again(session: Session, question_id: str) -> Verified | None:
    """Return one question as it is now, or None where none of that id is to be seen.

    Raises:
        UserError: it is damaged.
    """
    question = question_called(session.study, question_id)
    if question is None:
        return None
    graphs = _graphs(session, [question])
    return _verified(question, verifications_of(session.study, question_id), graphs.get(question.chain_id or ""))


def verified(session: Session) -> set[str]:
    """Return the ids of the questions that two people approve of; whether one is stale is another matter.

    Raises:
        UserError: a question is damaged.
    """
    said = verifications(session.study)
    return {one.id for one in all_questions(session.study) if standing(one, said.get(one.id, ())) is Standing.VERIFIED}


def queue(
    session: Session, recording_id: str = "", surviving: Iterable[str] | None = None, annotator_id: str = ""
) -> list[Verified]:
    """Return what waits for somebody: first what has to be looked at again, then the rest by recording and time.

    Args:
        session: of the study.
        recording_id: only its questions; "" for those of all recordings.
        surviving: ids of the questions that go on to verification; None for those that the filters leave.
        annotator_id: for whom; "" for the annotator of the session.

    Raises:
        UserError: a question is damaged.
    """
    who = annotator_id or me(session)
    going = {*(survives(session) if surviving is None else surviving)}
    waiting = [one for one in gathered(session, recording_id) if one.waits_for(who) and one.goes_on(going)]
    return sorted(waiting, key=lambda one: not (one.stale or one.again(who)))


def me(session: Session) -> str:
    """Return the id of the annotator of a session; "" before their first edit."""
    found = session.annotator()
    return found.id if found is not None else ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the verification is.

    Attributes:
        done: questions that the person has looked at as they are now.
        waiting: questions that wait for the person.
        standings: how many questions are where.
        stale: questions whose nodes were edited since.
    """

    done: int
    waiting: int
    standings: Mapping[Standing, int]
    stale: int

    @property
    def total(self) -> int:
        """All questions."""
        return sum(self.standings.values())


def progress(found: Sequence[Verified], annotator_id: str) -> Progress:
    """Return how far the verification of some questions is, for one person and for all."""
    return Progress(
        sum(one.looked_at_by(annotator_id) for one in found),
        sum(one.waits_for(annotator_id) for one in found),
        {where: sum(one.standing is where for one in found) for where in Standing},
        sum(one.stale for one in found),
    )


def agreement(session: Session, question_ids: Iterable[str] | None = None) -> Agreement:
    """Return how far the verifiers of a study agree, over all questions or some.

    Raises:
        UserError: a question is damaged.
    """
    wanted = None if question_ids is None else {*question_ids}
    said = verifications(session.study)
    return agreement_of(
        [
            counting(one, said.get(one.id, ()))
            for one in all_questions(session.study)
            if wanted is None or one.id in wanted
        ]
    )


def _verified(question: Question, said: Sequence[Verification], graph: ChainGraph | None) -> Verified:
    return Verified(
        question,
        tuple(said),
        standing(question, said),
        is_stale(question, graph),
        graph,
        _ready(question, said),
    )


def _ready(question: Question, said: Iterable[Verification]) -> bool:
    return question.kind is not QuestionKind.WRITTEN or kept(question, said)


def _graphs(session: Session, questions: Sequence[Question]) -> dict[str, ChainGraph]:
    wanted = {one.chain_id for one in questions if one.chain_id}
    if len(wanted) == 1:
        chain = chain_called(session.study, next(iter(wanted)))
        return {chain.id: graph_of(session.study, chain)} if chain is not None else {}
    chains = [one for one in all_chains(session.study) if one.id in wanted]
    return {one.chain.id: one for one in graphs_of(session.study, chains)} if chains else {}
