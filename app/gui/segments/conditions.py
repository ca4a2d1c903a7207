"""The conditions that the window offers, and the filter that they make."""

from app.core.filtering import EMPTY, Filter
from app.core.segment_table import SegmentTable
from app.core.session import Session
from project.schemes.scheme import CHOOSING
from resources.translation import tr
from widgets.segments.filter_bar import FilterBar

_FLAGS = {
    "incomplete": tr("Incomplete by the rules"),
    "disputed": tr("In disagreement with others"),
    "unresolved": tr("With unresolved comments"),
    "commented": tr("With comments"),
    "reviewed": tr("Reviewed"),
    tr("not reviewed"): tr("Not reviewed"),
    "disagreed": tr("A reviewer disagrees"),
    tr("judges differ"): tr("A judge gives another label"),
    tr("judges agree"): tr("Judged, and no judge differs"),
    "revised": tr("Revised after seeing judges"),
    tr("held out"): tr("Held-out recordings"),
    tr("not held out"): tr("Without held-out recordings"),
}
_FIELD = tr("field ")


def offer(bar: FilterBar, session: Session, table: SegmentTable) -> None:
    """Fill the bar with what this study has."""
    schemes = list(session.schemes)
    bar.set_condition("annotators", tr("Annotator"), {one.id: one.name for one in table.annotators.values()})
    bar.set_condition("collections", tr("Collection"), {one.id: one.name for one in table.collections.values()})
    lanes = {f"{scheme.key} {track.key}": track.name for scheme in schemes for track in scheme.tracks}
    bar.set_condition("lanes", tr("Track"), lanes)
    labels = {label.key: label.name for scheme in schemes for track in scheme.tracks for label in track.labels}
    bar.set_condition("labels", tr("Label"), labels)
    needed = {key for scheme in schemes for rule in scheme.rules for key in rule.needs}
    fields = {field.key: field for scheme in reversed(schemes) for field in scheme.fields}
    for field in fields.values():
        if field.kind in CHOOSING:
            choices = {choice.key: choice.name for choice in field.choices}
            bar.set_condition(_FIELD + field.key, field.name, {**choices, EMPTY: tr("None")})
    missing = {key: field.name for key, field in fields.items() if key in needed}
    bar.set_condition("lacks", tr("Missing"), missing)
    bar.set_condition("flags", tr("Only"), {"here": tr("This recording"), **_FLAGS})


def wanted(bar: FilterBar, here: str | None) -> Filter:
    """Return the filter for what is ticked; `here` is the recording that is shown."""
    flags = bar.chosen("flags")

    def either(yes: str, no: str = "") -> bool | None:
        # Both together ask for nothing.
        return None if (yes in flags) == (no in flags) else yes in flags

    return Filter(
        annotators=bar.chosen("annotators"),
        recordings=frozenset({here or ""}) if "here" in flags else frozenset(),
        collections=bar.chosen("collections"),
        lanes=frozenset((scheme, track) for scheme, _, track in (one.partition(" ") for one in bar.chosen("lanes"))),
        labels=bar.chosen("labels"),
        values={
            key.removeprefix(_FIELD): bar.chosen(key)
            for key in bar.buttons
            if key.startswith(_FIELD) and bar.chosen(key)
        },
        lacks=bar.chosen("lacks"),
        incomplete=either("incomplete"),
        disputed=either("disputed"),
        commented=either("commented"),
        unresolved=either("unresolved"),
        reviewed=either("reviewed", tr("not reviewed")),
        disagreed=either("disagreed"),
        held_out=either(tr("held out"), tr("not held out")),
        judged=True if {tr("judges agree"), tr("judges differ")} & flags else None,
        judges_differ=either(tr("judges differ"), tr("judges agree")),
        revised=either("revised"),
    )
