"""A first mapping of a document: exact for files that we wrote, a proposal for those of other tools."""

from collections.abc import Iterable
from types import MappingProxyType

from app.core.interchange.comment_text import COMMENTS
from app.core.interchange.document import Document, Lane
from app.core.interchange.mapping import COMMENT, Becomes, Mapping, Target
from app.core.session import Session
from project.schemes.scheme import FieldKind, Scheme, Track

_ENOUGH = 0.5
"""Share of a lane's texts that must be labels of a track, for the lane to be proposed for it."""


def guess_mapping(session: Session, document: Document) -> Mapping:
    """Propose what the lanes become.

    A lane that names its scheme and track goes there. Otherwise the track is taken that knows most of the lane's texts
    as labels, by key or name; free text becomes utterances; what is neither is left out until somebody says what it is.
    """
    lanes: dict[str, list[Lane]] = {}
    for part in document.recordings:
        for lane in part.lanes:
            lanes.setdefault(lane.name, []).append(lane)
    found = {name: _target(session, same) for name, same in lanes.items()}
    return Mapping(MappingProxyType(found))


def target_on(session: Session, lanes: Iterable[Lane], scheme: Scheme, track: Track) -> Target:
    """Return the target for lanes of one name on a track: fields by key or name, free text to the first text field."""
    same = list(lanes)
    only = track.labels[0].key if len(track.labels) == 1 else ""
    known = _keys(track)
    fields = scheme.fields_of(track.key)
    values = dict.fromkeys(name for lane in same for entry in lane.entries for name in entry.values)
    by_name = {one.name.casefold(): one.key for one in fields} | {one.key.casefold(): one.key for one in fields}
    held = {name: by_name.get(name.casefold(), COMMENT if name.casefold() in _REMARKS else "") for name in values}
    strange = not all(entry.text.strip().casefold() in known for lane in same for entry in lane.entries)
    taken = set(held.values())
    text_field = next((one.key for one in fields if one.kind is FieldKind.TEXT and one.key not in taken), "")
    return Target(
        Becomes.SEGMENTS,
        same[0].annotator or session.annotator_name,
        scheme.key,
        track.key,
        otherwise=only,
        text_field=text_field if strange and only else "",
        fields=MappingProxyType(held),
    )


_REMARKS = (COMMENTS, "comment")


def _target(session: Session, same: list[Lane]) -> Target:
    first = same[0]
    if first.kind == "utterances":
        return Target(Becomes.UTTERANCES, participant=first.participant)
    for scheme in session.schemes:
        for track in scheme.tracks:
            if (scheme.key, track.key) == (first.scheme, first.track):
                return target_on(session, same, scheme, track)
    texts = {entry.text.strip().casefold() for lane in same for entry in lane.entries} or {
        text.strip().casefold() for text in first.vocabulary
    }
    best: tuple[float, Scheme, Track] | None = None
    for scheme in session.schemes:
        for track in scheme.tracks:
            share = len(texts & _keys(track)) / max(1, len(texts))
            if share >= _ENOUGH and (best is None or share > best[0]):
                best = share, scheme, track
    if best is not None:
        return target_on(session, same, best[1], best[2])
    if not first.vocabulary and _free(same):
        return Target(Becomes.UTTERANCES, participant=first.participant)
    return Target(Becomes.NOTHING)


def _keys(track: Track) -> set[str]:
    return {text.casefold() for label in track.labels for text in (label.key, label.name)}


def _free(same: list[Lane]) -> bool:
    """Tell whether texts look like what somebody said: hardly any comes twice, and most have several words."""
    texts = [entry.text for lane in same for entry in lane.entries if entry.text.strip()]
    several = sum(len(text.split()) > 1 for text in texts)
    return bool(texts) and several * 2 > len(texts) and len(set(texts)) * 2 > len(texts)
