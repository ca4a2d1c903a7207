"""Names found by a pipeline of spaCy: the small English one (en_core_web_sm), or one that a lab brings."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from models.names.name_finders import NameSpan
from models.runtime.native_libraries import without_heavy_packages
from project.entities.study_records import Json

# Pipelines of English say PERSON, GPE and FAC; those of other languages PER and LOC.
_KINDS = {"PERSON": "person", "PER": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organisation"}
# spaCy gives no scores; a name of its model alone is likely, and no more.
_SCORE = 0.6
_BATCH = 256
_MAX_PIECE_CHARS = 100_000


class SpacyNames:
    """Finds names with a folder of weights as spaCy loads them."""

    key = "spacy"

    def __init__(self, folder: Path) -> None:
        """Load the weights, a folder with `config.cfg` and the parts that it names."""
        with without_heavy_packages():
            import spacy

        self._nlp = spacy.load(folder, exclude=["lemmatizer", "tagger", "parser", "attribute_ruler", "senter"])
        meta = self._nlp.meta
        self.parameters: Mapping[str, Json] = {"model": str(meta["name"]), "version": str(meta["version"])}

    def find_all(self, texts: Sequence[str]) -> list[list[NameSpan]]:
        """Return the names in each of some texts; long ones are read in pieces."""
        pieces = [
            (piece, (number, at)) for number, text in enumerate(texts) for at, piece in _pieces(text) if piece.strip()
        ]
        found: list[list[NameSpan]] = [[] for _ in texts]
        for doc, (number, at) in self._nlp.pipe(pieces, as_tuples=True, batch_size=_BATCH):
            found[number] += [
                NameSpan(at + ent.start_char, at + ent.end_char, _KINDS[ent.label_], _SCORE)
                for ent in doc.ents
                if ent.label_ in _KINDS
            ]
        return found


def _pieces(text: str) -> list[tuple[int, str]]:
    """Return the pieces of a text with where each begins; they end between words where they can."""
    found, at = [], 0
    while at < len(text):
        end = min(len(text), at + _MAX_PIECE_CHARS)
        if end < len(text):
            end = max(text.rfind(" ", at, end) + 1, at + 1) if " " in text[at:end] else end
        found.append((at, text[at:end]))
        at = end
    return found
