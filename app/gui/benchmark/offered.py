"""What a study has to choose from when an item set is put together."""

from app.core.benchmark.sets.renderings import methods_of
from app.core.session import Session
from app.gui.benchmark.words import condition_name, negatives_name
from benchmark.items.drawing import NEGATIVES
from benchmark.tasks.base import Item
from benchmark.tasks.labels import labels_of
from project.schemes.scheme import Scheme, Track
from widgets.benchmark.set_rules import Lane, Offered


def offered(session: Session | None) -> Offered:
    """Return it; nothing where no study is open."""
    if session is None:
        return Offered()
    lanes = [_lane(scheme, track) for scheme in session.schemes for track in scheme.tracks]
    methods = {key: condition_name(key) for key in methods_of(session)}
    return Offered(lanes, methods, {key: _as_choice(negatives_name(key)) for key in NEGATIVES})


def _as_choice(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lane(scheme: Scheme, track: Track) -> Lane:
    name = scheme.name if len(scheme.tracks) == 1 else f"{scheme.name}: {track.name}"
    labels = {one.key: one.name for one in labels_of(Item(scheme, track.key))}
    return Lane(scheme.key, track.key, name, labels)
