"""Every free text of a study with where it stands and when, for those who search all of them for what is personal."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from project.queries.episodes import NAMED
from project.queries.questions import SEEN_QUESTION
from project.searching.texts import Texts
from project.sight import SEEN, SEEN_CHAIN, SEEN_RECORDING
from project.store import Study
from project.types import Json

WRONG = "wrong_"
"""What the field of a wrong option begins with; its number follows, from 1."""
GOAL = "goal_"
"""What the field of a goal of a scenario begins with; its number follows, from 1."""
QUOTED = frozenset(
    {
        *("chain", "chain_node", "question", "look", "summary", "contradiction"),
        *("character", "scenario", "episode", "episode_agent"),
    }
)
"""Tables whose texts are told in pieces, with other names, or inside other texts."""
_CHUNK = 900


@dataclass(frozen=True, slots=True)
class FreeText:
    """One text that somebody wrote or a model heard.

    Attributes:
        table: where it is kept.
        row: id of its row; of a value, of its segment; of a note of a review, what it is about and the reviewer; of a
            look, recording and participant; of a summary or an episode, the recording; of an agent of an episode,
            recording and position.
        field: the form's field, or the table's column; of a wrong option `wrong_1` and on, of a look its kind, of a
            summary what it was made from.
        text: as it stands there.
        recording_id: that it belongs to, or None where it belongs to the study as a whole.
        start_us: where on the recording; 0 for the recording as a whole.
        end_us: end of what it is about; equal to `start_us` for the recording as a whole.
    """

    table: str
    row: str
    field: str
    text: str
    recording_id: str | None = None
    start_us: int = 0
    end_us: int = 0


def free_texts(study: Study) -> Iterator[FreeText]:
    """Yield the texts of what is seen: those of each recording by time, in the order of recordings, then the others."""
    found = [*_utterances(study), *_values(study), *_comments(study), *_reviews(study), *_names(study)]
    found += [*_chains(study), *_questions(study), *_meta(study), *_episodes(study)]
    numbers = {row[0]: row[1] for row in study.rows("SELECT id, number FROM recording")}
    last = max(numbers.values(), default=0) + 1
    yield from sorted(
        found, key=lambda one: (numbers.get(one.recording_id or "", last), one.start_us, one.table, one.row, one.field)
    )


def _utterances(study: Study) -> Iterator[FreeText]:
    for row, recording, start, end, text in study.rows(
        "SELECT id, recording_id, start_us, end_us, text FROM utterance "
        f"WHERE recording_id IN (SELECT id FROM {SEEN_RECORDING})"
    ):
        yield FreeText("utterance", row, "text", text, recording, start, end)


def _values(study: Study) -> Iterator[FreeText]:
    spans = {row[0]: row[1:] for row in study.rows(f"SELECT id, recording_id, start_us, end_us FROM {SEEN}")}
    texts = Texts(study)
    ids = texts.subjects("segment_value")
    for first in range(0, len(ids), _CHUNK):
        for place, text in texts.read("segment_value", ids[first : first + _CHUNK]):
            if place.subject in spans:
                yield FreeText("segment_value", place.subject, place.field, text, *spans[place.subject])


def _comments(study: Study) -> Iterator[FreeText]:
    for row, text, recording, start, end in study.rows(
        f"SELECT c.id, c.text, s.recording_id, s.start_us, s.end_us FROM comment c JOIN {SEEN} s ON s.id = c.segment_id"
    ):
        yield FreeText("comment", row, "text", text, recording, start, end)


def _reviews(study: Study) -> Iterator[FreeText]:
    for segment, reviewer, text, recording, start, end in study.rows(
        "SELECT r.segment_id, r.reviewer_id, r.note, s.recording_id, s.start_us, s.end_us "
        f"FROM review r JOIN {SEEN} s ON s.id = r.segment_id WHERE r.note <> ''"
    ):
        yield FreeText("review", f"{segment}/{reviewer}", "note", text, recording, start, end)


def _chains(study: Study) -> Iterator[FreeText]:
    here: dict[str, str] = {}
    for row, name, recording in study.rows(f"SELECT id, name, recording_id FROM {SEEN_CHAIN}"):
        here[row] = recording
        yield FreeText("chain", row, "name", name, recording)
    for row, chain, text, start, end in study.rows(
        "SELECT id, chain_id, text, start_us, end_us FROM chain_node WHERE text <> ''"
    ):
        if chain in here:
            yield FreeText("chain_node", row, "text", text, here[chain], start, end)
    for chain, reviewer, note in study.rows(
        "SELECT chain_id, reviewer_id, note FROM chain_review "
        "WHERE note <> '' AND reviewer_id IN (SELECT id FROM annotator)"
    ):
        if chain in here:
            yield FreeText("chain_review", f"{chain}/{reviewer}", "note", note, here[chain])


def _questions(study: Study) -> Iterator[FreeText]:
    spans: dict[str, tuple[str, int, int]] = {}
    for row, recording, start, end, text, answer, explanation, wrong in study.rows(
        "SELECT id, recording_id, start_us, end_us, text, answer, explanation, wrong FROM question "
        f"WHERE {SEEN_QUESTION}"
    ):
        spans[row] = recording, start, end
        said = [("text", text), ("answer", answer), ("explanation", explanation)]
        said += [(f"{WRONG}{at}", one) for at, one in enumerate(_options(wrong), 1)]
        for field, one in said:
            if one:
                yield FreeText("question", row, field, one, recording, start, end)
    for row, who, note in study.rows(
        "SELECT question_id, annotator_id, note FROM verification "
        "WHERE note <> '' AND annotator_id IN (SELECT id FROM annotator)"
    ):
        if row in spans:
            yield FreeText("verification", f"{row}/{who}", "note", note, *spans[row])


def _options(wrong: str) -> list[str]:
    """Return the texts of wrong options, whatever else is damaged in them."""
    return [str(one[0]) if isinstance(one, list) and one else "" for one in _listed(wrong)]


def _listed(text: str) -> list[Json]:
    """Return a list that is kept as JSON; [] where it is damaged."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _meta(study: Study) -> Iterator[FreeText]:
    for recording, who, kind, text in study.rows("SELECT recording_id, participant_id, kind, text FROM look"):
        yield FreeText("look", f"{recording}/{who}", kind, text, recording)
    for recording, source, text in study.rows("SELECT recording_id, source, text FROM summary"):
        yield FreeText("summary", recording, source, text, recording)
    for row, recording, text, resolution in study.rows("SELECT id, recording_id, text, resolution FROM contradiction"):
        yield FreeText("contradiction", row, "text", text, recording)
        if resolution:
            yield FreeText("contradiction", row, "resolution", resolution, recording)


def _episodes(study: Study) -> Iterator[FreeText]:
    columns = ", ".join(NAMED)
    for row, *texts in study.rows(f"SELECT id, {columns} FROM character"):
        yield from _filled("character", row, NAMED, texts)
    for row, name, context, goals in study.rows("SELECT id, name, context, goals FROM scenario"):
        listed = _listed(goals)
        fields = ("name", "context", *(f"{GOAL}{at}" for at in range(1, len(listed) + 1)))
        yield from _filled("scenario", row, fields, (name, context, *map(str, listed)))
    seen = f"recording_id IN (SELECT id FROM {SEEN_RECORDING})"
    for recording, context in study.rows(f"SELECT recording_id, context FROM episode WHERE {seen}"):
        yield from _filled("episode", recording, ("context",), (context,), recording)
    for recording, position, *texts in study.rows(
        f"SELECT recording_id, position, {columns}, goal FROM episode_agent WHERE {seen}"
    ):
        yield from _filled("episode_agent", f"{recording}/{position}", (*NAMED, "goal"), texts, recording)


def _filled(
    table: str, row: str, fields: Sequence[str], texts: Sequence[str], recording: str | None = None
) -> Iterator[FreeText]:
    for field, text in zip(fields, texts, strict=True):
        if text:
            yield FreeText(table, row, field, text, recording)


def _names(study: Study) -> Iterator[FreeText]:
    for row, text in study.rows(f"SELECT id, name FROM {SEEN_RECORDING}"):
        yield FreeText("recording", row, "name", text, row)
    for row, name, context in study.rows("SELECT id, name, agent_context FROM collection"):
        yield FreeText("collection", row, "name", name)
        if context:
            yield FreeText("collection", row, "agent_context", context)
    for row, note in study.rows("SELECT id, note FROM participant WHERE note <> ''"):
        yield FreeText("participant", row, "note", note)
