"""The conditions that `greenroom segment list` takes."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from app.core.filtering import Filter
from app.core.lookup import recording_called
from app.core.search import StudySearch
from app.core.segment_table import SegmentTable
from app.core.session import Session
from project.errors import UserError


@dataclass(frozen=True, slots=True)
class Asked:
    """What was given on the command line."""

    recording: str | None
    annotator: str | None
    collection: str | None
    label: tuple[str, ...]
    field: tuple[str, ...]
    lacks: tuple[str, ...]
    text: str | None
    incomplete: bool | None
    disputed: bool | None
    commented: bool | None
    unresolved: bool | None
    reviewed: bool | None
    disagreed: bool | None
    held_out: bool | None
    judged: bool | None
    judges_differ: bool | None
    revised: bool | None


OPTIONS = (
    click.option("--recording", help="Number, file name or id; all when not given."),
    click.option("--annotator", help="Only this annotator's."),
    click.option("--collection", help="Only recordings of this collection, by name."),
    click.option("--label", multiple=True, help="Only segments with this label; give it again for each further one."),
    click.option("--field", multiple=True, metavar="FIELD=VALUE", help="Only where a field has a value; = for none."),
    click.option("--lacks", multiple=True, metavar="FIELD", help="Only where this field is needed and missing."),
    click.option("--text", help="Only with these words in their texts or in what was said about them."),
    click.option("--incomplete/--complete", default=None, help="By the rules of the scheme."),
    click.option("--disputed/--undisputed", default=None, help="Whether somebody else says something else there."),
    click.option("--commented/--uncommented", default=None, help="Whether there are comments."),
    click.option("--unresolved/--resolved", default=None, help="Whether there are unresolved comments."),
    click.option("--reviewed/--unreviewed", default=None, help="Whether somebody reviewed them."),
    click.option("--disagreed/--agreed", default=None, help="Whether a reviewer disagrees."),
    click.option("--held-out/--not-held-out", default=None, help="Whether the recording is kept back."),
    click.option("--judged/--not-judged", default=None, help="Whether judges said something about them."),
    click.option("--judges-differ/--judges-agree", default=None, help="Whether a judge gives another label."),
    click.option("--revised/--not-revised", default=None, help="Whether they were revised after seeing judges."),
)


def filters(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the conditions, passed to it together as `asked`."""
    names = Asked.__slots__

    @functools.wraps(function)
    def with_asked(**given: Any) -> None:
        asked = Asked(**{name: given.pop(name) for name in names})
        function(asked=asked, **given)

    wrapped: Callable[..., None] = with_asked
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def found_by(session: Session, asked: Asked) -> list[str]:
    """Return the ids of the segments for which all conditions hold.

    Raises:
        UserError: something named does not exist.
    """
    table = SegmentTable(session)
    among = None
    if asked.text is not None:
        searched = StudySearch(session)
        among = searched.segments(asked.text)
        searched.close()
    found = _filter(session, table, asked).apply(table, among)
    if asked.judges_differ is not None:
        table.note_judges_shown(found)
    return found


def _filter(session: Session, table: SegmentTable, asked: Asked) -> Filter:
    # Somebody of whom there is nothing here has no segments, which is an answer.
    people = {one.id for one in table.annotators.values() if one.name == asked.annotator} or {""}
    collections = {one.id for one in table.collections.values() if one.name == asked.collection}
    if asked.collection is not None and not collections:
        raise UserError(
            f"No collection is called “{asked.collection}”.",
            f"There are: {', '.join(one.name for one in table.collections.values()) or 'none'}.",
        )
    values: dict[str, frozenset[str]] = {}
    for given in asked.field:
        field, sign, value = given.partition("=")
        if not sign:
            raise UserError(f"“{given}” is no condition on a field.", "Write FIELD=VALUE, such as channel=verbal.")
        values[field] = values.get(field, frozenset()) | {value}
    known = {field.key for scheme in session.schemes for field in scheme.fields}
    known |= {field for row in table.rows.values() for field in row.values}
    for field in (*values, *asked.lacks):
        if field not in known:
            raise UserError(f"No form of this study has a field “{field}”.", f"There are: {', '.join(sorted(known))}.")
    return Filter(
        annotators=frozenset(people if asked.annotator is not None else ()),
        recordings=frozenset({recording_called(session, asked.recording).id} if asked.recording else ()),
        collections=frozenset(collections),
        labels=frozenset(asked.label),
        values=values,
        lacks=frozenset(asked.lacks),
        incomplete=asked.incomplete,
        disputed=asked.disputed,
        commented=asked.commented,
        unresolved=asked.unresolved,
        reviewed=asked.reviewed,
        disagreed=asked.disagreed,
        held_out=asked.held_out,
        judged=asked.judged,
        judges_differ=asked.judges_differ,
        revised=asked.revised,
    )
