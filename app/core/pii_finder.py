"""The finder of personal information of an open study, and what it found, kept while the session lasts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from anonymize.pii.finding import PersonalFinder
from anonymize.pii.hit import Hit
from anonymize.pii.kinds import PERSON
from anonymize.pii.study_words import KnownWord
from app.core.session import Session
from models.names import registry
from models.names.base import NameFinder
from project.queries.annotators import all_annotators
from project.queries.private_words import WORD, private_words, public_words

_Known = tuple[tuple[KnownWord, ...], frozenset[str], str | None]


@dataclass
class _Found:
    """What was found with the words that the study had then."""

    known: _Known | None = None
    finder: PersonalFinder | None = None
    hits: dict[str, list[Hit]] = field(default_factory=dict)


_FOUND: WeakKeyDictionary[Session, _Found] = WeakKeyDictionary()
_MODELS: dict[str, NameFinder] = {}


def hits_of(session: Session, texts: Sequence[str]) -> list[list[Hit]]:
    """Return the hits of each of some texts; texts that were searched before with the same words are not again."""
    kept = _of(session)
    assert kept.finder is not None
    new = [text for text in dict.fromkeys(texts) if text not in kept.hits]
    if new:
        kept.hits.update(zip(new, kept.finder.find_all(new), strict=True))
    return [kept.hits[text] for text in texts]


def model_of_names() -> str | None:
    """Return the key of the model of names that is used; None where none is installed."""
    return registry.usual()


def _of(session: Session) -> _Found:
    kept = _FOUND.setdefault(session, _Found())
    known = _known(session)
    if kept.known != known:
        words, public, model = known
        kept.known = known
        kept.finder = PersonalFinder(words, public, _model(model))
        kept.hits = {}
    return kept


def _known(session: Session) -> _Known:
    study = session.study
    words = [
        KnownWord(one.word, PERSON if one.kind == WORD and one.participant_id else one.kind, one.participant_id)
        for one in private_words(study)
    ]
    listed = {one.word for one in words}
    words += [KnownWord(one.name) for one in all_annotators(study) if one.kind == "person" and one.name not in listed]
    return tuple(words), frozenset(public_words(study)), registry.usual()


def _model(key: str | None) -> NameFinder | None:
    if key is None:
        return None
    if key not in _MODELS:
        _MODELS[key] = registry.name_finder(key)
    return _MODELS[key]
