"""The conditions that the window offers, and the filter that they make."""

from app.core.filtering import EMPTY, Filter
from app.core.segment_table import SegmentTable
from app.core.session import Session
from project.schemes.scheme import CHOOSING
from widgets.segments.filter_bar import FilterBar

_FLAGS = {
    "incomplete": "Incomplete by the rules",
    "disputed": "In disagreement with others",
    "unresolved": "With unresolved comments",
    "commented": "With comments",
    "reviewed": "Reviewed",
    "not reviewed": "Not reviewed",
    "disagreed": "A reviewer disagrees",
    "judges differ": "A judge gives another label",
    "judges agree": "Judged, and no judge differs",
    "revised": "Revised after seeing judges",
    "held out": "Held-out recordings",
    "not held out": "Without held-out recordings",
}
_FIELD = "field "


def offer(bar: FilterBar, session: Session, table: SegmentTable) -> None:
    """Fill the bar with what this study has."""
    schemes = list(session.schemes)
    bar.set_condition("annotators", "Annotator", {one.id: one.name for one in table.annotators.values()})
    bar.set_condition("collections", "Collection", {one.id: one.name for one in table.collections.values()})
    lanes = {f"{scheme.key} {track.key}": track.name for scheme in schemes for track in scheme.tracks}
    bar.set_condition("lanes", "Track", lanes)
    labels = {label.key: label.name for scheme in schemes for track in scheme.tracks for label in track.labels}
    bar.set_condition("labels", "Label", labels)
    needed = {key for scheme in schemes for rule in scheme.rules for key in rule.needs}
    fields = {field.key: field for scheme in reversed(schemes) for field in scheme.fields}
    for field in fields.values():
        if field.kind in CHOOSING:
            choices = {choice.key: choice.name for choice in field.choices}
            bar.set_condition(_FIELD + field.key, field.name, {**choices, EMPTY: "None"})
    missing = {key: field.name for key, field in fields.items() if key in needed}
    bar.set_condition("lacks", "Missing", missing)
    bar.set_condition("flags", "Only", {"here": "This recording", **_FLAGS})


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
        reviewed=either("reviewed", "not reviewed"),
        disagreed=either("disagreed"),
        held_out=either("held out", "not held out"),
        judged=True if {"judges agree", "judges differ"} & flags else None,
        judges_differ=either("judges differ", "judges agree"),
        revised=either("revised"),
    )
