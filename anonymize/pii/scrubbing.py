"""Personal information as a finder of places for `anonymize.text.Scrubber`."""

import re
from collections.abc import Callable, Container, Iterator, Sequence

from anonymize.pii.hit import Hit
from anonymize.pii.replacing import Replacements
from anonymize.text import LEFT_OUT, Place


class PersonalPlaces:
    """Finds personal information and says what is written in its place.

    A scrubber looks at its own work again until nothing more is found. What was written there in place of something is
    not found once more: numbers in brackets, and names that stand in for people.
    """

    def __init__(
        self, find: Callable[[str], Sequence[Hit]], replacements: Replacements, originals: Container[str] = ()
    ) -> None:
        """Get ready.

        Args:
            find: what finds hits in a text.
            replacements: what is written in their places.
            originals: texts that are known not to be scrubbed: in these, a name that also stands in for somebody is a
                name.
        """
        self._find = find
        self._replacements = replacements
        self._originals = originals

    def __call__(self, text: str) -> Iterator[Place]:
        """Yield the places of personal information in a text."""
        written = [] if text in self._originals else self._written_in(text)
        for hit in self._find(text):
            if not any(start <= hit.start and hit.end <= end for start, end in written):
                yield Place(hit.start, hit.end, hit.kind, self._replacements.of(hit))

    def _written_in(self, text: str) -> list[tuple[int, int]]:
        """Return where replacements stand in a text."""
        forms = "|".join(
            re.escape(one) for one in sorted({LEFT_OUT, *self._replacements.written()}, key=len, reverse=True)
        )
        return [hit.span() for hit in re.finditer(rf"\[[A-Z]+_\d+\]|{forms}", text)]
