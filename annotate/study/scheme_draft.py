"""A scheme that is being edited: every edit returns a new draft, which remembers what became of labels and fields.

Keys in a draft are unique, so that a name can be followed; everything else is checked when the draft is used.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from annotate.study.field_changes import FieldChange, convert_value, find_field_changes
from annotate.study.scheme_versions import LabelKey
from project.errors import UserError
from project.schemes.scheme import (
    CHOICE_KINDS,
    NUMERIC_KINDS,
    Example,
    Field,
    FieldChoice,
    FieldKind,
    Label,
    RequiredFieldsRule,
    Scheme,
    Track,
)

_MAX_KEY_CHARS = 40
_Part = TypeVar("_Part", Track, Label, Field, FieldChoice)


def make_key(name: str, taken: Collection[str] = (), otherwise: str = "item") -> str:
    """Return a key for a name: lower case, `_` for all but letters and digits, and a number where it is taken."""
    plain = unicodedata.normalize("NFC", name).lower()
    base = re.sub(r"\W+", "_", plain)[:_MAX_KEY_CHARS].strip("_") or otherwise
    key, number = base, 2
    while key in taken:
        key, number = f"{base}_{number}", number + 1
    return key


@dataclass(frozen=True, slots=True)
class SchemeDraft:
    """A scheme that is being edited.

    Attributes:
        scheme: as it is now; it need not be right.
        base: as it was before; None for a new one.
        moved: track and label of the base -> those that it is now; a label that was taken out is missing.
        fields: key of a field of the base -> that which it has now; a field that was taken out is missing.
    """

    scheme: Scheme
    base: Scheme | None = None
    moved: Mapping[LabelKey, LabelKey] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, scheme: Scheme) -> "SchemeDraft":
        """Begin to change a scheme."""
        keys = {(track.key, label.key): (track.key, label.key) for track in scheme.tracks for label in track.labels}
        return cls(scheme, scheme, keys, {known.key: known.key for known in scheme.fields})

    @classmethod
    def empty(cls, name: str, track: str, taken: Collection[str]) -> "SchemeDraft":
        """Begin a new scheme with one track and no label."""
        return cls(Scheme(make_key(name, taken, "scheme"), name, 1, (Track(make_key(track), track, ()),), ()))

    @classmethod
    def copy_of(cls, scheme: Scheme, name: str, taken: Collection[str]) -> "SchemeDraft":
        """Begin a new scheme that says what another says."""
        return cls(replace(scheme, key=make_key(name, taken, "scheme"), name=name, version=1))

    @property
    def is_changed(self) -> bool:
        """Whether it says something else than its base."""
        return self.scheme != self.base

    def sources_of(self, track: str, label: str) -> list[LabelKey]:
        """Return the labels of the base that are this one now."""
        return [before for before, now in self.moved.items() if now == (track, label)]

    def is_new_field(self, key: str) -> bool:
        """Tell whether a field is none of the base."""
        return key not in self.fields.values()

    def field_changes(self) -> tuple[FieldChange, ...]:
        """Return the fields of the base that have another key or kind now."""
        return () if self.base is None else find_field_changes(self.base, self.scheme, self.fields)

    def edit(self, **changes: Any) -> "SchemeDraft":
        """Change what the scheme says of itself. The key of a new one follows its name."""
        scheme = replace(self.scheme, **changes)
        if self.base is None and "key" not in changes and self.scheme.key == make_key(self.scheme.name, (), "scheme"):
            scheme = replace(scheme, key=make_key(scheme.name, (), "scheme"))
        return replace(self, scheme=scheme)

    def edit_track(self, key: str, /, **changes: Any) -> "SchemeDraft":
        """Change a track."""
        return self._with_tracks(_replaced(self.scheme.tracks, key, changes))

    def edit_label(self, track: str, key: str, /, **changes: Any) -> "SchemeDraft":
        """Change a label."""
        labels = _replaced(self.scheme.track(track).labels, key, changes)
        return self.edit_track(track, labels=labels)

    def edit_field(self, key: str, /, **changes: Any) -> "SchemeDraft":
        """Change a field. What its new kind cannot have goes, and what it needs comes; so for values of examples."""
        before = self.scheme.field(key)
        after = replace(before, **changes)
        draft = self
        if after.kind is not before.kind:
            after = _fit_kind(self._as_in_base(after))
            examples = (_convert_example(shown, before, after) for shown in self.scheme.examples)
            draft = replace(self, scheme=replace(self.scheme, examples=tuple(examples)))
        return draft._with_fields(after if known.key == key else known for known in self.scheme.fields)

    def name_track(self, key: str, name: str) -> tuple["SchemeDraft", str]:
        """Name a track; the key of a new one follows. Returns its key."""
        others = [track.key for track in self.scheme.tracks if track.key != key]
        wanted = make_key(name, others, "track")
        old = self.scheme.track(key).name
        follows = not any(before[0] == key for before in self.moved) and key == make_key(old, others, "track")
        named = self.edit_track(key, name=name)
        return (named.rekey_track(key, wanted), wanted) if follows else (named, key)

    def name_label(self, track: str, key: str, name: str) -> tuple["SchemeDraft", str]:
        """Name a label; the key of a new one follows. Returns its key."""
        labels = self.scheme.track(track).labels
        others = [label.key for label in labels if label.key != key]
        wanted = make_key(name, others, "label")
        old = next(label.name for label in labels if label.key == key)
        follows = not self.sources_of(track, key) and key == make_key(old, others, "label")
        named = self.edit_label(track, key, name=name)
        return (named.rekey_label(track, key, wanted), wanted) if follows else (named, key)

    def name_field(self, key: str, name: str) -> tuple["SchemeDraft", str]:
        """Name a field; the key of a new one follows. Returns its key."""
        others = [known.key for known in self.scheme.fields if known.key != key]
        wanted = make_key(name, others, "field")
        follows = self.is_new_field(key) and key == make_key(self.scheme.field(key).name, others, "field")
        named = self.edit_field(key, name=name)
        return (named.rekey_field(key, wanted), wanted) if follows else (named, key)

    def rekey_track(self, key: str, new: str) -> "SchemeDraft":
        """Give a track another key, and everything that names it."""
        if key == new:
            return self
        _require_free(new, [track.key for track in self.scheme.tracks], "track")
        renamed = _renames({key: new})
        scheme = replace(
            self.scheme,
            tracks=tuple(
                replace(track, parent=new if track.parent == key else track.parent)
                for track in _replaced(self.scheme.tracks, key, {"key": new})
            ),
            fields=tuple(replace(known, tracks=renamed(known.tracks)) for known in self.scheme.fields),
            rules=tuple(replace(rule, track=new if rule.track == key else rule.track) for rule in self.scheme.rules),
        )
        moved = {before: (new if now[0] == key else now[0], now[1]) for before, now in self.moved.items()}
        return replace(self, scheme=scheme, moved=moved)

    def rekey_label(self, track: str, key: str, new: str) -> "SchemeDraft":
        """Give a label another key, and everything that names it."""
        if key == new:
            return self
        _require_free(new, [label.key for label in self.scheme.track(track).labels], "label")
        changed = self.edit_label(track, key, key=new)
        return changed._redirect(track, key, new)

    def rekey_field(self, key: str, new: str) -> "SchemeDraft":
        """Give a field another key, and everything that names it."""
        if key == new:
            return self
        _require_free(new, [known.key for known in self.scheme.fields], "field")
        gone = [] if self.base is None else [old.key for old in self.base.fields if old.key not in self.fields]
        _require_free(new, gone, "field that was removed here")
        renamed = _renames({key: new})
        scheme = replace(
            self.scheme,
            fields=tuple(replace(known, key=new) if known.key == key else known for known in self.scheme.fields),
            rules=tuple(replace(rule, needs=renamed(rule.needs)) for rule in self.scheme.rules),
            examples=tuple(
                replace(shown, values={new if k == key else k: v for k, v in shown.values.items()})
                for shown in self.scheme.examples
            ),
        )
        moved = {before: new if now == key else now for before, now in self.fields.items()}
        return replace(self, scheme=scheme, fields=moved)

    def add_track(self, name: str) -> tuple["SchemeDraft", str]:
        """Add a track without labels; returns its key."""
        key = make_key(name, [track.key for track in self.scheme.tracks], "track")
        return self._with_tracks((*self.scheme.tracks, Track(key, name, ()))), key

    def add_label(self, track: str, label: Label, after: str = "") -> tuple["SchemeDraft", str]:
        """Add a label at the end of a track, or after another one; its key is made from its name, and returned."""
        labels = list(self.scheme.track(track).labels)
        made = replace(label, key=make_key(label.name, [known.key for known in labels], "label"))
        places = [place for place, known in enumerate(labels) if known.key == after]
        labels.insert(places[0] + 1 if places else len(labels), made)
        return self.edit_track(track, labels=tuple(labels)), made.key

    def add_field(self, name: str, kind: FieldKind, track: str) -> tuple["SchemeDraft", str]:
        """Add a field of a track; returns its key."""
        key = make_key(name, [known.key for known in self.scheme.fields], "field")
        tracks = (track,) if len(self.scheme.tracks) > 1 else ()
        made = _fit_kind(Field(key, kind, name, tracks=tracks))
        return self._with_fields((*self.scheme.fields, made)), key

    def shift_track(self, key: str, by: int) -> "SchemeDraft":
        """Move a track up or down."""
        return self._with_tracks(_shifted(self.scheme.tracks, key, by))

    def shift_label(self, track: str, key: str, by: int) -> "SchemeDraft":
        """Move a label up or down."""
        return self.edit_track(track, labels=_shifted(self.scheme.track(track).labels, key, by))

    def shift_field(self, key: str, by: int, track: str) -> "SchemeDraft":
        """Move a field up or down among those of a track."""
        own = [known.key for known in self.scheme.fields_of(track)]
        target = own.index(key) + by
        if not 0 <= target < len(own):
            return self
        order = [known.key for known in self.scheme.fields]
        distance = order.index(own[target]) - order.index(key)
        return self._with_fields(_shifted(self.scheme.fields, key, distance))

    def remove_track(self, key: str) -> "SchemeDraft":
        """Take a track out, with its labels and the fields that are on no other."""
        draft = self
        for label in self.scheme.track(key).labels:
            draft = draft.remove_label(key, label.key)
        for known in draft.scheme.fields:
            if known.tracks == (key,):
                draft = draft.remove_field(known.key)
        scheme = draft.scheme
        fields = (replace(known, tracks=tuple(t for t in known.tracks if t != key)) for known in scheme.fields)
        left = tuple(
            replace(track, parent="" if track.parent == key else track.parent)
            for track in scheme.tracks
            if track.key != key
        )
        rules = tuple(rule for rule in scheme.rules if rule.track != key)
        return replace(draft, scheme=replace(scheme, tracks=left, fields=tuple(fields), rules=rules))

    def remove_label(self, track: str, key: str) -> "SchemeDraft":
        """Take a label out, with the rules and examples about it."""
        labels = tuple(label for label in self.scheme.track(track).labels if label.key != key)
        return self.edit_track(track, labels=labels)._redirect(track, key, "")

    def remove_field(self, key: str) -> "SchemeDraft":
        """Take a field out, with the rules about it."""
        scheme = self.scheme
        rules = (replace(rule, needs=tuple(need for need in rule.needs if need != key)) for rule in scheme.rules)
        examples = (
            replace(shown, values={name: value for name, value in shown.values.items() if name != key})
            for shown in scheme.examples
        )
        scheme = replace(
            scheme,
            fields=tuple(known for known in scheme.fields if known.key != key),
            rules=tuple(rule for rule in rules if rule.needs),
            examples=tuple(examples),
        )
        return replace(self, scheme=scheme, fields={old: now for old, now in self.fields.items() if now != key})

    def add_example(self, title: str, label: str) -> "SchemeDraft":
        """Add a worked example at the end."""
        return self._with_examples((*self.scheme.examples, Example(title, "", label, {})))

    def edit_example(self, place: int, /, **changes: Any) -> "SchemeDraft":
        """Change a worked example; one that gets another label loses what that has no field for."""
        shown = replace(self.scheme.examples[place], **changes)
        if "label" in changes:
            fields = {known.key for known in self.scheme.fields if known.applies_to(shown.label)}
            shown = replace(shown, values={key: value for key, value in shown.values.items() if key in fields})
        return self._with_examples(shown if at == place else known for at, known in enumerate(self.scheme.examples))

    def shift_example(self, place: int, by: int) -> "SchemeDraft":
        """Move a worked example up or down."""
        order = list(self.scheme.examples)
        if 0 <= place + by < len(order):
            order.insert(place + by, order.pop(place))
        return self._with_examples(order)

    def remove_example(self, place: int) -> "SchemeDraft":
        """Take a worked example out."""
        return self._with_examples(known for at, known in enumerate(self.scheme.examples) if at != place)

    def merge_label(self, track: str, key: str, into: str) -> "SchemeDraft":
        """Let a label be another of its track: its segments get that one."""
        labels = tuple(label for label in self.scheme.track(track).labels if label.key != key)
        return self.edit_track(track, labels=labels)._redirect(track, key, into)

    def retire_label(self, track: str, key: str, retired: bool = True) -> "SchemeDraft":
        """Keep a label for the segments that have it, and offer it no more; or offer it again."""
        shortcut = "" if retired else next(x.shortcut for x in self.scheme.track(track).labels if x.key == key)
        return self.edit_label(track, key, retired=retired, shortcut=shortcut)

    def split_label(self, track: str, key: str) -> tuple["SchemeDraft", tuple[str, str]]:
        """Retire a label and add two after it; returns their keys."""
        old = next(label for label in self.scheme.track(track).labels if label.key == key)
        draft, first = self.retire_label(track, key).add_label(track, replace(old, name=f"{old.name} 1"), key)
        draft, second = draft.add_label(track, replace(old, name=f"{old.name} 2", shortcut=""), first)
        return draft, (first, second)

    def required_labels(self, track: str, key: str) -> frozenset[str]:
        """Return the labels of a track that need a field."""
        return frozenset(label for label, needs in _needs(self.scheme)[track].items() if key in needs)

    def require_field(self, track: str, key: str, labels: Collection[str]) -> "SchemeDraft":
        """Let exactly these labels of a track need a field."""
        needs = _needs(self.scheme)
        for label, fields in needs[track].items():
            fields.pop(key, None)
            if label in labels:
                fields[key] = None
        return replace(self, scheme=replace(self.scheme, rules=_rules(self.scheme, needs)))

    def _redirect(self, track: str, key: str, new: str) -> "SchemeDraft":
        """Let everything that names a label, which is gone from its track, name another; "" for none."""
        scheme = self.scheme
        elsewhere = any(t.label(key) is not None for t in scheme.tracks if t.key != track)
        rules: list[RequiredFieldsRule] = []
        for rule in scheme.rules:
            if rule.label != key or rule.track not in ("", track):
                rules.append(rule)
                continue
            if elsewhere and not rule.track:
                rules.append(rule)
            if new:
                rules.append(replace(rule, label=new, track=track if elsewhere else rule.track))
        renamed = _renames({key: new}, keep=elsewhere)
        examples: Iterable[Example] = scheme.examples
        if not elsewhere:
            moved = (replace(shown, label=new) if shown.label == key else shown for shown in examples)
            examples = [shown for shown in moved if shown.label]
        scheme = replace(
            scheme,
            fields=tuple(replace(known, only_for=renamed(known.only_for)) for known in scheme.fields),
            rules=tuple(dict.fromkeys(rules)),
            examples=tuple(examples),
        )
        labels = {
            before: (track, new) if now == (track, key) else now
            for before, now in self.moved.items()
            if new or now != (track, key)
        }
        return replace(self, scheme=scheme, moved=labels)

    def _with_tracks(self, tracks: Iterable[Track]) -> "SchemeDraft":
        return replace(self, scheme=replace(self.scheme, tracks=tuple(tracks)))

    def _as_in_base(self, known: Field) -> Field:
        """Return a field of another kind with the choices or the range of the base, where it has lost its own."""
        old = next((old for old, now in self.fields.items() if now == known.key), "")
        if self.base is None or not old:
            return known
        base = self.base.field(old)
        if base.kind in CHOICE_KINDS and not known.choices:
            return replace(known, choices=base.choices)
        if base.kind in NUMERIC_KINDS and not known.minimum < known.maximum:
            return replace(known, minimum=base.minimum, maximum=base.maximum, step=base.step, ends=base.ends)
        return known

    def _with_examples(self, examples: Iterable[Example]) -> "SchemeDraft":
        return replace(self, scheme=replace(self.scheme, examples=tuple(examples)))

    def _with_fields(self, fields: Iterable[Field]) -> "SchemeDraft":
        return replace(self, scheme=replace(self.scheme, fields=tuple(fields)))


def new_choices(names: Sequence[tuple[str, str, str]], before: Sequence[FieldChoice]) -> tuple[FieldChoice, ...]:
    """Return choices of (key, name, shortcut); those with the key of one before keep what else it says."""
    known = {choice.key: choice for choice in before}
    made: dict[str, FieldChoice] = {}
    for key, name, shortcut in names:
        own = key or make_key(name, {*made, *known}, "choice")
        made[own] = replace(known.get(own, FieldChoice(own, name)), name=name, shortcut=shortcut)
    return tuple(made.values())


def _replaced(parts: Sequence[_Part], key: str, changes: Mapping[str, Any]) -> tuple[_Part, ...]:
    return tuple(replace(part, **changes) if part.key == key else part for part in parts)


def _shifted(parts: Sequence[_Part], key: str, by: int) -> tuple[_Part, ...]:
    order = list(parts)
    place = next(place for place, part in enumerate(order) if part.key == key)
    if 0 <= place + by < len(order):
        order.insert(place + by, order.pop(place))
    return tuple(order)


def _require_free(key: str, taken: Collection[str], what: str) -> None:
    if not key.strip():
        raise UserError(f"A {what} needs a key.", "Leave the field empty for one that is made from the name.")
    if key in taken:
        raise UserError(f"Another {what} has the key “{key}”.", "Choose another key.")


def _renames(names: Mapping[str, str], *, keep: bool = False) -> Callable[[Iterable[str]], tuple[str, ...]]:
    """Return what renames keys in a list: "" drops one, and with `keep` the old name stays beside the new one."""

    def rename(keys: Iterable[str]) -> tuple[str, ...]:
        found = [name for key in keys for name in ([key] if keep else []) + [names.get(key, key)]]
        return tuple(dict.fromkeys(name for name in found if name))

    return rename


def _convert_example(shown: Example, before: Field, after: Field) -> Example:
    """Return an example with its value of a field as another kind holds it, or without."""
    if before.key not in shown.values:
        return shown
    values = {**shown.values, before.key: convert_value(before, after, shown.values[before.key])}
    return replace(shown, values={key: value for key, value in values.items() if value is not None})


def _fit_kind(known: Field) -> Field:
    """Return a field with what its kind needs and without what it cannot have."""
    match known.kind:
        case FieldKind.CHOICE | FieldKind.CHOICES:
            return replace(known, minimum=0, maximum=0, step=1, ends=())
        case FieldKind.SCALE | FieldKind.SLIDER:
            low, high = (known.minimum, known.maximum) if known.minimum < known.maximum else (1, 5)
            return replace(known, choices=(), minimum=low, maximum=high)
        case _:
            return replace(known, choices=(), minimum=0, maximum=0, step=1, ends=())


def _needs(scheme: Scheme) -> dict[str, dict[str, dict[str, None]]]:
    """Return track -> label -> the fields that it needs, in order."""
    found: dict[str, dict[str, dict[str, None]]] = {
        track.key: {label.key: {} for label in track.labels} for track in scheme.tracks
    }
    for rule in scheme.rules:
        for track, labels in found.items():
            if rule.label in labels and rule.track in ("", track):
                labels[rule.label] |= dict.fromkeys(rule.needs)
    return found


def _rules(scheme: Scheme, needs: Mapping[str, Mapping[str, Mapping[str, None]]]) -> tuple[RequiredFieldsRule, ...]:
    """Return the rules that say so: one for a label that needs the same on every track that has it."""
    order = [known.key for known in scheme.fields]
    rules: dict[RequiredFieldsRule, None] = {}
    for track, labels in needs.items():
        for label, fields in labels.items():
            alike = all(sorted(other[label]) == sorted(fields) for other in needs.values() if label in other)
            if fields:
                wanted = tuple(sorted(fields, key=order.index))
                rules[RequiredFieldsRule(label, wanted, "" if alike else track)] = None
    return tuple(rules)
