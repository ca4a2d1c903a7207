"""Generates a synthetic study of any size: segments, reviews and transcripts.

It serves for trying the program without footage and for measuring it.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from project.entities.study_records import ConsentUse, ParticipantRole
from project.errors import UserError
from project.progress import Progress, Silent
from project.queries.study_schemes import insert_version
from project.schemes.scheme import Scheme
from project.schemes.scheme_file import load_scheme, shipped_text
from project.store.column_values import to_json
from project.store.study import Cell, Study
from project.synthetic.synthetic_phrases import PHRASES, SCENES, InventedIds, SceneTemplate, draw_slots

_PEOPLE = 58
_OVERLAPPING = 0.851
_AGREEING = 0.913
_COMPETENT, _WRONG = 0.56, 0.43
_COUNTS = (0.17, 0.32, 0.30, 0.15, 0.06)
"""How many segments have 1, 2, ... attributes where annotators agree: 2.6 on average."""
_COUNTS_DISPUTED = (0.06, 0.22, 0.34, 0.24, 0.14)
"""The same where they do not: 3.2 on average."""
_MAINLY = {
    "error": {
        **{"conversation": 30, "intention": 18, "knowledge": 18, "engagement": 12},
        **{"relationships": 10, "norms": 7, "emotions": 5},
    },
    "competence": {
        **{"conversation": 22, "engagement": 20, "relationships": 17, "intention": 15},
        **{"knowledge": 11, "norms": 9, "emotions": 6},
    },
}
"""What a moment is mainly about: conversational mechanics lead, then intention and engagement (figure 2, C)."""
_ALSO = {
    **{"conversation": 70, "relationships": 53, "knowledge": 48, "intention": 48},
    **{"engagement": 34, "norms": 30, "emotions": 15},
}
"""What else, by the shares of samples (appendix A.2)."""
_CHANNELS = {"verbal": 55, "nonverbal": 18, "both": 27}
_SAME_ATTRIBUTES, _SAME_CHANNEL = 0.5, 0.8
_ROOM = 1.25
"""How much longer than a moment the stretch is that those who mark it share, since they begin and end apart."""
_MINUTE = 60_000_000
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class SyntheticRecording:
    """An invented recording and who is in it, each with id and pseudonym."""

    id: str
    duration_us: int
    robot: tuple[str, str]
    users: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SyntheticSegment:
    """One annotator's segment of a moment."""

    id: str
    annotator_id: str
    verdict: str
    attributes: tuple[str, ...]
    channel: str
    start_us: int
    end_us: int

    @property
    def content(self) -> tuple[object, ...]:
        """What a review compares."""
        return self.verdict, self.attributes, self.channel


@dataclass(frozen=True, slots=True)
class SyntheticEvent:
    """What one or more annotators marked.

    Attributes:
        verdict: of the first who marked it.
        scene: what happens; None where nothing does (the verdict is `none`).
        slots: what the texts of the scene are filled with.
        start_us: of what all of them share, on the recording's axis.
        end_us: of what all of them share.
    """

    home: SyntheticRecording
    verdict: str
    scene: SceneTemplate | None
    slots: dict[str, str]
    start_us: int
    end_us: int
    marks: tuple[SyntheticSegment, ...]


def fill_study(
    study: Study,
    recordings: int = 403,
    segments: int = 10353,
    annotators: int = 2,
    seed: int = 0,
    progress: Progress | None = None,
) -> None:
    """Fill an empty study with invented recordings, people and segments; there are no media files.

    The same arguments give the same content and ids. It is one transaction outside the history: nobody did this edit by
    edit, and undoing it would mean throwing the file away.

    Raises:
        Cancelled: the user stopped it; the study is still empty.
    """
    require_empty(study, recordings, segments, annotators)
    progress = progress or Silent()
    with study.without_history():
        marking = SyntheticStudyWriter(study, recordings, annotators, seed)
        for done in marking.segments(segments):
            progress.check_cancelled()
            progress.progress(done, segments, "Inventing segments")


def require_empty(study: Study, recordings: int, segments: int, annotators: int) -> None:
    """Raise what `fill_study` raises before it begins."""
    if recordings < 0 or segments < 0 or annotators < 1 or (segments and not recordings):
        raise UserError("A study with segments needs a recording and an annotator.", "Give at least one of each.")
    if study.row("SELECT 1 FROM recording UNION ALL SELECT 1 FROM annotator LIMIT 1"):
        raise UserError("This study is not empty.", "Make a new study for synthetic content.")


class SyntheticStudyWriter:
    """Writes people, recordings and annotators, then segments, inside a transaction.

    Attributes:
        homes: the recordings.
        annotators: their ids.
    """

    def __init__(self, study: Study, recordings: int, annotators: int, seed: int) -> None:
        self._study = study
        self._chance = random.Random(seed)
        self._scheme: Scheme = load_scheme("shrec")
        self._order = {
            field_choice.key: place for place, field_choice in enumerate(self._scheme.field("attributes").choices)
        }
        self._new_id = InventedIds(self._chance).new
        self.homes = self._recordings(recordings, self._people())
        self.annotators = self._annotators(annotators)

    def segments(
        self, number: int, told: Callable[[SyntheticRecording, Sequence[SyntheticEvent]], None] | None = None
    ) -> Iterator[int]:
        """Write the segments of all annotators recording by recording, and yield how many are written.

        Args:
            number: how many.
            told: given each recording with its moments, by time, once its segments are written.
        """
        rows: list[tuple[Cell, ...]] = []
        values: list[tuple[Cell, ...]] = []
        done = 0
        insert_version(self._study, self._scheme.key, self._scheme.version, shipped_text(self._scheme.key))
        for home, share in zip(self.homes, _shares(number, self.homes), strict=True):
            moments = self._moments(home, share)
            for moment in moments:
                for mark in moment.marks:
                    spot = mark.annotator_id, self._scheme.key, "segments", mark.verdict, mark.start_us, mark.end_us
                    rows.append((mark.id, home.id, *spot))
                    written = self._filled(moment, mark)
                    values += [(mark.id, self._scheme.key, self._scheme.version, *pair) for pair in written]
                    if len(rows) == _BATCH:
                        done += self._write(rows, values)
                        yield done
            if told is not None:
                done += self._write(rows, values)
                told(home, moments)
        yield done + self._write(rows, values)

    def _people(self) -> list[tuple[str, str]]:
        rows = [(self._new_id(), f"P{number:02}", ParticipantRole.USER.value, "") for number in range(1, _PEOPLE + 1)]
        self._study.write_many("INSERT INTO participant VALUES (?, ?, ?, ?)", rows)
        consent: list[tuple[Cell, ...]] = []
        for person, *_ in rows:
            willing = self._chance.random()
            granted = {
                ConsentUse.ANNOTATE: 1,
                ConsentUse.RELEASE: int(willing < 0.8),
                ConsentUse.MODELS: int(willing < 0.6),
            }
            consent += [(person, use.value, given) for use, given in granted.items()]
        self._study.write_many("INSERT INTO consent VALUES (?, ?, ?)", consent)
        return [row[:2] for row in rows]

    def _recordings(self, number: int, people: list[tuple[str, str]]) -> list[SyntheticRecording]:
        collections: list[tuple[Cell, ...]] = []
        robots: list[tuple[str, str]] = []
        for agent in PHRASES["agents"][: max(1, number)]:
            collections.append((self._new_id(), agent["name"], agent["context"]))
            robots.append((self._new_id(), agent["name"]))
        self._study.write_many("INSERT INTO collection VALUES (?, ?, ?)", collections)
        self._study.write_many(
            "INSERT INTO participant VALUES (?, ?, ?, ?)",
            [(*robot, ParticipantRole.ROBOT.value, "Invented") for robot in robots],
        )
        rows: list[tuple[Cell, ...]] = []
        made: list[SyntheticRecording] = []
        for place in range(number):
            group = place * len(collections) // number
            duration = int(_MINUTE * min(30.0, max(1.0, self._chance.lognormvariate(2.03, 0.5))))
            recording = self._new_id()
            name = f"{self._chance.choice(PHRASES['places'])} {place + 1:03}"
            rows.append((recording, collections[group][0], place + 1, name, duration))
            users = self._chance.sample(people, self._chance.choice((1, 1, 1, 2)))
            made.append(SyntheticRecording(recording, duration, robots[group], tuple(users)))
        self._study.write_many("INSERT INTO recording VALUES (?, ?, ?, ?, ?)", rows)
        there = [(home.id, who) for home in made for who, _ in (home.robot, *home.users)]
        self._study.write_many("INSERT INTO appearance VALUES (?, ?)", there)
        return made

    def _annotators(self, number: int) -> list[str]:
        rows = [(self._new_id(), f"Annotator {place + 1}", "person") for place in range(number)]
        self._study.write_many("INSERT INTO annotator VALUES (?, ?, ?)", rows)
        return [row[0] for row in rows]

    def _moments(self, home: SyntheticRecording, number: int) -> list[SyntheticEvent]:
        """Return the moments of a recording, one after the other, marked `number` times in all."""
        groups = self._groups(number)
        lengths = [min(60e6, max(5e5, self._chance.lognormvariate(15.9, 0.6))) for _ in groups]
        taken = _ROOM * sum(lengths)
        if taken > home.duration_us:
            lengths = [max(8.0, length * home.duration_us / taken / _ROOM) for length in lengths]
        free = max(0.0, home.duration_us - _ROOM * sum(lengths))
        gaps = [self._chance.expovariate(1) for _ in range(len(groups) + 1)]
        found, at = [], 0.0
        for who, length, gap in zip(groups, lengths, gaps[1:], strict=True):
            at += free * gap / sum(gaps)
            begin = min(int(at), home.duration_us - int(_ROOM * length) - 1)
            found.append(self._moment(home, who, max(0, begin), int(length)))
            at += _ROOM * length
        return found

    def _groups(self, number: int) -> list[list[str]]:
        groups: list[list[str]] = []
        for place in range(number):
            who = place % len(self.annotators)
            if who == 0 or self._chance.random() > _OVERLAPPING:
                groups.append([])
            groups[-1].append(self.annotators[who])
        return groups

    def _moment(self, home: SyntheticRecording, annotators: list[str], begin_us: int, length_us: int) -> SyntheticEvent:
        chance = self._chance
        verdict = self._verdict()
        verdicts = [verdict, *(self._second(verdict) for _ in annotators[1:])]
        slots = draw_slots(chance)
        about = self._drawn(_MAINLY["error" if verdict == "none" else verdict])
        scene = None if verdict == "none" else chance.choice(SCENES[verdict][about])
        counts = _COUNTS if len({*verdicts}) == 1 else _COUNTS_DISPUTED
        attributes, channel = self._attributes(about, counts), self._drawn(_CHANNELS)
        slack = int(length_us * (_ROOM - 1))
        marks: list[SyntheticSegment] = []
        for who, said in zip(annotators, verdicts, strict=True):
            start = begin_us + chance.randrange(slack + 1)
            if marks and said == verdict and chance.random() > _SAME_ATTRIBUTES:
                attributes = self._attributes(about, counts, attributes)
            elif said != verdict:
                attributes = self._attributes(about, counts)
            if marks and chance.random() > _SAME_CHANNEL:
                channel = self._drawn(_CHANNELS)
            span = start, min(start + max(1, length_us), home.duration_us)
            marks.append(SyntheticSegment(self._new_id(), who, said, attributes, channel, *span))
        start, end = max(mark.start_us for mark in marks), min(mark.end_us for mark in marks)
        return SyntheticEvent(home, verdict, scene, slots, start, end, tuple(marks))

    def _verdict(self) -> str:
        drawn = self._chance.random()
        return "competence" if drawn < _COMPETENT else "error" if drawn < _COMPETENT + _WRONG else "none"

    def _second(self, verdict: str) -> str:
        """Return what somebody else says of the same moment."""
        if self._chance.random() < _AGREEING:
            return verdict
        return {"competence": "error", "error": "competence"}.get(verdict, "error")

    def _drawn(self, weights: dict[str, int]) -> str:
        return self._chance.choices([*weights], [*weights.values()])[0]

    def _attributes(self, about: str, counts: tuple[float, ...], kept: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return attributes in the scheme's order: what it is mainly about, half of those that are kept, and others."""
        count = self._chance.choices(range(1, len(counts) + 1), counts)[0]
        found = {about} | {text for text in kept if self._chance.random() < 0.5}
        while len(found) < count:
            found.add(self._drawn({key: weight for key, weight in _ALSO.items() if key not in found}))
        return tuple(sorted(found, key=self._order.__getitem__))

    def _filled(self, moment: SyntheticEvent, segment: SyntheticSegment) -> Iterator[tuple[str, str]]:
        if segment.verdict == "none":
            return
        chance = self._chance
        yield "attributes", to_json([*segment.attributes])
        yield "channel", to_json(segment.channel)
        scene = moment.scene
        if scene is None or segment.verdict != moment.verdict:
            scene = chance.choice(SCENES[segment.verdict][chance.choice(segment.attributes)])
        yield "rationale", to_json(chance.choice(PHRASES["why_forms"]).format(scene.why.format(**moment.slots)))
        if segment.verdict == "error":
            yield "correction", to_json(chance.choice(PHRASES["fix_forms"]).format(scene.fix.format(**moment.slots)))

    def _write(self, rows: list[tuple[Cell, ...]], values: list[tuple[Cell, ...]]) -> int:
        self._study.write_many("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._study.write_many("INSERT INTO segment_value VALUES (?, ?, ?, ?, ?)", values)
        written = len(rows)
        rows.clear()
        values.clear()
        return written


def _shares(number: int, homes: Sequence[SyntheticRecording]) -> list[int]:
    """Return how many segments each recording gets: more for longer ones, `number` in all."""
    if not homes:
        return []
    weights = [home.duration_us for home in homes]
    shares = [number * weight // sum(weights) for weight in weights]
    for place in range(number - sum(shares)):
        shares[place % len(shares)] += 1
    return shares


_INSERT_REVIEW = "INSERT INTO review VALUES (?, ?, ?, '', ?)"
_APPROVED = 0.9
"""How many of the segments that only one annotator made another agrees with."""
REVIEW_TIME = "2025-01-02T09:00:00.000Z"
"""When everything was said in an invented study."""


class Reviews:
    """Writes the reviews of one recording after the other."""

    def __init__(self, study: Study, annotators: Sequence[str], seed: int) -> None:
        self._study = study
        self._annotators = annotators
        self._chance = random.Random(f"{seed} reviews")
        self.written = 0
        """How many reviews there are."""

    def write(self, moments: Sequence[SyntheticEvent]) -> None:
        """Write the reviews of a recording's segments."""
        rows = [row for moment in moments for row in self._of(moment)]
        self._study.write_many(_INSERT_REVIEW, rows)
        self.written += len(rows)

    def _of(self, moment: SyntheticEvent) -> Iterator[tuple[Cell, ...]]:
        marks = moment.marks
        if len(marks) == 1:
            others = [annotator for annotator in self._annotators if annotator != marks[0].annotator_id]
            if others:
                agrees = self._chance.random() < _APPROVED
                yield _row(marks[0], self._chance.choice(others), agrees=agrees)
            return
        for mark in marks:
            for other in marks:
                if mark is not other and mark.content != other.content:
                    yield _row(mark, other.annotator_id, agrees=mark.verdict == other.verdict)


def _row(segment: SyntheticSegment, reviewer_id: str, *, agrees: bool) -> tuple[Cell, ...]:
    return segment.id, reviewer_id, "agree" if agrees else "disagree", REVIEW_TIME


_INSERT_UTTERANCE = "INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 0)"
_REACTS = 0.45
_LINE_US, _PAUSE_US = 2_200_000, 300_000
_PAIR_US = 2 * (_LINE_US + _PAUSE_US)
_MOST_PAIRS = 2
"""Pairs of turns between two moments at most."""
_SHORTEST_US = 10


class SyntheticTranscriptWriter:
    """Writes the transcript of one recording after the other."""

    def __init__(self, study: Study, seed: int) -> None:
        self._study = study
        self._chance = random.Random(f"{seed} talk")
        self._new_id = InventedIds(self._chance).new
        self.lines = 0
        """How many utterances are written."""

    def write(self, home: SyntheticRecording, moments: Sequence[SyntheticEvent]) -> None:
        """Write what is said in a recording; no two utterances overlap."""
        rows: list[tuple[Cell, ...]] = []
        for at, moment in enumerate(moments):
            before = moments[at - 1].end_us if at else 0
            first = min(mark.start_us for mark in moment.marks)
            rows += self._between(home, before, first)
            user, _ = self._chance.choice(home.users)
            rows += self._inside(home, moment, user)
        last = moments[-1].end_us if moments else 0
        rows += self._between(home, last, home.duration_us)
        self._study.write_many(_INSERT_UTTERANCE, rows)
        self.lines += len(rows)

    def _inside(self, home: SyntheticRecording, moment: SyntheticEvent, user: str) -> Iterator[tuple[Cell, ...]]:
        """Yield the person's words, the agent's answer and, at times, what the person makes of it, in this order."""
        said, answered = self._words(moment)
        length = moment.end_us - moment.start_us
        if length < _SHORTEST_US:
            return
        cuts = [moment.start_us + length * part // 10 for part in (1, 5, 8, 10)]
        yield self._row(home, user, said, cuts[0], cuts[1])
        yield self._row(home, home.robot[0], answered, cuts[1], cuts[2])
        if self._chance.random() < _REACTS:
            reaction = self._chance.choice(PHRASES["reactions"][moment.verdict]).format(**moment.slots)
            yield self._row(home, user, reaction, cuts[2], cuts[3])

    def _words(self, moment: SyntheticEvent) -> tuple[str, str]:
        if moment.scene is None:
            neutral = self._chance.choice(PHRASES["neutral"])
            said, answered = neutral["user"], neutral["agent"]
        else:
            said, answered = moment.scene.user, moment.scene.agent
        return said.format(**moment.slots), answered.format(**moment.slots)

    def _between(self, home: SyntheticRecording, start_us: int, end_us: int) -> Iterator[tuple[Cell, ...]]:
        chance = self._chance
        at = start_us + _PAUSE_US
        for _ in range(min(_MOST_PAIRS, (end_us - at) // (2 * _PAIR_US))):
            neutral = chance.choice(PHRASES["neutral"])
            slots = draw_slots(chance)
            user, _ = chance.choice(home.users)
            yield self._row(home, user, neutral["user"].format(**slots), at, at + _LINE_US)
            at += _LINE_US + _PAUSE_US
            yield self._row(home, home.robot[0], neutral["agent"].format(**slots), at, at + _LINE_US)
            at += _LINE_US + 2 * _PAUSE_US

    def _row(self, home: SyntheticRecording, who: str, text: str, start_us: int, end_us: int) -> tuple[Cell, ...]:
        return self._new_id(), home.id, who, start_us, end_us, text[0].upper() + text[1:]
