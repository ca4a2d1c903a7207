"""What edits of utterances have in common: finding them, and writing them as one step."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from app.core.session import Session
from project.counted import counted_rows
from project.errors import UserError
from project.queries import utterances as rows
from project.transcript import fitting
from project.types import Changes, Utterance


def each_changed(
    session: Session, verb: str, utterance_ids: Iterable[str], change: Callable[[Utterance], Utterance]
) -> Changes:
    """Change utterances one by one, as one step; the verb is what undo says."""
    old = found_utterances(session, utterance_ids)
    return write_utterances(session, f"{verb} {told(old)}", old, [change(one) for one in old])


def write_utterances(
    session: Session, name: str, old: Sequence[Utterance], new: Sequence[Utterance], merge_key: str | None = None
) -> Changes:
    """Put new versions of utterances in the place of old ones, as one step; those that are the same are left alone."""
    session.study.require_writable()
    with session.step(name, merge_key) as step:
        for before, after in zip(old, new, strict=True):
            if after != before:
                rows.update_utterance(session.study, after)
    return step.changes


def found_utterances(session: Session, utterance_ids: Iterable[str]) -> list[Utterance]:
    """Return utterances by their ids, each once.

    Raises:
        UserError: one is no longer there.
    """
    wanted = [*dict.fromkeys(utterance_ids)]
    found = rows.utterances_called(session.study, wanted)
    if len(found) < len(wanted):
        raise UserError("An utterance is no longer there.", "It may have been deleted or merged meanwhile.")
    return [sound_utterance(found[one]) for one in wanted]


def sound_utterance(one: Utterance) -> Utterance:
    """Return an utterance without times of words that are not its text's: other programs write to studies too."""
    return replace(one, words=fitting(one.words, one.text, one.start_us, one.end_us))


def told(utterances: Sequence[Utterance]) -> str:
    """Return how many utterances of how many recordings these are, for the name of a step."""
    return counted_rows(len(utterances), "utterance", len({one.recording_id for one in utterances}))
