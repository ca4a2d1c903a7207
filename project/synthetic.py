"""Invents a study of any size, for trying the program without footage and for measuring it.

The proportions are those that the SHREC paper reports: minutes a recording, verdicts, attributes a segment, and how
often two annotators mark the same moment and agree on it.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from project.errors import UserError
from project.invented_ids import InventedIds
from project.json_text import to_json
from project.progress import Progress, Silent
from project.queries.schemes import insert_version
from project.schemes.loader import load_scheme, shipped_text
from project.schemes.scheme import Scheme
from project.store import Cell, Study
from project.types import ConsentUse, ParticipantRole
from project.words import AGENTS, CORRECTIONS, PLACES, RATIONALES

_PEOPLE = 58
_OVERLAPPING = 0.851
_AGREEING = 0.913
_COMPETENT, _WRONG = 0.56, 0.43
_ATTRIBUTES = ((1, 2, 3, 4, 5), (0.17, 0.32, 0.30, 0.15, 0.06))
_CHANNELS = ("verbal", "nonverbal", "both")
_MINUTE = 60_000_000
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class _Recording:
    id: str
    duration_us: int


def fill(
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
        UserError: the study is not empty, or a number makes no sense.
        Cancelled: the user stopped it; the study is still empty.
    """
    if recordings < 0 or segments < 0 or annotators < 1 or (segments and not recordings):
        raise UserError("These numbers make no study.", "Segments need at least one recording and one annotator.")
    if study.row("SELECT 1 FROM recording UNION ALL SELECT 1 FROM annotator LIMIT 1"):
        raise UserError("This study is not empty.", "Make a new one for invented content.")
    progress = progress or Silent()
    make = _Maker(study, random.Random(seed))
    with study.without_history():
        people = make.people()
        marked = make.recordings(recordings, people)
        names = make.annotators(annotators)
        for done in make.segments(segments, marked, names):
            progress.check_cancelled()
            progress.progress(done, segments, "Inventing segments")


class _Maker:
    def __init__(self, study: Study, chance: random.Random) -> None:
        self._study = study
        self._chance = chance
        self._scheme: Scheme = load_scheme("shrec")
        self._ids = InventedIds(chance)

    def people(self) -> list[str]:
        rows = [(self._id(), f"P{number:02}", ParticipantRole.USER.value, "") for number in range(1, _PEOPLE + 1)]
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
        return [row[0] for row in rows]

    def recordings(self, number: int, people: list[str]) -> list[_Recording]:
        collections: list[tuple[Cell, ...]] = []
        robots: list[tuple[Cell, ...]] = []
        for name, context in AGENTS[: max(1, min(number, len(AGENTS)))]:
            collections.append((self._id(), name, context))
            robots.append((self._id(), name, ParticipantRole.ROBOT.value, "Invented"))
        self._study.write_many("INSERT INTO collection VALUES (?, ?, ?)", collections)
        self._study.write_many("INSERT INTO participant VALUES (?, ?, ?, ?)", robots)
        rows: list[tuple[Cell, ...]] = []
        appearances: list[tuple[Cell, ...]] = []
        made: list[_Recording] = []
        for place in range(number):
            group = place * len(collections) // number
            duration = int(_MINUTE * min(30.0, max(1.0, self._chance.lognormvariate(2.03, 0.5))))
            made.append(_Recording(self._id(), duration))
            name = f"{self._chance.choice(PLACES)} {place + 1:03}"
            rows.append((made[-1].id, collections[group][0], place + 1, name, duration))
            users = self._chance.sample(people, self._chance.choice((1, 1, 1, 2)))
            appearances += [(made[-1].id, who) for who in (robots[group][0], *users)]
        self._study.write_many("INSERT INTO recording VALUES (?, ?, ?, ?, ?)", rows)
        self._study.write_many("INSERT INTO appearance VALUES (?, ?)", appearances)
        return made

    def annotators(self, number: int) -> list[str]:
        rows = [(self._id(), f"Annotator {place + 1}", "person") for place in range(number)]
        self._study.write_many("INSERT INTO annotator VALUES (?, ?, ?)", rows)
        return [row[0] for row in rows]

    def segments(self, number: int, marked: list[_Recording], annotators: list[str]) -> Iterator[int]:
        """Write the segments recording by recording, and yield how many are written."""
        shares = self._shares(number, marked)
        rows: list[tuple[Cell, ...]] = []
        values: list[tuple[Cell, ...]] = []
        done = 0
        insert_version(self._study, self._scheme.key, self._scheme.version, shipped_text(self._scheme.key))
        for recording, share in zip(marked, shares, strict=True):
            for row, filled in self._marked(recording, share, annotators):
                rows.append(row)
                values += filled
                if len(rows) == _BATCH:
                    done += self._write(rows, values)
                    yield done
        yield done + self._write(rows, values)

    def _shares(self, number: int, marked: list[_Recording]) -> list[int]:
        """Return how many segments each recording gets: more for longer ones, `number` in all."""
        if not marked:
            return []
        weights = [recording.duration_us for recording in marked]
        shares = [number * weight // sum(weights) for weight in weights]
        for place in range(number - sum(shares)):
            shares[place % len(shares)] += 1
        return shares

    def _marked(
        self, recording: _Recording, number: int, annotators: list[str]
    ) -> Iterator[tuple[tuple[Cell, ...], list[tuple[Cell, ...]]]]:
        chance = self._chance
        start, length, verdict = 0, 0, ""
        for place in range(number):
            who = place % len(annotators)
            if who == 0 or chance.random() > _OVERLAPPING:
                length = int(min(60e6, max(5e5, chance.lognormvariate(15.9, 0.6)), recording.duration_us / 2))
                start = chance.randrange(recording.duration_us - length)
                verdict = self._verdict()
            elif chance.random() > _AGREEING:
                verdict = self._verdict()
            shift = chance.randrange(-length // 8, length // 8 + 1)
            begin = max(0, min(start + shift, recording.duration_us - length))
            segment = self._id()
            row = (segment, recording.id, annotators[who], self._scheme.key, "segments", verdict, begin, begin + length)
            yield (
                row,
                [
                    (segment, self._scheme.key, self._scheme.version, field, value)
                    for field, value in self._filled(verdict)
                ],
            )

    def _verdict(self) -> str:
        drawn = self._chance.random()
        return "competence" if drawn < _COMPETENT else "error" if drawn < _COMPETENT + _WRONG else "none"

    def _filled(self, verdict: str) -> Iterator[tuple[str, str]]:
        if verdict == "none":
            return
        chance = self._chance
        choices = self._scheme.field("attributes").choices
        count = chance.choices(*_ATTRIBUTES)[0]
        chosen = sorted(chance.sample(range(len(choices)), count))
        yield "attributes", to_json([choices[place].key for place in chosen])
        yield "channel", to_json(chance.choice(_CHANNELS))
        about = choices[chosen[0]].key
        yield "rationale", to_json(chance.choice(RATIONALES[verdict][about]))
        if verdict == "error":
            yield "correction", to_json(chance.choice(CORRECTIONS))

    def _write(self, rows: list[tuple[Cell, ...]], values: list[tuple[Cell, ...]]) -> int:
        self._study.write_many("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._study.write_many("INSERT INTO segment_value VALUES (?, ?, ?, ?, ?)", values)
        written = len(rows)
        rows.clear()
        values.clear()
        return written

    def _id(self) -> str:
        return self._ids.new()
