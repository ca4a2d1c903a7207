"""Generates rated statements about stretches of synthetic recordings, distributed as in SocialNLI.

Twenty statements a dialogue of some 25 turns (section 3.4 and appendix B), their classes as in the evaluation set
(appendix A.2), their plausibility 0.863 on average with a standard deviation of 0.172 (section 3.3).
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from project.entities.study_records import Json
from project.queries.study_schemes import insert_version
from project.schemes.scheme_file import load_scheme, shipped_text
from project.store.column_values import to_json
from project.store.study import Cell, Study
from project.synthetic.synthetic_phrases import FEELINGS, InventedIds
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


@dataclass(frozen=True, slots=True)
class _Form:
    """How a statement is put; the slots are those of scenes, `{who}`, `{feeling}` and `{other}`.

    Attributes:
        holds: after moments of which verdicts it is plausible; after the others it is not.
        because: what people say who find it plausible.
        against: what people say who do not.
    """

    text: str
    holds: tuple[str, ...]
    because: str
    against: str


_BOTH = ("error", "competence")
_FORMS = {
    "reality": (
        _Form(
            "{who} has had to do with {topic} {when}.",
            _BOTH,
            "{who} speaks of {topic} {when} in so many words.",
            "Somebody else brings up {topic}.",
        ),
        _Form(
            "The agent has {activity} planned when {who} mentions {topic}.",
            _BOTH,
            "The agent comes to {activity} right after {topic}.",
            "Nobody mentions {activity}.",
        ),
        _Form(
            "{who} and the agent have never spoken of {topic} nor of {activity}.",
            (),
            "They would have said so.",
            "They do speak of {topic}, {when}, and of {activity}.",
        ),
    ),
    "belief": (
        _Form(
            "{who} thinks that the agent has listened to what was said about {topic}.",
            ("competence",),
            "The answer takes up {topic} before {activity}.",
            "The agent goes past {topic}, and {who} cannot miss that.",
        ),
        _Form(
            "{who} thinks that the agent cares more for {activity} than for {topic}.",
            ("error",),
            "The agent insists on {activity}.",
            "The agent puts {activity} behind {topic}.",
        ),
        _Form(
            "{who} knows that {activity} comes next, whatever becomes of {topic}.",
            _BOTH,
            "The agent has announced {activity}.",
            "Nothing is said about what comes next.",
        ),
    ),
    "emotion": (
        _Form(
            "{who} is {feeling} after what the agent says about {topic}.",
            _BOTH,
            "Anybody would be {feeling} to hear that about {topic}.",
            "The answer gives no reason to be {feeling}.",
        ),
        _Form(
            "{who} is {other} because the agent speaks of {activity}.",
            (),
            "The voice sounds {other}.",
            "What is said about {activity} rather leaves {who} {feeling}.",
        ),
    ),
}


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
            forms = [form for form in _FORMS[label] if (moment.verdict in form.holds) is holding]
            if not forms:
                continue
            form = self._chance.choice(forms)
            slots = {**moment.slots, "who": who, **self._feelings(moment)}
            text = form.text.format(**slots)
            if text not in seen:
                seen.add(text)
                yield label, text, holding, (form.because if holding else form.against).format(**slots)

    def _feelings(self, moment: SyntheticEvent) -> dict[str, str]:
        opposite = "competence" if moment.verdict == "error" else "error"
        return {
            "feeling": self._chance.choice(FEELINGS[moment.verdict]),
            "other": self._chance.choice(FEELINGS[opposite]),
        }

    def _plausibility(self, *, holds: bool) -> int:
        if holds:
            return 5 * round(20 * self._chance.betavariate(11, 1.4))
        return 5 * round(20 * self._chance.betavariate(2, 3.5))
