"""Generates rated statements about stretches of synthetic recordings, distributed as in SocialNLI.

Twenty statements a dialogue of some 25 turns (section 3.4 and appendix B), their classes as in the evaluation set
(appendix A.2), their plausibility 0.863 on average with a standard deviation of 0.172 (section 3.3).
"""

import random
from collections.abc import Iterator, Sequence

from project.entities.study_records import Json
from project.queries.study_schemes import insert_version
from project.schemes.scheme_file import load_scheme, shipped_text
from project.store.column_values import to_json
from project.store.study import Cell, Study
from project.synthetic.synthetic_phrases import PHRASES, InventedIds
from project.synthetic.synthetic_segments import SyntheticEvent, SyntheticRecording

SCHEME, TRACK = "socialnli", "inferences"
STATEMENTS_PER_DIALOGUE = 20
RECORDINGS_PER_DIALOGUE = 5
"""One recording in so many has statements: 81 of 403, as 70 of SocialNLI's dialogues are rated by people."""
_MOMENTS = 6
_CLASSES = {"reality": 4000, "emotion": 2936, "belief": 3064}
_TRUE = 0.94
_TWICE = 0.25
"""How many statements a second person rates too."""


class Statements:
    """Writes the statements of one recording after the other."""

    def __init__(self, study: Study, annotators: Sequence[str], seed: int) -> None:
        self._study = study
        self._annotators = annotators
        self._chance = random.Random(f"{seed} statements")
        self._new_id = InventedIds(self._chance).new
        self._version = load_scheme(SCHEME).version
        self.written = 0
        """How many statements there are; some are rated twice."""

    def write(self, home: SyntheticRecording, moments: Sequence[SyntheticEvent]) -> None:
        """Write the statements about one stretch of a recording."""
        told = [moment for moment in moments if moment.scene is not None]
        if not told:
            return
        first = self._chance.randrange(max(1, len(told) - _MOMENTS + 1))
        told = told[first : first + _MOMENTS]
        span = (
            min(segment.start_us for event in told for segment in event.marks),
            max(segment.end_us for event in told for segment in event.marks),
        )
        rows: list[tuple[Cell, ...]] = []
        values: list[tuple[Cell, ...]] = []
        for label, text, holds, because in self._drawn(home, told):
            raters = self._chance.sample(
                self._annotators, 2 if len(self._annotators) > 1 and self._chance.random() < _TWICE else 1
            )
            middle = self._plausibility(holds=holds)
            for rater in raters:
                segment = self._new_id()
                plausibility = min(100, max(0, middle + self._chance.choice((-10, -5, 0, 0, 0, 5, 10))))
                rows.append((segment, home.id, rater, SCHEME, TRACK, label, *span))
                filled: dict[str, Json] = {"statement": text, "plausibility": plausibility, "explanation": because}
                values += [(segment, SCHEME, self._version, key, to_json(value)) for key, value in filled.items()]
            self.written += 1
        if not self._study.row("SELECT 1 FROM scheme_version WHERE key = ?", (SCHEME,)):
            insert_version(self._study, SCHEME, self._version, shipped_text(SCHEME))
        self._study.write_many("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._study.write_many("INSERT INTO segment_value VALUES (?, ?, ?, ?, ?)", values)

    def _drawn(self, home: SyntheticRecording, told: Sequence[SyntheticEvent]) -> Iterator[tuple[str, str, bool, str]]:
        """Yield class, statement, whether it is plausible and why; no two statements are alike."""
        seen: set[str] = set()
        who = self._chance.choice(home.users)[1]
        for _ in range(4 * STATEMENTS_PER_DIALOGUE):
            if len(seen) == STATEMENTS_PER_DIALOGUE:
                return
            moment = self._chance.choice(told)
            label = self._chance.choices([*_CLASSES], [*_CLASSES.values()])[0]
            holding = self._chance.random() < _TRUE
            forms = [form for form in PHRASES["statements"][label] if (moment.verdict in form["holds"]) is holding]
            if not forms:
                continue
            form = self._chance.choice(forms)
            slots = {**moment.slots, "who": who, **self._feelings(moment)}
            text = form["text"].format(**slots)
            if text not in seen:
                seen.add(text)
                yield label, text, holding, form["because" if holding else "against"].format(**slots)

    def _feelings(self, moment: SyntheticEvent) -> dict[str, str]:
        opposite = "competence" if moment.verdict == "error" else "error"
        return {
            "feeling": self._chance.choice(PHRASES["feelings"][moment.verdict]),
            "other": self._chance.choice(PHRASES["feelings"][opposite]),
        }

    def _plausibility(self, *, holds: bool) -> int:
        if holds:
            return 5 * round(20 * self._chance.betavariate(11, 1.4))
        return 5 * round(20 * self._chance.betavariate(2, 3.5))
