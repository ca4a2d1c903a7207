"""An entry of the catalogue of models for a server of the tests; processes that only fetch it load no window."""

import hashlib

from models.weights.editions import EditionFile, Https, Weights, folder_edition

FILES = {"model.bin": bytes(range(256)) * 4000, "vocab/words.json": b"[]" * 500}


def know(entries: dict[str, Weights], base: str) -> None:
    """Add the entry `toy`, whose files lie under an address."""
    parts = [
        EditionFile(name, Https(f"{base}/{name}"), len(content), hashlib.sha256(content).hexdigest())
        for name, content in FILES.items()
    ]
    editions = (folder_edition("hub", "toy-folder", parts, "a server of the tests"),)
    entries["toy"] = Weights("toy", "is there for tests", "CC0-1.0", editions, use="voices", used_in="Tests")
