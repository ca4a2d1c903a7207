"""What people of a study said, for the baselines that know it; none of it ever leaves this machine."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from app.core.judging.seeing.frozen import truth_of
from app.core.judging.seeing.items import scheme_of
from app.core.per_state import PerState
from app.core.session import Session
from benchmark.tasks.base import Item
from benchmark.tasks.registry import task_of
from project.after import plain_part
from project.json_text import to_json
from project.queries.annotators import all_annotators
from project.queries.item_sets import items_of
from project.queries.segments import segments_under, values_in
from project.schemes.scheme import FieldKind
from project.types import FieldValue, Json

PERSON = "person"
Shares = list[tuple[Mapping[str, Json], int]]
_KNOWN: PerState[dict[tuple[str, str, str], Shares]] = PerState(lambda _session: {})
_USUAL: PerState[dict[tuple[str, str, str], Shares]] = PerState(lambda _session: {})


def shares_of(session: Session, scheme: str, track: str, task: str) -> Shares:
    """Return how often each answer to a task was given by people, the most frequent first.

    Segments that a training round hides do not count; texts are left aside, since no two people write the same.

    Raises:
        UserError: there is no such task or scheme.
    """
    known, key = _KNOWN.of(session), (scheme, track, task)
    if key not in known:
        known[key] = _counted(session, *key)
    return known[key]


def usual_in(session: Session, set_id: str, task: str, part: str = "") -> Shares:
    """Return the usual right answer of the items of a set, and of how many it is; [] where none has a right one.

    Each field has what is right most often, of several the first in the order of the alphabet; one with numbers has
    their mean, as a whole number. So it is right as often as that is, whatever is shown, and rates everything alike.

    Args:
        session: of the study.
        set_id: of the set, all its draws together.
        task: key of the registry of tasks.
        part: of an item; "" for the item as a whole.

    Raises:
        UserError: an item is damaged.
    """
    known, key = _USUAL.of(session), (set_id, task, plain_part(part))
    if key not in known:
        found = [one for item in items_of(session.study, set_id) if (one := truth_of(item, task, part))]
        fields = dict.fromkeys(name for one in found for name in one)
        usual = {name: _usual([one[name] for one in found if name in one]) for name in fields}
        known[key] = [(usual, len(found))] if usual else []
    return known[key]


def _usual(values: Sequence[Json]) -> Json:
    numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) == len(values):
        return round(fmean(numbers))
    counts = Counter(to_json(one) for one in values)
    most = min(counts, key=lambda text: (-counts[text], text))
    return next(one for one in values if to_json(one) == most)


def _counted(session: Session, scheme_key: str, track: str, task_key: str) -> Shares:
    study, scheme, task = session.study, scheme_of(session, scheme_key), task_of(task_key)
    people = {one.id for one in all_annotators(study) if one.kind == PERSON}
    counts: dict[str, tuple[Mapping[str, Json], int]] = {}
    values: dict[str, Mapping[str, Mapping[str, FieldValue]]] = {}
    for one in segments_under(study, scheme_key):
        if one.track != track or one.annotator_id not in people:
            continue
        if one.recording_id not in values:
            values[one.recording_id] = values_in(study, one.recording_id)
        filled = {name: value.value for name, value in values[one.recording_id].get(one.id, {}).items()}
        item = Item(scheme, track, one.label, filled)
        if task.why_not(item):
            continue
        answer = {name: value for name, value in task.truth(item).items() if not _text(item, name)}
        if answer:
            text = to_json(dict(sorted(answer.items())))
            counts[text] = (answer, counts.get(text, (answer, 0))[1] + 1)
    return [counts[text] for text in sorted(counts, key=lambda text: (-counts[text][1], text))]


def _text(item: Item, name: str) -> bool:
    return any(field.key == name and field.kind is FieldKind.TEXT for field in item.scheme.fields)
