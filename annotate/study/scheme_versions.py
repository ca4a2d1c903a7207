"""Edits of which scheme versions a study uses, and the values and labels that the newest versions no longer have.

Only a field that gets another key or kind changes its values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from annotate.study.field_changes import FieldChange, apply_field_changes
from project.entities.study_records import Changes, FieldValue, Segment
from project.errors import UserError
from project.queries.segment_rows import older_values, relabel_segments, segments_of_scheme
from project.queries.study_schemes import (
    SCHEMES_PROPERTY,
    all_versions,
    insert_version,
    label_counts,
    scheme_segment_counts,
    schemes_in_use,
    value_counts,
)
from project.schemes.scheme import FieldKind, Scheme
from project.schemes.scheme_file import load_scheme, parse_scheme, shipped_names, shipped_text
from project.session.session import Session

LabelKey = tuple[str, str]
"""Keys of a track and of a label of it."""


def use_scheme(
    session: Session,
    text: str,
    name: str,
    moved: Mapping[LabelKey, LabelKey] = MappingProxyType({}),
    fields: Sequence[FieldChange] = (),
    *,
    default: bool = False,
) -> tuple[Scheme, Changes]:
    """Use a scheme in a study, or a new version of one that it uses already; all else that was filled in stays.

    Args:
        session: the study.
        text: of the scheme.
        name: what messages call it.
        moved: track and label of the version before -> those that its segments get, whoever made them.
        fields: those that get another key or kind, with their values.
        default: whether new segments are made under it.

    Returns:
        The scheme, and what changed: nothing where it is in use as it stands.
    """
    scheme = parse_scheme(text, name)
    _check_version(session, scheme)
    kept = all_versions(session.study).get(scheme.key, {})
    used = schemes_in_use(session.study)
    if scheme.version in kept and scheme.key in used and not moved:
        return scheme, Changes()
    verb = "Use" if scheme.key not in used or not kept else f"Use version {scheme.version} of"
    with session.step(f"{verb} scheme {scheme.name}") as step:
        if scheme.version not in kept:
            insert_version(session.study, scheme.key, scheme.version, text)
        if moved:
            relabel_segments(session.study, scheme.key, moved)
        if fields:
            apply_field_changes(session.study, scheme, fields)
        if default:
            used = [scheme.key, *(key for key in used if key != scheme.key)]
        _set_in_use(session, [*used, *([] if scheme.key in used else [scheme.key])])
    session.schemes.reload()
    return scheme, step.changes


def use_only(session: Session, text: str, name: str) -> Changes:
    """Let a new study use one scheme, in the place of the usual one; nothing where it does. `name` is for messages."""
    scheme = parse_scheme(text, name)
    _check_version(session, scheme)
    if schemes_in_use(session.study) == [scheme.key]:
        return Changes()
    with session.step(f"Use scheme {scheme.name}") as step:
        insert_version(session.study, scheme.key, scheme.version, text)
        _set_in_use(session, [scheme.key])
    session.schemes.reload()
    return step.changes


def use_shipped_scheme(session: Session, key: str) -> tuple[Scheme, Changes]:
    """Use a scheme that the program ships."""
    return use_scheme(session, shipped_text(key), key)


def ensure_scheme(session: Session, key: str) -> Changes:
    """Use a scheme that the program ships where it is not in use yet."""
    return Changes() if session.schemes.is_in_use(key) else use_shipped_scheme(session, key)[1]


def use_kept_scheme(session: Session, key: str) -> tuple[Scheme, Changes]:
    """Use a scheme again that the study keeps, in its newest version."""
    kept = all_versions(session.study).get(key)
    if not kept:
        raise UserError(f"The scheme “{key}” is not stored in this study.", "Add it from its file.")
    version = max(kept)
    return use_scheme(session, kept[version], f"{key}, version {version}")


def drop_scheme(session: Session, key: str) -> Changes:
    """Stop using a scheme. Its segments, their values and its versions stay."""
    scheme = session.schemes.get(key)
    left = [used for used in schemes_in_use(session.study) if used != key]
    if not left:
        raise UserError(f"{scheme.name} is the only scheme of this study.", "Add another scheme first.")
    return _change_schemes(session, f"Stop using scheme {scheme.name}", left, scheme)


def make_default(session: Session, key: str) -> Changes:
    """Make a scheme the one that new segments are made under when nobody names another."""
    scheme = session.schemes.get(key)
    others = [used for used in schemes_in_use(session.study) if used != key]
    if schemes_in_use(session.study)[0] == key:
        return Changes()
    return _change_schemes(session, f"Make {scheme.name} the default scheme", [key, *others], scheme)


def _change_schemes(session: Session, title: str, keys: Sequence[str], scheme: Scheme) -> Changes:
    """Use the schemes of these keys, in this order, as one step; the text of one of them is kept."""
    with session.step(title) as step:
        session.schemes.store_text(scheme)
        _set_in_use(session, keys)
    session.schemes.reload()
    return step.changes


def _set_in_use(session: Session, keys: Sequence[str]) -> None:
    if [*keys] != session.study.get_property(SCHEMES_PROPERTY):
        session.study.set_property(SCHEMES_PROPERTY, [*keys])


def _check_version(session: Session, scheme: Scheme) -> None:
    kept = all_versions(session.study).get(scheme.key, {})
    newest = max(kept, default=0)
    if scheme.version < newest:
        raise UserError(
            f"This study has version {newest} of “{scheme.key}”, but the file has version {scheme.version}.",
            f"Set `version` to {newest + 1} to use the file.",
        )
    known = None
    if scheme.version in kept:
        known, where = parse_scheme(kept[scheme.version], scheme.key), "the study keeps"
    elif scheme.key in shipped_names() and load_scheme(scheme.key).version == scheme.version:
        known, where = load_scheme(scheme.key), "Greenroom ships"
    if known is not None and known != scheme:
        raise UserError(
            f"The content differs from version {scheme.version} of “{scheme.key}” that {where}.",
            f"Set `version` to {scheme.version + 1} to keep both.",
        )


@dataclass(frozen=True, slots=True)
class Orphan:
    """Something that the newest version of its scheme has no place for.

    Attributes:
        value: of a field; None where it is the segment's label, or its track, that is no longer there.
    """

    segment: Segment
    value: FieldValue | None = None


@dataclass(frozen=True, slots=True)
class KeptScheme:
    """A scheme that a study uses or keeps.

    Attributes:
        scheme: its newest version; None where its text is kept nowhere or cannot be read.
        versions: that the study keeps, oldest first; empty for one in use that nothing was made with yet.
        default: whether new segments are made under it.
        values: filled in under it, in all versions.
        orphans: how many labels and values the newest version has no place for.
    """

    key: str
    scheme: Scheme | None
    versions: tuple[int, ...]
    used: bool
    default: bool
    segments: int
    values: int
    orphans: int

    @property
    def name(self) -> str:
        """What it is called, its key where nobody knows."""
        return self.key if self.scheme is None else self.scheme.name


def list_study_schemes(session: Session) -> list[KeptScheme]:
    """Return the schemes of a study: those in use in their order, then those that are only kept."""
    study = session.study
    versions, values, segments = all_versions(study), value_counts(study), scheme_segment_counts(study)
    used = schemes_in_use(study)
    keys = [*used, *sorted((versions.keys() | segments.keys()) - set(used))]
    return [
        KeptScheme(
            key,
            session.schemes.find(key),
            tuple(versions.get(key, {})),
            key in used,
            key == used[0],
            segments.get(key, 0),
            sum(values.get(key, {}).values()),
            len(find_orphans(session, key)),
        )
        for key in keys
    ]


def find_orphans(session: Session, key: str) -> list[Orphan]:
    """Return every label and value that the newest version of a scheme has no place for."""
    scheme = session.schemes.find(key)
    study = session.study
    if scheme is None:
        return [Orphan(segment) for segment in segments_of_scheme(study, key)]
    labels = {(track.key, label.key) for track in scheme.tracks for label in track.labels}
    found = []
    if label_counts(study, key).keys() - labels:
        found = [
            Orphan(segment)
            for segment in segments_of_scheme(study, key)
            if (segment.track, segment.label) not in labels
        ]
    if set(all_versions(study).get(key, {})) - {scheme.version}:
        # A text fits wherever its field is.
        texts = [field.key for field in scheme.fields if field.kind is FieldKind.TEXT and not field.tracks]
        homeless: dict[tuple[str, str, str], bool] = {}
        for segment, value in older_values(study, key, scheme.version, texts):
            kind = (segment.track, value.field, repr(value.value))
            if kind not in homeless:
                homeless[kind] = bool(scheme.orphaned_values(segment.track, {value.field: value.value}))
            if homeless[kind]:
                found.append(Orphan(segment, value))
    return found


def find_orphaned_values(scheme: Scheme | None, segment: Segment, values: list[FieldValue]) -> list[FieldValue]:
    """Return those of a segment's values, of all versions, that the newest version has no place for."""
    if scheme is None:
        return values
    return [value for value in values if scheme.orphaned_values(segment.track, {value.field: value.value})]
