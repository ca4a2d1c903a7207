"""What a new version of a scheme does to the segments that are there: planned, said in words, and done in one step."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from annotate.study.field_changes import FieldChange, find_field_changes
from annotate.study.scheme_draft import SchemeDraft
from annotate.study.scheme_versions import LabelKey, use_scheme
from project.entities.study_records import Changes, FieldValue
from project.errors import UserError
from project.queries.segment_rows import older_values
from project.queries.study_schemes import all_versions, fields_with_values, label_counts
from project.schemes.scheme import FieldKind, Scheme
from project.schemes.scheme_file import load_scheme, parse_scheme, shipped_names, write_scheme
from project.session.session import Session
from project.text_format import pluralize


class SchemeEffect(StrEnum):
    """What happens to segments or values."""

    MOVED = "moved"
    """They get another label or track, or the same under another key."""
    RENAMED = "renamed"
    """They keep their label, which has another name."""
    RETIRED = "retired"
    """They keep a label that no further segment gets."""
    LABEL_GONE = "label gone"
    """Their label is no longer in the scheme."""
    REKEYED = "rekeyed"
    """Their field has another key."""
    CONVERTED = "converted"
    """Their field has another kind, which holds them in another form."""
    VALUE_GONE = "value gone"
    """Their field, or its value, is no longer in the scheme."""


@dataclass(frozen=True, slots=True)
class SchemeEffectCount:
    """How many segments, or values of a field, something happens to.

    Attributes:
        before: what the label or field is called before.
        after: and after; "" where it is gone. Of values, the new key or kind of the field.
        merges: whether segments with another label have the new one too.
    """

    effect: SchemeEffect
    before: str
    after: str
    count: int
    merges: bool = False

    def __str__(self) -> str:
        segments, values = pluralize(self.count, "segment"), pluralize(self.count, "value")
        verb = "gets" if self.count == 1 else "get"
        match self.effect:
            case SchemeEffect.MOVED:
                joined = ", as others have it" if self.merges else ""
                return f"{segments} with “{self.before}” {verb} “{self.after}”{joined}."
            case SchemeEffect.RENAMED:
                return f"“{self.before}” is called “{self.after}” now: {segments}."
            case SchemeEffect.RETIRED:
                keep = "keeps" if self.count == 1 else "keep"
                return f"{segments} {keep} “{self.before}”, which is retired: no further segment gets it."
            case SchemeEffect.LABEL_GONE:
                keep = "keeps" if self.count == 1 else "keep"
                return f"{segments} {keep} “{self.before}”, which is no longer in the scheme: drawn grey."
            case SchemeEffect.REKEYED:
                return f"{values} of “{self.before}” {verb} the key “{self.after}”."
            case SchemeEffect.CONVERTED:
                return f"{values} of “{self.before}” {'is' if self.count == 1 else 'are'} converted to {self.after}."
            case SchemeEffect.VALUE_GONE:
                fits = "fits" if self.count == 1 else "fit"
                return (
                    f"{values} of “{self.before}” no longer {fits} the form: kept under “Kept from an earlier version”."
                )


@dataclass(frozen=True, slots=True)
class SchemePlan:
    """A version of a scheme that is ready to be used.

    Attributes:
        text: of the scheme.
        moved: track and label before -> those after, for the labels that segments have and that change.
        fields: those that get another key or kind, with their values.
        effects: what happens to what is there; empty where nothing does.
    """

    scheme: Scheme
    text: str
    moved: Mapping[LabelKey, LabelKey] = field(default_factory=dict)
    fields: tuple[FieldChange, ...] = ()
    effects: tuple[SchemeEffectCount, ...] = ()


def plan_draft(session: Session, draft: SchemeDraft) -> SchemePlan:
    """Plan to use a draft: as the next version of its base, or as a new scheme.

    Raises:
        UserError: something about the scheme is wrong.
    """
    key = draft.scheme.key
    version = _next_version(session, key) if draft.base is not None else 1
    text = write_scheme(replace(draft.scheme, version=version))
    scheme = parse_scheme(text, draft.scheme.name)
    if draft.base is None and (key in shipped_names() or key in all_versions(session.study)):
        raise UserError(f"The key “{key}” belongs to another scheme.", "Choose another key for this one.")
    return _plan(session, scheme, text, draft.base, draft.moved, draft.field_changes())


def plan_text(
    session: Session,
    text: str,
    name: str,
    renames: Sequence[tuple[str, str]] = (),
    field_renames: Sequence[tuple[str, str]] = (),
) -> SchemePlan:
    """Plan to use the text of a scheme.

    Args:
        session: the study.
        text: of the scheme.
        name: what messages call it.
        renames: `LABEL` or `TRACK/LABEL` of the version in use, and of this one; segments with the first get the other.
            `TRACK/` stands for all labels of a track.
        field_renames: keys of fields of the version in use, and of this one; values of the first belong to the other.
    """
    scheme = parse_scheme(text, name)
    base = session.schemes.find(scheme.key)
    moved: dict[LabelKey, LabelKey] = {}
    if (renames or field_renames) and base is None:
        raise UserError(f"This study does not have the scheme {scheme.name} yet.", "Use it without renaming anything.")
    old = label_counts(session.study, scheme.key).keys() | _labels(base)
    for before, after in renames:
        moved |= _read_rename(scheme, old, before, after)
    if base is None:
        return _plan(session, scheme, text, base, moved)
    keys = {known.key: known.key for known in base.fields}
    for before, after in field_renames:
        keys[base.field(before).key] = scheme.field(after).key
    return _plan(session, scheme, text, base, moved, find_field_changes(base, scheme, keys))


def apply_plan(session: Session, plan: SchemePlan, *, default: bool = False) -> tuple[Scheme, Changes]:
    """Use the planned version and change segments as planned, as one step; with `default`, for new segments too."""
    return use_scheme(session, plan.text, plan.scheme.name, plan.moved, plan.fields, default=default)


def _next_version(session: Session, key: str) -> int:
    shipped = load_scheme(key).version if key in shipped_names() else 0
    return max(shipped, *all_versions(session.study).get(key, {}), 0) + 1


def _plan(
    session: Session,
    scheme: Scheme,
    text: str,
    base: Scheme | None,
    mapping: Mapping[LabelKey, LabelKey],
    fields: tuple[FieldChange, ...] = (),
) -> SchemePlan:
    if base is None:
        return SchemePlan(scheme, text)
    _require_free_keys(session, scheme, fields)
    counts = label_counts(session.study, scheme.key)
    goals = {before: mapping.get(before, before) for before in counts}
    moved = {before: goal for before, goal in goals.items() if goal != before and _has(scheme, goal)}
    many = Counter(goals.values())
    effects: list[SchemeEffectCount] = []
    for before, count in counts.items():
        goal = goals[before]
        old, new = _label_title(base, before), _label_title(scheme, goal)
        label = scheme.track_or_empty(goal[0]).label(goal[1])
        if label is None:
            if _has(base, before):
                effects.append(SchemeEffectCount(SchemeEffect.LABEL_GONE, old, "", count))
            continue
        if before in moved:
            effects.append(SchemeEffectCount(SchemeEffect.MOVED, old, new, count, many[goal] > 1))
        elif old != new:
            effects.append(SchemeEffectCount(SchemeEffect.RENAMED, old, new, count))
        known = base.track_or_empty(before[0]).label(before[1])
        if label.retired and not (known is not None and known.retired):
            effects.append(SchemeEffectCount(SchemeEffect.RETIRED, new, new, count))
    effects += _value_effects(session, scheme, base, moved, fields)
    return SchemePlan(scheme, text, moved, fields, tuple(effects))


def _require_free_keys(session: Session, scheme: Scheme, changes: Sequence[FieldChange]) -> None:
    """Raise where two fields would have one key, or a field would get the key of values that it never had."""
    old = {change.before.key for change in changes}
    taken = fields_with_values(session.study, scheme.key) - old
    new = Counter(change.after.key for change in changes)
    for change in changes:
        after = change.after
        if new[after.key] > 1 or (after.key != change.before.key and after.key in taken):
            raise UserError(
                f"Other values have the key “{after.key}” already.", f"Choose another key for {after.name}."
            )


def _has(scheme: Scheme, key: LabelKey) -> bool:
    return scheme.track_or_empty(key[0]).label(key[1]) is not None


def _label_title(scheme: Scheme, key: LabelKey) -> str:
    """Return what a label is called, with its track where the scheme has several."""
    name = scheme.label_name(*key)
    return f"{scheme.track_or_empty(key[0]).name}: {name}" if len(scheme.tracks) > 1 else name


_KIND_NAMES = {
    FieldKind.TEXT: "text",
    FieldKind.CHOICE: "one choice",
    FieldKind.CHOICES: "several choices",
    FieldKind.SCALE: "the scale",
    FieldKind.SLIDER: "the slider",
}


def _value_effects(
    session: Session,
    scheme: Scheme,
    base: Scheme,
    moved: Mapping[LabelKey, LabelKey],
    changes: Sequence[FieldChange],
) -> list[SchemeEffectCount]:
    """Count by field the values that the scheme before has a place for, and what becomes of them under this one."""
    by_key = {change.before.key: change for change in changes}
    counts: Counter[tuple[SchemeEffect, str, str]] = Counter()
    known: dict[tuple[str, str, str, str], list[tuple[SchemeEffect, str, str]]] = {}
    for segment, value in older_values(session.study, scheme.key, scheme.version):
        kind = (segment.track, segment.label, value.field, repr(value.value))
        if kind not in known:
            track = moved.get((segment.track, segment.label), (segment.track, segment.label))[0]
            fitted = not base.orphaned_values(segment.track, {value.field: value.value})
            known[kind] = [*_effects_on_value(scheme, base, track, value, by_key.get(value.field))] if fitted else []
        counts.update(known[kind])
    return [SchemeEffectCount(effect, before, after, count) for (effect, before, after), count in counts.items()]


def _effects_on_value(
    scheme: Scheme, base: Scheme, track: str, value: FieldValue, change: FieldChange | None
) -> Iterator[tuple[SchemeEffect, str, str]]:
    """Yield what happens to a value that its field held before."""
    name = base.field_name(value.field)
    key, new = (value.field, value.value) if change is None else (change.after.key, change.new_value(value.value))
    if new is None or scheme.orphaned_values(track, {key: new}):
        yield SchemeEffect.VALUE_GONE, name, ""
        return
    if change is not None and change.after.kind is not change.before.kind:
        yield SchemeEffect.CONVERTED, name, _KIND_NAMES[change.after.kind]
    if key != value.field:
        yield SchemeEffect.REKEYED, name, key


def _labels(scheme: Scheme | None) -> set[LabelKey]:
    return {(track.key, label.key) for track in (scheme.tracks if scheme else ()) for label in track.labels}


def _read_rename(scheme: Scheme, old: Collection[LabelKey], before: str, after: str) -> dict[LabelKey, LabelKey]:
    olds, news = _find_labels(old, before), _find_labels(_labels(scheme), after)
    if before.endswith("/") or after.endswith("/"):
        wanted = {label: (track, label) for track, label in news}
        return {old: wanted[old[1]] for old in olds if old[1] in wanted}
    if len(news) > 1:
        # A label of several tracks stays on its own.
        return {old: new for old in olds for new in news if old[0] == new[0]}
    return dict.fromkeys(olds, news[0])


def _find_labels(known: Collection[LabelKey], text: str) -> list[LabelKey]:
    track, slash, label = text.rpartition("/")
    exact = [key for key in known if key[1] == text]
    found = exact or [key for key in known if slash and key[0] == track and label in ("", key[1])]
    if not found:
        listed = ", ".join(sorted(f"{track}/{label}" for track, label in known))
        raise UserError(
            f"No label is called “{text}” here.", f"Give LABEL, TRACK/LABEL or TRACK/. There are: {listed}."
        )
    return sorted(found)
