"""An entry of the catalogue of models for a server of the tests; processes that only fetch it load no window."""

import hashlib

from models.weights.weights_catalogue import Edition, EditionFile, Weights, WeightsSource

FILES = {"model.bin": bytes(range(256)) * 4000, "vocab/words.json": b"[]" * 500}


def know(entries: dict[str, Weights], base: str) -> None:
    """Add the entry `toy`, whose files lie under an address."""
    parts = tuple(
        EditionFile(name, len(content), hashlib.sha256(content).hexdigest()) for name, content in FILES.items()
    )
    edition = Edition(
        "hub", "toy-folder", parts, WeightsSource(f"{base}/"), is_folder=True, origin="a server of the tests"
    )
    entries["toy"] = Weights("toy", "is there for tests", "CC0-1.0", (edition,), use="voices", used_in="Tests")
