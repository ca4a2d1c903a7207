"""From the controls of the window to a question about the study, and what the controls offer."""

from app.core.agreement.compared_people import ADJUDICATED
from app.core.agreement.measuring import Question
from app.core.session import Session
from benchmark.agreement.material import Options
from project.queries.annotators import all_annotators
from project.queries.collections import all_collections
from project.queries.recordings import all_recordings
from resources.translation import tr
from widgets.agreement.comparison_bar import Comparison, ComparisonBar

_COLLECTION = tr("collection ")


def offer(session: Session, bar: ComparisonBar) -> bool:
    """Offer what the study has; returns whether what is chosen is another thing now."""
    lanes = {
        f"{scheme.key}/{track.key}": scheme.name if len(scheme.tracks) == 1 else f"{scheme.name}: {track.name}"
        for scheme in session.schemes
        for track in scheme.tracks
    }
    people = [one.name for one in all_annotators(session.study) if one.kind != ADJUDICATED]
    recordings = all_recordings(session.study)
    used = {one.collection_id for one in recordings}
    collections = [one for one in all_collections(session.study) if one.id in used]
    groups = {
        f"{_COLLECTION}{one.id}": tr("Collection {name}").format(name=one.name)
        for one in collections
        if len(collections) > 1
    }
    groups |= {one.id: f"{one.number}. {one.name}" for one in recordings}
    return bar.offer(lanes, people, groups)


def question_of(session: Session, asked: Comparison) -> Question:
    """Return what the controls ask."""
    scheme, _, track = asked.lane.partition("/")
    chosen = tuple(
        one.id
        for one in all_recordings(session.study)
        if one.id in asked.groups or f"{_COLLECTION}{one.collection_id}" in asked.groups
    )
    return Question(
        pair=asked.pair,
        third=asked.third,
        scheme=scheme,
        track=track,
        recordings=chosen,
        options=Options(minimum_iou=asked.minimum_iou, step_us=1000 * asked.step_ms),
    )
