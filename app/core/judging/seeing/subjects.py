"""What can be asked about, with its place: a segment, a question, a chain, a whole recording, an item of a set."""

from dataclasses import dataclass
from typing import cast

from app.core.chains.state import state_of
from app.core.judging.seeing.items import seen_segment
from app.core.session import Session
from project.chains import Chain, ChainGraph
from project.errors import UserError
from project.item_sets import FrozenItem
from project.judging import About, Subject
from project.queries.chains import chain_called, graph_of
from project.queries.item_sets import item_called
from project.queries.questions import question_called
from project.questions import Question, question_from
from project.types import Json


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is, and what else is known about it.

    Attributes:
        about: what it is.
        recording_id: where it is.
        start_us: on the recording's axis.
        end_us: on the recording's axis.
        scheme: of a segment; "" for anything else.
        track: of a segment; "" for anything else.
        state: of a question or a chain, as it is now; "" for anything else.
        question: the question, if it is one.
        chain: the chain, if it is one, or that the question was made from, where that was wanted.
        frozen: the item, if it is one of a frozen set.
    """

    about: About
    recording_id: str
    start_us: int
    end_us: int
    scheme: str = ""
    track: str = ""
    state: str = ""
    question: Question | None = None
    chain: ChainGraph | None = None
    frozen: FrozenItem | None = None

    @property
    def subject(self) -> Subject:
        """What kind of thing it is; of an item, what that was made from."""
        return self.about.subject if self.frozen is None else self.frozen.subject


def place_of(session: Session, about: About, *, told_chain: bool = True) -> Place:
    """Return where something is.

    Args:
        session: of the study.
        about: what it is.
        told_chain: of a question, whether the chain that it was made from is read too.

    Raises:
        UserError: there is no such thing, or it is not to be seen yet.
    """
    match about.subject:
        case Subject.SEGMENT:
            segment = seen_segment(session, about.id)
            span = segment.recording_id, segment.start_us, segment.end_us
            return Place(about, *span, segment.scheme, segment.track)
        case Subject.QUESTION:
            question = question_called(session.study, about.id)
            if question is None:
                raise UserError("This question is no longer part of the study.", "Choose another one.")
            wanted = question.chain_id if told_chain else None
            chain = chain_called(session.study, wanted) if wanted else None
            graph = graph_of(session.study, chain) if chain else None
            span = question.recording_id, question.start_us, question.end_us
            return Place(about, *span, state=question.state, question=question, chain=graph)
        case Subject.CHAIN:
            return _chain_place(session, about, chain_called(session.study, about.id))
        case Subject.RECORDING:
            recording = session.recording(about.id)
            return Place(about, recording.id, 0, recording.duration_us)
        case Subject.ITEM:
            return _item_place(session, about, told_chain=told_chain)


def _item_place(session: Session, about: About, *, told_chain: bool) -> Place:
    """Return where an item is; of its question it is the frozen one, whatever became of it since."""
    item = item_called(session.study, about.id)
    if item is None:
        raise UserError("This item is no longer part of the study.", "Choose another one.")
    recording = session.recording(item.recording_id)
    frozen = item.content.get("question")
    question = question_from(cast(dict[str, Json], frozen)) if frozen else None
    chain = chain_called(session.study, question.chain_id) if told_chain and question and question.chain_id else None
    return Place(
        about,
        recording.id,
        item.start_us,
        min(item.end_us, recording.duration_us),
        str(item.content.get("scheme", "")),
        str(item.content.get("track", "")),
        item.made_from,
        question,
        graph_of(session.study, chain) if chain else None,
        item,
    )


def _chain_place(session: Session, about: About, chain: Chain | None) -> Place:
    if chain is None:
        raise UserError("This chain is no longer part of the study, or not to be seen yet.", "Choose another one.")
    graph = graph_of(session.study, chain)
    start_us, end_us = shown_span(session.recording(chain.recording_id).duration_us, *graph.span)
    return Place(about, chain.recording_id, start_us, end_us, state=state_of(graph), chain=graph)


WHOLE_US = 180_000_000
"""Recordings up to this long are shown whole, as R3-VQA's are (section 3.3)."""
AROUND_US = 15_000_000


def shown_span(duration_us: int, start_us: int, end_us: int) -> tuple[int, int]:
    """Return what of a recording is shown with a question: all of a short one, else its span and what lies around."""
    if duration_us <= WHOLE_US or end_us <= start_us:
        return 0, duration_us
    return max(0, start_us - AROUND_US), min(duration_us, end_us + AROUND_US)
