"""Edits of the selected rows, and what the bar says about them before."""

from collections.abc import Callable, Mapping, Sequence

from app.core.commands import bulk
from app.core.segment_table import SegmentTable
from app.core.session import Session
from app.gui.studio import Studio
from project.schemes.scheme import CHOOSING, Field, FieldKind
from project.types import Changes, Segment
from resources.translation import tr, trn
from widgets.segments.bulk_bar import BulkBar, FieldOptions, Option


class Bulk:
    """Joins the bar to the commands."""

    def __init__(
        self, studio: Studio, bar: BulkBar, selected: Callable[[], Sequence[str]], table: SegmentTable
    ) -> None:
        self._studio = studio
        self._table = table
        self._bar = bar
        self._selected = selected
        bar.label_chosen.connect(lambda label: self._edit(lambda s, ids: bulk.change_label(s, ids, label)))
        bar.choice_added.connect(lambda field, key: self._edit(lambda s, ids: bulk.add_choice(s, ids, field, key)))
        bar.choice_removed.connect(lambda field, key: self._edit(lambda s, ids: bulk.remove_choice(s, ids, field, key)))
        bar.shift_requested.connect(lambda ms: self._edit(lambda s, ids: bulk.shift(s, ids, ms * 1000)))
        bar.delete_requested.connect(self.delete)

    def show(self, rows: int) -> None:
        """Say how many are selected and what can be done to them."""
        session, chosen = self._studio.session, self._selected()
        if session is None:
            return
        if not chosen:
            self._bar.set_selection(
                tr("1 segment") if rows == 1 else tr("{rows:,} segments").format(rows=rows), (), (), False
            )
            return
        author, known = session.annotator(), self._table.rows
        found = [known[one].segment for one in chosen if one in known]
        own = [one for one in found if author is not None and one.annotator_id == author.id]
        others = len(chosen) - len(own)
        text = tr("{chosen:,} selected").format(chosen=len(chosen))
        if not self._studio.writable:
            self._bar.set_selection(tr("{text}. The study is read-only.").format(text=text), (), (), False)
            return
        if others and own:
            text += tr(", {own:,} yours; {others:,} by others stay as they are").format(own=len(own), others=others)
        elif others:
            text += tr(", made by others: they stay as they are")
        alike = _alike(own)
        self._bar.set_selection(text, self._labels(session, alike), self._fields(session, alike), bool(own))

    def delete(self) -> None:
        """Delete the selected segments."""
        self._edit(bulk.delete)

    def _edit(self, do: Callable[[Session, Sequence[str]], Changes]) -> None:
        ids = self._selected()
        touched: list[int] = []

        def run(session: Session) -> Changes:
            changes = do(session, ids)
            touched.append(len(changes.ids("segment") | changes.ids("segment_value")))
            return changes

        if not ids:
            return
        text = tr("Changing {count:,} segments…").format(count=len(ids))
        if self._studio.edit_many(run, len(ids), text):
            if touched[0] == 0:
                self._studio.told.emit(tr("Nothing changed: they are like this already."))
            else:
                self._studio.told.emit(
                    tr("Changed {count}. One undo takes it back.").format(
                        count=trn("{count} segment", "{count} segments", touched[0])
                    )
                )

    def _labels(self, session: Session, alike: Mapping[Segment, int]) -> list[Option]:
        names: dict[str, str] = {}
        for one in alike:
            if session.schemes.uses(one.scheme):
                for label in session.schemes.get(one.scheme).lane(one.track).labels:
                    names.setdefault(label.key, label.name)
        return [
            Option(key, name, sum(alike[one] for one in bulk.with_label(session, [*alike], key)))
            for key, name in names.items()
        ]

    def _fields(self, session: Session, alike: Mapping[Segment, int]) -> list[FieldOptions]:
        fields: dict[str, Field] = {}
        for key in dict.fromkeys(one.scheme for one in alike):
            if session.schemes.uses(key):
                for field in session.schemes.get(key).fields:
                    if field.kind in CHOOSING:
                        fields.setdefault(field.key, field)
        found = []
        for field in fields.values():
            counts = [
                Option(
                    one.key,
                    one.name,
                    sum(alike[kind] for kind in bulk.with_choice(session, [*alike], field.key, one.key)),
                )
                for one in field.choices
            ]
            if any(one.fits for one in counts):
                found.append(FieldOptions(field.key, field.name, tuple(counts), field.kind is FieldKind.CHOICES))
        return found


def _alike(segments: Sequence[Segment]) -> dict[Segment, int]:
    """Return one segment of each scheme, track and label, with how many there are: what fits depends on these alone."""
    first: dict[tuple[str, str, str], Segment] = {}
    counts: dict[Segment, int] = {}
    for one in segments:
        kind = first.setdefault((one.scheme, one.track, one.label), one)
        counts[kind] = counts.get(kind, 0) + 1
    return counts
