"""Writing parts of the meta information from the command line."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click

from app.cli.meta import RECORDING
from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.names import shown
from project.types import Changes

_Step: TypeAlias = Callable[[], Changes]


@click.command("set")
@STUDY
@RECORDING
@click.option(
    "--look", "looks", multiple=True, metavar="WHO.KIND=TEXT", help="Such as P01.clothing=red coat; no text removes it."
)
@click.option(
    "--summary",
    "summaries",
    multiple=True,
    metavar="SOURCE=TEXT",
    help="words=TEXT or frames=TEXT; @FILE reads a file.",
)
@click.option(
    "--contradiction", "contradictions", multiple=True, metavar="TEXT", help="Note one; again for each further one."
)
@click.option(
    "--settle",
    "settled",
    multiple=True,
    metavar="NUMBER=TEXT",
    help="What is true about a contradiction of `meta show`.",
)
@click.option(
    "--voice-over", "over", multiple=True, type=float, metavar="SECONDS", help="Leave out the utterance at this time."
)
@click.option("--annotator", required=True, help="Who says so.")
@json_option
def set_parts(
    study: Path,
    recording: str,
    looks: tuple[str, ...],
    summaries: tuple[str, ...],
    contradictions: tuple[str, ...],
    settled: tuple[str, ...],
    over: tuple[float, ...],
    annotator: str,
    as_json: bool,
) -> None:
    """Write looks, summaries and contradictions, and mark voice-over.

    Each is one step that undo takes back.

    \b
    Example:
      greenroom meta set my-study.greenroom --recording 1 --look "P01.hair=short, dark" --annotator Ada
      greenroom meta set my-study.greenroom --recording 1 --summary words=@summary.txt --annotator Ada
      greenroom meta set my-study.greenroom --recording 1 --settle "1=The coat is red." --annotator Ada
    """
    from app.core.lookup import recording_called

    with Session.open(study, annotator) as session:
        session.study.require_writable()
        owner = recording_called(session, recording)
        # All of them are read before the first one is written.
        planned = [
            *_looks(session, owner.id, looks),
            *_summaries(session, owner.id, summaries),
            *_contradictions(session, owner.id, contradictions, settled),
            *_voice_overs(session, owner.id, over),
        ]
        steps = [do() for do in planned]
    if not (looks or summaries or contradictions or settled or over):
        raise UserError(
            "There is nothing to write.", "Give --look, --summary, --contradiction, --settle or --voice-over."
        )
    changed = sum(bool(one) for one in steps)
    tell(as_json, {"recording": owner.number, "changed": changed}, f"Changed {counted(changed, 'part')}.")


def _looks(session: Session, recording_id: str, given: tuple[str, ...]) -> Iterator[_Step]:
    from app.core.commands.meta import describe
    from app.core.lookup import participant_called
    from project.questions import LookKind

    for one in given:
        place, text = _parted(one, "WHO.KIND=TEXT")
        who, _, kind = place.rpartition(".")
        if kind not in {each.value for each in LookKind}:
            known = ", ".join(each.value for each in LookKind)
            raise UserError(f"“{shown(kind)}” is no kind of look.", f"Write WHO.KIND=TEXT, with a kind of {known}.")
        yield partial(describe, session, recording_id, participant_called(session, who).id, LookKind(kind), text)


def _summaries(session: Session, recording_id: str, given: tuple[str, ...]) -> Iterator[_Step]:
    from app.core.commands.meta import LONGEST_SUMMARY, summarize
    from app.core.interchange.limits import read_text
    from project.questions import SummarySource

    for one in given:
        source, text = _parted(one, "SOURCE=TEXT")
        if source not in {each.value for each in SummarySource}:
            raise UserError(f"A summary is not made from “{shown(source)}”.", "Write words=TEXT or frames=TEXT.")
        if text.startswith("@"):
            text = read_text(Path(text[1:]), LONGEST_SUMMARY * 4)
        yield partial(summarize, session, recording_id, SummarySource(source), text)


def _contradictions(
    session: Session, recording_id: str, new: tuple[str, ...], settled: tuple[str, ...]
) -> Iterator[_Step]:
    from project.queries.meta import contradictions_in

    for text in new:
        yield partial(_note, session, recording_id, text)
    known = len(contradictions_in(session.study, recording_id)) + len(new)
    for one in settled:
        number, text = _parted(one, "NUMBER=TEXT")
        if not number.isdecimal() or not 1 <= int(number) <= known:
            raise UserError(f"There is no contradiction {shown(number)}.", "See: greenroom meta show")
        yield partial(_settle, session, recording_id, int(number), text)


def _note(session: Session, recording_id: str, text: str) -> Changes:
    from app.core.commands.meta import note_contradiction

    return note_contradiction(session, recording_id, text)[1]


def _settle(session: Session, recording_id: str, number: int, text: str) -> Changes:
    from app.core.commands.meta import settle
    from project.queries.meta import contradictions_in

    return settle(session, contradictions_in(session.study, recording_id)[number - 1].id, text)


def _voice_overs(session: Session, recording_id: str, given: tuple[float, ...]) -> Iterator[_Step]:
    from app.core.commands.meta import set_voice_over
    from project.queries.utterances import utterances_between
    from project.timebase import SECOND

    for seconds in given:
        time_us = round(seconds * SECOND)
        found = utterances_between(session.study, recording_id, time_us, time_us + 1)
        if not found:
            raise UserError(f"Nobody speaks at {seconds:g} s.", "See: greenroom meta show")
        for one in found:
            yield partial(set_voice_over, session, one.id, True)


def _parted(text: str, form: str) -> tuple[str, str]:
    before, sign, after = text.partition("=")
    if not sign:
        raise UserError(f"This is not {form}: {shown(text)}.", "Write what it is, then =, then the text.")
    return before.strip(), after.strip()
