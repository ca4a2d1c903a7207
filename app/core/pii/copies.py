"""Scrubbed copies of a study's texts: transcripts as WebVTT, all texts as one table."""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anonymize.text import Scrubbed, Scrubber
from app.core.csv_cells import write_csv
from app.core.release.private import scrubber_of
from app.core.session import Session
from project.errors import UserError
from project.queries.free_texts import QUOTED, FreeText, free_texts
from project.queries.hold_outs import hold_outs
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.queries.utterances import utterances_of
from project.timebase import format_time

COLUMNS = ("recording", "start", "end", "what", "field", "text", "replaced")
LEFT_IN_THE_STUDY = frozenset({"participant", "recording"})
"""Tables whose texts are about who is behind a pseudonym or a number: they never leave, and are no copies of."""


@dataclass(frozen=True, slots=True)
class ScrubbedText:
    """A text of the study, and how it may leave."""

    text: FreeText
    scrubbed: Scrubbed


def scrubbed_texts(session: Session) -> Iterator[ScrubbedText]:
    """Yield every text that is worth a copy, scrubbed."""
    plain, quoting = scrubber_of(session), scrubber_of(session, quoting=True)
    for one in free_texts(session.study):
        if one.table not in LEFT_IN_THE_STUDY and one.text.strip():
            yield ScrubbedText(one, (quoting if one.table in QUOTED else plain).scrub(one.text))


def write_copies(session: Session, folder: Path) -> list[str]:
    """Write scrubbed copies to a new folder, without recordings that are held out; return the names of its files.

    Raises:
        UserError: the folder has something in it, or cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(f"The folder {folder} is not empty.", "Name a new one, so that nothing is mixed up.")
        numbers = {one.id: one.number for one in all_recordings(session.study)}
        kept_back = hold_outs(session.study)
        with (folder / "texts.csv").open("x", encoding="utf-8", newline="") as file:
            rows = [
                (
                    *(numbers.get(one.text.recording_id or "", ""), one.text.start_us / 1e6, one.text.end_us / 1e6),
                    *(one.text.table, one.text.field, one.scrubbed.text, len(one.scrubbed.replacements)),
                )
                for one in scrubbed_texts(session)
                if one.text.recording_id not in kept_back
            ]
            write_csv(file, COLUMNS, rows)
        written = ["texts.csv"]
        scrubber = scrubber_of(session)
        for one in all_recordings(session.study):
            if one.id not in kept_back and (text := _captions(session, one.id, scrubber)):
                name = f"recording-{one.number:04d}.vtt"
                (folder / name).write_text(text, "utf-8")
                written.append(name)
    except OSError as error:
        raise UserError(f"The copies cannot be written: {error}.", "Name another folder, or make room.") from None
    return written


def _captions(session: Session, recording_id: str, scrubber: Scrubber) -> str:
    """Return the transcript of a recording as WebVTT, speakers by pseudonym; "" where nothing is said."""
    people = {one.id: one.pseudonym for one in all_participants(session.study)}
    cues = []
    for one in utterances_of(session.study, recording_id):
        text = " ".join(scrubber.scrub(one.text).text.split())
        if not text:
            continue
        who = people.get(one.participant_id or "")
        voice = f"<v {html.escape(who, quote=False)}>" if who else ""
        span = f"{_time(one.start_us)} --> {_time(one.end_us)}"
        cues.append(f"{span}\n{voice}{html.escape(text, quote=False)}\n")
    return "\n".join(["WEBVTT\n", *cues]) if cues else ""


def _time(time_us: int) -> str:
    hours, rest = format_time(time_us).split(":", 1)
    return f"{int(hours):02d}:{rest}"
