"""Puts the items of a review into the words and looks of the page."""

from collections.abc import Mapping, Sequence

from app.core.agreement.lanes import Mark
from app.core.review import BOUNDARIES, LABEL, Item, Outcome, Sheet, named
from project.schemes.scheme import CHOOSING, Field, FieldKind, Scheme
from project.timebase import format_time
from project.types import Decision, Json, Segment
from resources.translation import tr
from widgets.label_looks import LabelLook, looks_of, unknown_look
from widgets.review.shown import Column, Comparison, ItemRow, Line, Part, State

_OUTCOMES = {
    Outcome.ALIKE: State.ALIKE,
    Outcome.SETTLED: State.SETTLED,
    Outcome.DISPUTED: State.DISPUTED,
    Outcome.OPEN: State.WAITS_FOR_OTHER,
}


def row_of(item: Item, compared: Sheet, scheme: Scheme | None, reviewer_id: str) -> ItemRow:
    """Return an item as the list shows it."""
    looks = tuple(None if mark is None else look_of(mark.segment, scheme) for mark in (item.first, item.second))
    third = compared.third.name if compared.third else ""
    if not item.pair:
        text = tr("Only {third}").format(third=third)
    elif not item.matched:
        text = tr("Only {name}").format(name=(compared.first if item.first else compared.second).name)
    elif item.differs or item.third_differs:
        first, *rest = named(scheme, item.differs or item.third_differs)
        text = ", ".join([first, *(one.lower() for one in rest)])
        text = text if item.differs else f"{third}: {text.lower()}"
    else:
        text = tr("Nothing differs")
    return ItemRow(item.key, item.start_us, looks, text, state_of(item, reviewer_id))


def state_of(item: Item, reviewer_id: str) -> State:
    """Return how far an item is, for one who reviews."""
    if not item.pair or (item.outcome is Outcome.ALIKE and item.third_differs):
        return State.THIRD
    if item.waits_for(reviewer_id):
        return State.WAITS
    if item.outcome in (Outcome.ALIKE, Outcome.DISPUTED):
        return _OUTCOMES[item.outcome]
    said = [mark.review_by(reviewer_id) for mark in item.to_review(reviewer_id)]
    if said and said[0] is not None:
        return State.AGREED if said[0].decision is Decision.AGREE else State.DISAGREED
    return _OUTCOMES[item.outcome]


def comparison_of(
    item: Item,
    compared: Sheet,
    scheme: Scheme | None,
    reviewer_id: str,
    names: Mapping[str, str],
    participants: Mapping[str, str],
) -> Comparison:
    """Return an item side by side; `names` are of annotators and `participants` of people in the recording, by id."""
    people = [compared.first, compared.second, *([compared.third] if compared.third else [])]
    marks = [item.first, item.second, *([item.third] if compared.third else [])]
    wanted = {mark.segment.id for mark in item.to_review(reviewer_id)}
    columns = tuple(
        _column(who.name, mark, mark is not None and mark.segment.id in wanted, reviewer_id, names)
        for who, mark in zip(people, marks, strict=True)
    )
    waiting = {mark.segment.id for mark in item.waits_for(reviewer_id)}
    order = [at for at, one in enumerate(columns) if one.decidable]
    # The second's segment comes first, and what waits before what was decided.
    order.sort(key=lambda at: (columns[at].segment_id not in waiting, at != 1))
    differing = set(item.differs) | set(item.third_differs)
    lines = [_line(tr("Label"), tuple(_label(mark, scheme) for mark in marks), LABEL in differing)]
    lines.append(_line(tr("Start"), _times(marks, "start_us"), BOUNDARIES in differing))
    lines.append(_line("End", _times(marks, "end_us"), BOUNDARIES in differing))
    for field in scheme.fields_of(item.marks[0].segment.track) if scheme is not None else ():
        cells = _values(field, marks, participants)
        if any(cells):
            lines.append(_line(field.name, cells, field.key in differing))
    return Comparison(columns, tuple(lines), order[0] if order else -1)


def look_of(segment: Segment, scheme: Scheme | None) -> LabelLook:
    """Return how the label of a segment looks."""
    looks = looks_of(scheme.lane(segment.track)) if scheme is not None else ()
    return next((one for one in looks if one.key == segment.label), None) or unknown_look(segment.label)


def _column(name: str, mark: Mark | None, decidable: bool, reviewer_id: str, names: Mapping[str, str]) -> Column:
    if mark is None:
        return Column(name, "", said=(tr("Marked nothing here"),))
    own = mark.review_by(reviewer_id)
    said = []
    for review in mark.reviews:
        verb = "agree" if review.decision is Decision.AGREE else "disagree"
        who = (
            tr("You {verb}").format(verb=verb)
            if review is own
            else f"{names.get(review.reviewer_id, tr('Somebody'))} {verb}s"
        )
        said.append(f"{who}: {review.note}" if review.note else who)
    if decidable and own is None:
        said.append(tr("Waits for you"))
    return Column(name, mark.segment.id, decidable, tuple(said), own.note if own else "", own is not None)


def _line(name: str, cells: tuple[LabelLook | tuple[Part, ...], ...], differs: bool) -> Line:
    return Line(name, cells, differs)


def _label(mark: Mark | None, scheme: Scheme | None) -> LabelLook | tuple[Part, ...]:
    return () if mark is None else look_of(mark.segment, scheme)


def _times(marks: Sequence[Mark | None], edge: str) -> tuple[tuple[Part, ...], ...]:
    """Return the times of an edge; all but the first say how many seconds they are from it."""
    found: list[tuple[Part, ...]] = []
    base: int | None = None
    for mark in marks:
        if mark is None:
            found.append(())
            continue
        at = int(getattr(mark.segment, edge))
        parts = [Part(format_time(at))]
        if base is not None and at != base:
            parts.append(Part(f"{(at - base) / 1e6:+.3f} s".replace("-", "\N{MINUS SIGN}")))
        base = at if base is None else base
        found.append(tuple(parts))
    return tuple(found)


def _values(
    field: Field, marks: Sequence[Mark | None], participants: Mapping[str, str]
) -> tuple[tuple[Part, ...], ...]:
    given = [mark.values.get(field.key) if mark is not None else None for mark in marks]
    there = [value for mark, value in zip(marks, given, strict=True) if mark is not None]
    return tuple(
        () if mark is None else _parts(field, value, there, participants)
        for mark, value in zip(marks, given, strict=True)
    )


def _parts(field: Field, value: Json, every: Sequence[Json], participants: Mapping[str, str]) -> tuple[Part, ...]:
    if value in (None, "", []):
        return ()
    if field.kind in CHOOSING:
        names = {choice.key: choice.name for choice in field.choices}
        chosen = [str(one) for one in value] if isinstance(value, list) else [str(value)]
        sets = [{str(one) for one in (v if isinstance(v, list) else [v])} for v in every]
        return tuple(Part(names.get(one, one), not all(one in found for found in sets)) for one in chosen)
    if field.kind is FieldKind.PARTICIPANT:
        return (Part(participants.get(str(value), str(value))),)
    if field.kind is FieldKind.TEXT:
        return (Part(str(value)),)
    return (Part(f"{value:g}" if isinstance(value, int | float) else str(value), any(v != value for v in every)),)
