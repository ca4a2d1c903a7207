"""A resumable log of recognised speech in the cache folder, which stays readable after a crash.

It holds what people said, so only its owner can read it. It is removed once its content is in the study, or when it has
been abandoned for a week.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from models.speech.speech_recognizers import RecognizedWord
from project.entities.study_records import Json
from project.errors import UserError

SUFFIX = ".heard"
_OWNER_ONLY = 0o600


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


class RecognitionLog:
    """Lines of JSON, each with its CRC-32; a torn end is cut off, and a file about other work is overwritten."""

    def __init__(self, path: Path, work: Mapping[str, Json]) -> None:
        """Open or start the file."""
        self.path = path
        self.found = RecognitionProgress()
        self._file: BinaryIO | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY), "r+b")
            os.fchmod(self._file.fileno(), _OWNER_ONLY)
            digest = hashlib.sha256(json.dumps(work, sort_keys=True).encode()).hexdigest()
            self._load({"work": digest})
        except OSError as error:
            self.close()
            raise _write_error(path, error) from None

    def add_speech(self, speech: list[list[int]], end_us: int) -> None:
        """Keep where somebody speaks."""
        self._append({"speech": speech, "end_us": end_us})

    def add_words(self, windows: int, pieces: tuple[RecognizedWord, ...], language: str, certainty: float) -> None:
        """Keep what was heard in the next windows; it survives the end of this process from here on."""
        rows = [[piece.text, piece.start_us, piece.end_us, piece.confidence] for piece in pieces]
        self._append({"windows": windows, "pieces": rows, "language": language, "certainty": certainty})

    def close(self) -> None:
        """Close the file and leave it where it is."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self, head: dict[str, str]) -> None:
        assert self._file is not None
        good = 0
        for number, line in enumerate(self._file):
            read = _parse_line(line)
            if read is None or (number == 0 and read != head):
                break
            if number:
                _merge_content(self.found, read)
            good += len(line)
        self._file.seek(good)
        self._file.truncate()
        if not good:
            self._write(head)

    def _append(self, content: dict[str, Any]) -> None:
        try:
            self._write(content)
        except OSError as error:
            raise _write_error(self.path, error) from None
        _merge_content(self.found, content)

    def _write(self, content: Mapping[str, Any]) -> None:
        assert self._file is not None
        body = json.dumps(content).encode()
        self._file.write(b"%08x %s\n" % (zlib.crc32(body), body))
        self._file.flush()


def read_log(path: Path) -> RecognitionProgress:
    """Return what a finished run left."""
    found = RecognitionProgress()
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError:
        lines = []
    for line in lines[1:]:
        read = _parse_line(line)
        if read is None:
            break
        _merge_content(found, read)
    if found.speech is None:
        raise UserError("What was recognised is no longer in the cache folder.", "Recognise the recording again.")
    return found


def _parse_line(line: bytes) -> dict[str, Any] | None:
    checksum, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(body):
        return None
    found = json.loads(body)
    return found if isinstance(found, dict) else None


def _merge_content(found: RecognitionProgress, content: Mapping[str, Any]) -> None:
    if "speech" in content:
        found.speech, found.end_us = content["speech"], content["end_us"]
    else:
        found.windows += content["windows"]
        found.pieces += [RecognizedWord(*row) for row in content["pieces"]]
        found.language, found.certainty = content["language"], content["certainty"]


def _write_error(path: Path, error: OSError) -> UserError:
    return UserError(
        f"The progress of recognition cannot be kept in {path}: {(error.strerror or str(error)).lower()}.",
        "Make room there, or name a cache folder that can be written to in XDG_CACHE_HOME.",
    )
