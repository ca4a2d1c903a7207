"""What was made to be sent: texts and pictures that whoever built a request vouches for, each under a condition."""

import hashlib


class Cleared:
    """Filled by the code that builds what a judge sees, read by the guard.

    A text or picture that is not in here does not leave, whatever else is allowed. What is cleared under the condition
    "" is the program's own and holds nothing of a study.
    """

    def __init__(self) -> None:
        self._texts: set[tuple[str, str]] = set()
        self._media: set[tuple[str, str]] = set()

    def add_text(self, text: str, condition: str) -> None:
        """Vouch for a text, as it stands in a message.

        Args:
            text: all of it.
            condition: `raw`, the id of the run that made the rendering, or "" for the program's own words.
        """
        self._texts.add((sha256_of_text(text), condition))

    def add_media(self, sha256: str, condition: str) -> None:
        """Vouch for a picture or a video by the checksum of its bytes."""
        self._media.add((sha256, condition))

    def holds_text(self, text: str, condition: str) -> bool:
        """Tell whether somebody vouched for a text under a condition."""
        return (sha256_of_text(text), condition) in self._texts

    def holds_media(self, sha256: str, condition: str) -> bool:
        """Tell whether somebody vouched for a picture or a video under a condition."""
        return (sha256, condition) in self._media


def sha256_of_text(text: str) -> str:
    """Return the checksum of a text in UTF-8; lone surrogates count as they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
