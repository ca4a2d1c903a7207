"""Which items of a set somebody knows the answers of, because they said them themselves.

A person who answers such items repeats their own annotation, so they are left out of their queue by default. A stretch
that nobody marked counts as said by everybody who annotated its recording: who marks everything else says that there is
nothing. Without that, whoever annotated half a study would be asked hardly anything but stretches without a label.
"""

from collections.abc import Iterable
from typing import cast

from app.core.session import Session
from project.item_sets import FrozenItem
from project.judging import Subject
from project.queries.chains import chain_called
from project.queries.questions import question_called, verifications
from project.queries.reviews import reviews_in
from project.queries.segments import segments_of
from project.questions import question_from
from project.types import Json, Segment


def own_items(session: Session, items: Iterable[FrozenItem], annotator_id: str) -> frozenset[str]:
    """Return the ids of the items that were made from what somebody marked, reviewed, wrote or verified."""
    known = _Known(session, annotator_id)
    return frozenset(one.id for one in items if known.knows(one))


class _Known:
    """What somebody said in a study; each recording is read once."""

    def __init__(self, session: Session, annotator_id: str) -> None:
        self._session = session
        self._who = annotator_id
        self._marked: dict[str, list[Segment]] = {}
        self._reviewed: dict[str, frozenset[str]] = {}
        self._chains: dict[str, bool] = {}
        said = verifications(session.study)
        self._verified = {key for key, found in said.items() if any(one.annotator_id == annotator_id for one in found)}

    def knows(self, item: FrozenItem) -> bool:
        """Tell whether an item was made from something of theirs."""
        source = item.source
        if item.subject is Subject.QUESTION:
            return self._asked(item)
        if item.subject is Subject.CHAIN and source is not None:
            return self._drew(source.id)
        marked = [one for one in self._in(item.recording_id) if one.scheme == item.content.get("scheme", one.scheme)]
        if source is None:
            return bool(marked)
        if source.subject is Subject.SEGMENT and source.id in self._reviewed[item.recording_id]:
            return True
        return any(one.start_us < item.end_us and one.end_us > item.start_us for one in marked)

    def _in(self, recording_id: str) -> list[Segment]:
        if recording_id not in self._marked:
            study = self._session.study
            found = segments_of(study, recording_id, unseen=True)
            self._marked[recording_id] = [one for one in found if one.annotator_id == self._who]
            self._reviewed[recording_id] = frozenset(
                key
                for key, said in reviews_in(study, recording_id).items()
                if any(one.reviewer_id == self._who for one in said)
            )
        return self._marked[recording_id]

    def _asked(self, item: FrozenItem) -> bool:
        source, frozen = item.source, item.content.get("question")
        question = question_from(cast(dict[str, Json], frozen)) if frozen else None
        if question is None and source is not None:
            question = question_called(self._session.study, source.id)
        if question is None:
            return False
        wrote = question.annotator_id == self._who or question.id in self._verified
        return wrote or (question.chain_id is not None and self._drew(question.chain_id))

    def _drew(self, chain_id: str) -> bool:
        if chain_id not in self._chains:
            chain = chain_called(self._session.study, chain_id)
            self._chains[chain_id] = chain is not None and chain.annotator_id == self._who
        return self._chains[chain_id]
