"""What a study keeps of its schemes, and which values and labels the newest versions have no place for."""

from dataclasses import dataclass

from app.core.schemes import in_use
from app.core.session import Session
from project.queries.schemes import all_versions, labels_in_use, segment_counts, value_counts
from project.queries.segments import older_values, segments_under
from project.schemes.scheme import FieldKind, Scheme
from project.types import FieldValue, Json, Segment


@dataclass(frozen=True, slots=True)
class Orphan:
    """Something that the newest version of its scheme has no place for.

    Attributes:
        segment: what it is about.
        value: of a field; None where it is the segment's label, or its track, that is no longer there.
    """

    segment: Segment
    value: FieldValue | None = None

    def as_json(self) -> dict[str, Json]:
        """Return it as JSON."""
        found: dict[str, Json] = {"segment": self.segment.id, "track": self.segment.track, "label": self.segment.label}
        if self.value is not None:
            found |= {"field": self.value.field, "version": self.value.version, "value": self.value.value}
        return found


@dataclass(frozen=True, slots=True)
class KeptScheme:
    """A scheme that a study uses or keeps.

    Attributes:
        scheme: its newest version; None where its text is kept nowhere or cannot be read.
        versions: that the study keeps, oldest first; empty for one in use that nothing was made with yet.
        used: whether it is in use.
        default: whether new segments are made under it.
        segments: made with it.
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

    def as_json(self) -> dict[str, Json]:
        """Return it as JSON."""
        return {
            "key": self.key,
            "name": self.name,
            "version": None if self.scheme is None else self.scheme.version,
            "versions": [*self.versions],
            "used": self.used,
            "default": self.default,
            "segments": self.segments,
            "values": self.values,
            "orphans": self.orphans,
        }


def kept_schemes(session: Session) -> list[KeptScheme]:
    """Return the schemes of a study: those in use in their order, then those that are only kept."""
    study = session.study
    versions, values, segments = all_versions(study), value_counts(study), segment_counts(study)
    used = in_use(study)
    keys = [*used, *sorted((versions.keys() | segments.keys()) - set(used))]
    return [
        KeptScheme(
            key,
            session.schemes.known(key),
            tuple(versions.get(key, {})),
            key in used,
            key == used[0],
            segments.get(key, 0),
            sum(values.get(key, {}).values()),
            len(orphans_of(session, key)),
        )
        for key in keys
    ]


def orphans_of(session: Session, key: str) -> list[Orphan]:
    """Return every label and value that the newest version of a scheme has no place for."""
    scheme = session.schemes.known(key)
    study = session.study
    if scheme is None:
        return [Orphan(one) for one in segments_under(study, key)]
    labels = {(track.key, label.key) for track in scheme.tracks for label in track.labels}
    found = []
    if labels_in_use(study, key) - labels:
        found = [Orphan(one) for one in segments_under(study, key) if (one.track, one.label) not in labels]
    if set(all_versions(study).get(key, {})) - {scheme.version}:
        # A text fits wherever its field is.
        texts = [field.key for field in scheme.fields if field.kind is FieldKind.TEXT and not field.tracks]
        homeless: dict[tuple[str, str, str], bool] = {}
        for segment, value in older_values(study, key, scheme.version, texts):
            kind = (segment.track, value.field, repr(value.value))
            if kind not in homeless:
                homeless[kind] = bool(scheme.orphans(segment.track, {value.field: value.value}))
            if homeless[kind]:
                found.append(Orphan(segment, value))
    return found


def orphaned_values(scheme: Scheme | None, segment: Segment, values: list[FieldValue]) -> list[FieldValue]:
    """Return those of a segment's values, of all versions, that the newest version has no place for."""
    if scheme is None:
        return values
    return [one for one in values if scheme.orphans(segment.track, {one.field: one.value})]
