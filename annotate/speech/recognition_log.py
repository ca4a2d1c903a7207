"""A resumable log of recognised speech in the cache folder.

It holds what people said. It is removed once its content is in the study, or when it has been abandoned for a week.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.speech.speech_recognizers import RecognizedWord
from project.entities.study_records import Json
from project.errors import UserError
from project.files.resumable_log import ResumableLog, read_records

SUFFIX = ".heard"


@dataclass(slots=True)
class RecognitionProgress:
    """What the file says.

    Attributes:
        speech: start and end of each stretch of speech in microseconds of the sound; None before it was looked for.
        end_us: of the sound.
        windows: how many windows were recognised.
        pieces: what was heard in them.
        language: code; "" before anything was recognised.
        certainty: 0 to 1, that it is this language.
    """

    speech: list[list[int]] | None = None
    end_us: int = 0
    windows: int = 0
    pieces: list[RecognizedWord] = field(default_factory=list)
    language: str = ""
    certainty: float = 0.0

    def add_record(self, record: bytes) -> bool:
        """Add what a record of the file says."""
        content = json.loads(record)
        if "speech" in content:
            self.speech, self.end_us = content["speech"], content["end_us"]
        else:
            self.windows += content["windows"]
            self.pieces += [RecognizedWord(*row) for row in content["pieces"]]
            self.language, self.certainty = content["language"], content["certainty"]
        return True


class RecognitionLog(ResumableLog):
    """A log of what is heard; `found` is what there is so far."""

    def __init__(self, path: Path, work: Mapping[str, Json]) -> None:
        self.found = RecognitionProgress()
        super().__init__(path, work, self.found.add_record, "recognition")

    def add_speech(self, speech: list[list[int]], end_us: int) -> None:
        """Keep where somebody speaks."""
        self._add({"speech": speech, "end_us": end_us})

    def add_words(self, windows: int, pieces: tuple[RecognizedWord, ...], language: str, certainty: float) -> None:
        """Keep what was heard in the next windows."""
        rows = [[piece.text, piece.start_us, piece.end_us, piece.confidence] for piece in pieces]
        self._add({"windows": windows, "pieces": rows, "language": language, "certainty": certainty})

    def _add(self, content: dict[str, Any]) -> None:
        record = json.dumps(content).encode()
        self.append(record)
        self.found.add_record(record)


def read_log(path: Path) -> RecognitionProgress:
    """Return what a finished run left."""
    found = RecognitionProgress()
    with suppress(OSError):
        for record in read_records(path.read_bytes()):
            found.add_record(record)
    if found.speech is None:
        raise UserError("The recognized speech is no longer in the cache folder.", "Transcribe the recording again.")
    return found
