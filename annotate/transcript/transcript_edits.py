"""Edits of utterances: text, times, speakers, splitting, merging and replacing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from annotate.study.people import build_participant
from annotate.study.recording_edits import require_span
from annotate.transcript import utterance_text
from annotate.transcript.utterance_text import WordSearch
from project.entities.study_records import Changes, ParticipantRole, Utterance
from project.entities.transcript import clamp_words, split_words
from project.errors import UserError, no_longer_in_study, unknown_id
from project.ids import new_id
from project.queries import recording_rows, transcript_rows
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import speech_spans
from project.session.session import Session
from project.text_format import describe_rows


def change_each(
    session: Session, verb: str, utterance_ids: Iterable[str], change: Callable[[Utterance], Utterance]
) -> Changes:
    """Change utterances one by one, as one step; the verb is what undo says."""
    old = find_utterances(session, utterance_ids)
    return write_utterances(session, f"{verb} {format_count(old)}", old, [change(utterance) for utterance in old])


def write_utterances(
    session: Session, name: str, old: Sequence[Utterance], new: Sequence[Utterance], merge_key: str | None = None
) -> Changes:
    """Put new versions of utterances in the place of old ones, as one step; those that are the same are left alone."""
    with session.step(name, merge_key) as step:
        for before, after in zip(old, new, strict=True):
            if after != before:
                transcript_rows.update_utterance(session.study, after)
    return step.changes


def find_utterances(session: Session, utterance_ids: Iterable[str]) -> list[Utterance]:
    """Return utterances by their ids, each once."""
    wanted = [*dict.fromkeys(utterance_ids)]
    found = transcript_rows.find_utterances(session.study, wanted)
    if len(found) < len(wanted):
        raise UserError("An utterance is no longer in the study.", "It may have been deleted or merged.")
    return [with_valid_words(found[utterance_id]) for utterance_id in wanted]


def with_valid_words(utterance: Utterance) -> Utterance:
    """Return an utterance without times of words that are not its text's: other programs write to studies too."""
    return replace(utterance, words=clamp_words(utterance.words, utterance.text, utterance.start_us, utterance.end_us))


def format_count(utterances: Sequence[Utterance]) -> str:
    """Return how many utterances of how many recordings these are, for the name of a step."""
    return describe_rows(len(utterances), "utterance", len({utterance.recording_id for utterance in utterances}))


def assign_speaker(session: Session, utterance_ids: Iterable[str], participant_id: str | None) -> Changes:
    """Say who speaks, or that nobody knows; from then on it is no guess of the program.

    A speaker appears in the recording from then on.
    """
    require_participant(session, participant_id)
    found = find_utterances(session, utterance_ids)
    with session.step(f"Assign speaker of {format_count(found)}") as step:
        _set_speaker(session, found, participant_id)
    return step.changes


def assign_to_new_participant(session: Session, utterance_ids: Iterable[str], pseudonym: str) -> tuple[str, Changes]:
    """Make a participant who says these utterances, as one step; returns the new id."""
    found = find_utterances(session, utterance_ids)
    made = build_participant(session, pseudonym, ParticipantRole.USER)
    with session.step(f"Assign {format_count(found)} to {made.pseudonym}") as step:
        recording_rows.insert_participant(session.study, made)
        _set_speaker(session, found, made.id)
    return made.id, step.changes


def accept_speakers(session: Session, utterance_ids: Iterable[str]) -> Changes:
    """Say that the program guessed right who speaks."""
    return change_each(
        session, "Accept speaker of", utterance_ids, lambda utterance: replace(utterance, suggested=False)
    )


def require_participant(session: Session, participant_id: str | None) -> None:
    """Refuse a participant that is not in the study; None is nobody, which is fine."""
    if participant_id is not None and all(
        participant.id != participant_id for participant in recording_rows.all_participants(session.study)
    ):
        raise no_longer_in_study("participant")


def _set_speaker(session: Session, found: Sequence[Utterance], participant_id: str | None) -> None:
    for utterance in found:
        if (utterance.participant_id, utterance.suggested) != (participant_id, False):
            transcript_rows.update_utterance(
                session.study, replace(utterance, participant_id=participant_id, suggested=False)
            )
    if participant_id is None:
        return
    for recording_id in {utterance.recording_id for utterance in found}:
        present = recording_rows.participants_in(session.study, recording_id)
        if all(participant.id != participant_id for participant in present):
            recording_rows.set_appearance(session.study, recording_id, participant_id, True)


@dataclass(frozen=True, slots=True)
class ReplaceResult:
    """What `replace_all` did.

    Attributes:
        emptied: ids of utterances that have no text any more.
    """

    count: int
    emptied: tuple[str, ...]
    changes: Changes


def find_utterance(session: Session, utterance_id: str) -> Utterance:
    """Return an utterance."""
    found = transcript_rows.find_utterance(session.study, utterance_id)
    if found is None:
        raise unknown_id("utterance", utterance_id)
    return with_valid_words(found)


def add_utterance(
    session: Session, recording_id: str, start_us: int, end_us: int, text: str = "", participant_id: str | None = None
) -> tuple[str, Changes]:
    """Add an utterance that a person heard; returns its id and what changed."""
    require_span(session, recording_id, start_us, end_us, "utterance")
    require_participant(session, participant_id)
    made = Utterance(new_id(), recording_id, start_us, end_us, text.strip(), participant_id)
    with session.step("Add utterance") as step:
        transcript_rows.insert_utterances(session.study, [made])
    return made.id, step.changes


def edit_text(session: Session, utterance_id: str, text: str, *, check: bool = True) -> Changes:
    """Change what is said; quick edits of one utterance are one step. Words that stay keep their times.

    Without a text, the words' times are gone. `check` is false while somebody still types: then it does not count as
    read.
    """
    old = find_utterance(session, utterance_id)
    new = old if text.strip() == old.text else utterance_text.with_text(old, text)
    return write_utterances(
        session, "Edit text", [old], [replace(new, checked=True) if check else new], f"text {utterance_id}"
    )


def restore_text(session: Session, before: Utterance) -> Changes:
    """Give an utterance the text, words and state it had before somebody typed and thought better of it."""
    old = find_utterance(session, before.id)
    new = replace(old, text=before.text, words=before.words, checked=before.checked)
    return write_utterances(session, "Edit text", [old], [new], f"text {before.id}")


def split_utterance(
    session: Session, utterance_id: str, word: int | None = None, *, at_us: int | None = None
) -> tuple[str, Changes]:
    """Cut an utterance in two, before a word or at a time; both halves keep the speaker. Returns the second one's id.

    Where words have times, each half reaches to its own words. `word` is the index of the first word of the second
    half. A word belongs to the half of `at_us` that has its middle.
    """
    old = find_utterance(session, utterance_id)
    if word is None:
        if at_us is None or not old.start_us < at_us < old.end_us:
            raise UserError(
                "The playhead is not inside the utterance.", "Move the playhead to where you want to split it."
            )
        word = utterance_text.cut_index(old, at_us)
    if not 0 < word < len(split_words(old.text)):
        raise UserError("One of the two parts would have no words.", "Split the utterance between two of its words.")
    first, second = utterance_text.split_at_word(old, word, new_id(), at_us)
    return _store_halves(session, first, second)


def split_utterance_text(session: Session, utterance_id: str, before: str, after: str) -> tuple[str, Changes]:
    """Cut an utterance in two where somebody types, as one step; returns the second one's id.

    The halves may have another text than the utterance.
    """
    old, text = find_utterance(session, utterance_id), f"{before.strip()} {after.strip()}"
    if not before.strip() or not after.strip():
        raise UserError("One of the two parts would have no words.", "Split the utterance between two of its words.")
    differs = text.split() != old.text.split()
    new = replace(utterance_text.with_text(old, text), checked=True) if differs else old
    first, second = utterance_text.split_at_word(new, len(split_words(before)), new_id())
    return _store_halves(session, first, second)


def _store_halves(session: Session, first: Utterance, second: Utterance) -> tuple[str, Changes]:
    with session.step("Split utterance") as step:
        transcript_rows.update_utterance(session.study, first)
        transcript_rows.insert_utterances(session.study, [second])
    return second.id, step.changes


def merge_utterances(session: Session, utterance_ids: Iterable[str]) -> tuple[str, Changes]:
    """Make one utterance of several; returns the id that it keeps, of the one that begins first."""
    found = find_utterances(session, utterance_ids)
    if len(found) < 2:
        raise UserError("Only one utterance is selected.", "Select the utterances that you want to merge.")
    if len({utterance.recording_id for utterance in found}) > 1:
        raise UserError("Utterances of different recordings cannot be merged.", "Select utterances of one recording.")
    made = utterance_text.join_utterances(found)
    with session.step("Merge utterances") as step:
        transcript_rows.update_utterance(session.study, made)
        for utterance in found:
            if utterance.id != made.id:
                transcript_rows.delete_utterance(session.study, utterance.id)
    return made.id, step.changes


def retime_utterances(session: Session, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> Changes:
    """Give utterances new starts and ends, in microseconds, as one step; their words follow.

    Edits with the same `merge_key` in quick succession (a key held down) become one step.
    """
    old = [find_utterance(session, utterance_id) for utterance_id, _, _ in spans]
    new = []
    for utterance, (_, start_us, end_us) in zip(old, spans, strict=True):
        require_span(session, utterance.recording_id, start_us, end_us, "utterance")
        new.append(utterance_text.with_span(utterance, start_us, end_us))
    return write_utterances(session, f"Change times of {format_count(new)}", old, new, merge_key)


def mark_checked(session: Session, utterance_ids: Iterable[str], checked: bool = True) -> Changes:
    """Mark utterances as read by a person, or as a draft again."""
    return change_each(
        session, "Check" if checked else "Uncheck", utterance_ids, lambda utterance: replace(utterance, checked=checked)
    )


def delete_utterances(session: Session, utterance_ids: Iterable[str]) -> Changes:
    """Delete utterances, as one step."""
    found = find_utterances(session, utterance_ids)
    with session.step(f"Delete {format_count(found)}") as step:
        for utterance in found:
            transcript_rows.delete_utterance(session.study, utterance.id)
    return step.changes


def replace_all(
    session: Session, search: WordSearch, replacement: str, recordings: Iterable[str] | None = None
) -> ReplaceResult:
    """Replace what a search finds in all utterances of some recordings, or of the study, as one step."""
    ids = [recording.id for recording in all_recordings(session.study)] if recordings is None else [*recordings]
    count, old, new = 0, [], []
    for recording_id in ids:
        for utterance in map(with_valid_words, transcript_rows.utterances_of(session.study, recording_id)):
            text, places = search.replace_all(utterance.text, replacement)
            count += places
            if text != utterance.text:
                old.append(utterance)
                new.append(utterance_text.with_text(utterance, text))
    changes = write_utterances(session, f"Replace in {format_count(new)}", old, new) if new else Changes()
    return ReplaceResult(count, tuple(utterance.id for utterance in new if not utterance.text), changes)


def count_matches(session: Session, search: WordSearch) -> dict[str, int]:
    """Return how many places a search finds in each recording of a study where it finds any, by the recording's id."""
    counts: dict[str, int] = {}
    for recording in all_recordings(session.study):
        places = sum(
            len(search.find_spans(utterance.text))
            for utterance in transcript_rows.utterances_of(session.study, recording.id)
        )
        if places:
            counts[recording.id] = places
    return counts


def find_utterances_without_speech(session: Session, recording_id: str) -> list[str]:
    """Return ids of the utterances of a recording during which nobody was heard to speak."""
    speech = speech_spans(session.study, recording_id)
    if speech is None:
        raise UserError("Speech has not been detected in this recording yet.", "Find speech first, in the menu Speech.")
    found, at = [], 0
    for utterance in transcript_rows.utterances_of(session.study, recording_id):
        while at < len(speech) and speech[at][1] <= utterance.start_us:
            at += 1
        if at == len(speech) or speech[at][0] >= utterance.end_us:
            found.append(utterance.id)
    return found
