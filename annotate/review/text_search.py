"""Searches all texts of a study; a hit names its recording, time and author."""

from dataclasses import dataclass

from project.entities.study_records import Changes, Recording, Segment
from project.queries.annotator_rows import annotator_names
from project.queries.chain_rows import find_chain, find_node
from project.queries.question_rows import find_question
from project.queries.recording_rows import all_recordings, pseudonyms
from project.queries.segment_rows import table_segments
from project.queries.transcript_rows import find_utterances
from project.search.free_texts import CHAIN_TABLES, SEGMENT_TABLES, TextLocation
from project.search.search_index import Excerpt, SearchIndex
from project.session.session import Session
from project.timebase import format_time

_KIND_NAMES = {
    "comment": "Comment",
    "review": "Review",
    "utterance": "Utterance",
    "recording": "Recording",
    "collection": "Collection",
    "participant": "Participant",
    "chain": "Chain",
    "chain_node": "Node",
    "question": "Question",
}


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One text that was found.

    Attributes:
        kind: what the text is, for people: `Rationale`, `Comment`, `Utterance`, ...
        segment: whose text it is, or None where it is not about a segment.
        recording: that it belongs to, or None where it belongs to the study as a whole.
        time_us: where on the recording; 0 for the recording as a whole.
        who: who made the segment, or who speaks, or is meant; "" where nobody is.
    """

    place: TextLocation
    kind: str
    excerpt: Excerpt
    segment: Segment | None = None
    recording: Recording | None = None
    time_us: int = 0
    who: str = ""

    def as_text(self) -> str:
        """Return a line for people; what matches stands between «these»."""
        parts, end = [], 0
        for first, last in self.excerpt.marks:
            parts += [self.excerpt.text[end:first], "«", self.excerpt.text[first:last], "»"]
            end = last
        text = " ".join("".join([*parts, self.excerpt.text[end:]]).split())
        return f"{self.location_text}: {text}"

    @property
    def location_text(self) -> str:
        """What the text is and where, such as `recording 3, 0:00:05.000  Utterance (P01)`."""
        who = f" ({self.who})" if self.who else ""
        if self.recording is None:
            return f"{self.kind}{who}"
        if self.place.table == "recording":
            return f"recording {self.recording.number}  Name"
        return f"recording {self.recording.number}, {format_time(self.time_us)}  {self.kind}{who}"


class StudySearch:
    """Searches one study; tell it about every edit with `apply`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.index = SearchIndex(session.study)

    def apply(self, changes: Changes) -> None:
        """Note what an edit touched."""
        self.index.note_changes(changes)

    def close(self) -> None:
        """Forget the index."""
        self.index.close()

    def match_segments(self, typed: str) -> dict[str, int]:
        """Return segment id -> number of the text about it that was found, its own before what others say about it."""
        places = self.index.find_locations(typed)
        found: dict[str, int] = {}
        for number, place in places.items():
            if place.table == "segment_value":
                found[place.subject] = number
        for number, place in places.items():
            if place.table in SEGMENT_TABLES:
                found.setdefault(place.subject, number)
        return found

    def find_hits(self, typed: str, limit: int = 50, *, elsewhere: bool = False) -> list[SearchHit]:
        """Return the texts that fit best, the best first; `elsewhere` leaves out what is about segments."""
        if not elsewhere:
            return self._build_hits(self.index.find_best(typed, limit))
        places = {
            n: place for n, place in self.index.find_locations(typed).items() if place.table not in SEGMENT_TABLES
        }
        first = [*places][:limit]
        return self._build_hits([*zip((places[n] for n in first), self.index.excerpts(typed, first), strict=True)])

    def _build_hits(self, found: list[tuple[TextLocation, Excerpt]]) -> list[SearchHit]:
        about = [place.subject for place, _ in found if place.table in SEGMENT_TABLES]
        study = self._session.study
        segments = {segment.id: segment for segment in table_segments(study, [*dict.fromkeys(about)])} if about else {}
        recordings = {recording.id: recording for recording in all_recordings(study)}
        people = annotator_names(study)
        said = find_utterances(study, [place.subject for place, _ in found if place.table == "utterance"])
        names = pseudonyms(study) if said else {}
        hits = []
        for place, excerpt in found:
            if place.table in SEGMENT_TABLES:
                segment = segments[place.subject]
                kind = _KIND_NAMES.get(place.table) or self._field(segment, place.field)
                recording = recordings[segment.recording_id]
                who = people[segment.annotator_id]
                hits.append(SearchHit(place, kind, excerpt, segment, recording, segment.start_us, who))
            elif place.table == "utterance":
                utterance = said[place.subject]
                speaker = names.get(utterance.participant_id or "", "")
                owner = recordings[utterance.recording_id]
                hits.append(SearchHit(place, "Utterance", excerpt, None, owner, utterance.start_us, speaker))
            elif place.table in CHAIN_TABLES:
                recording_id, start_us, author = self._locate_chain_text(place)
                owner = recordings[recording_id]
                hits.append(SearchHit(place, _KIND_NAMES[place.table], excerpt, None, owner, start_us, people[author]))
            else:
                hits.append(SearchHit(place, _KIND_NAMES[place.table], excerpt, None, recordings.get(place.subject)))
        return hits

    def _locate_chain_text(self, place: TextLocation) -> tuple[str, int, str]:
        """Return recording, start and author of a chain, a node or a question."""
        study = self._session.study
        if place.table == "question":
            question = find_question(study, place.subject)
            assert question is not None
            return question.recording_id, question.start_us, question.annotator_id
        node = find_node(study, place.subject) if place.table == "chain_node" else None
        chain = find_chain(study, place.subject if node is None else node.chain_id)
        assert chain is not None
        return chain.recording_id, 0 if node is None else node.start_us, chain.annotator_id

    def _field(self, segment: Segment, key: str) -> str:
        scheme = self._session.schemes.find(segment.scheme)
        return key if scheme is None else scheme.field_name(key)
