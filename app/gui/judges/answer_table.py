"""Arranges the answers of judges and people about a segment in columns, part by part, and marks where they differ."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.blinding.own_answers import LABEL, SegmentAnswer, answer_of_judgment, answer_of_segment, judge_name
from annotate.review.peer_review import segment_iou
from app.gui.judges.answer_columns import (
    Cell,
    Chips,
    ChoiceChip,
    ColumnPairPosition,
    JudgmentColumn,
    JudgmentColumnState,
    JudgmentTable,
    LabelCell,
    RowHead,
    TextCell,
)
from models.judges.judge_interface import RepairLevel
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry, Judgment, JudgmentStatus
from project.entities.study_records import Json, Segment
from project.queries.annotator_rows import annotator_names
from project.queries.recording_rows import pseudonyms
from project.queries.segment_rows import segments_of, values_of
from project.queries.transcript_rows import last_edit_time
from project.schemes.scheme import CHOICE_KINDS, Field, FieldKind, Scheme, Track
from project.session.session import Session
from project.text_format import format_percent
from resources.translation import tr
from widgets.labels import label_looks, unknown_look

_MAX_NAME_CHARS = 40
_REASON_SUFFIX = "_reason"
"""What a rating's reason is called, after the rating; outside a scheme of ratings the two are one row."""


class AnswerComparison:
    """All answers about one segment.

    Attributes:
        people: by the key of a column, who says it; the others are judges.
    """

    def __init__(
        self,
        scheme: Scheme | None,
        track: str,
        said: Mapping[str, SegmentAnswer],
        people: Mapping[str, str],
        participants: Mapping[str, str],
    ) -> None:
        self._track = scheme.track_or_empty(track) if scheme is not None else Track(track, track, ())
        self._fields = {field.key: field for field in scheme.fields_of(track)} if scheme is not None else {}
        self._said = said
        self._people = people
        self._participants = participants

    def parts(self) -> list[str]:
        """Return which parts there are: the label, the fields of the scheme in its order, then whatever else."""
        there = [key for said in self._said.values() for key in said.parts if said.part_value(key) is not None]
        ordered = [LABEL, *(key for key in self._fields if key in there)]
        rest = [key for key in dict.fromkeys(there) if key not in ordered]
        return [
            *ordered,
            *(key for key in rest if key.removesuffix(_REASON_SUFFIX) not in rest or not key.endswith(_REASON_SUFFIX)),
        ]

    def rows(self) -> tuple[RowHead, ...]:
        """Return the rows of the table."""
        return tuple(RowHead(part, self._part_name(part), self._row_differs(part)) for part in self.parts())

    def cells(self, column: str) -> dict[str, Cell]:
        """Return what one column says, by row."""
        return {part: self._cell(column, part) for part in self.parts()}

    def text_rows(self, column: str) -> frozenset[str]:
        """Return the rows in which a column has free text for a field of the form."""
        return frozenset(
            key
            for key, field in self._fields.items()
            if field.kind is FieldKind.TEXT and self._said[column].part_value(key) is not None
        )

    def _part_name(self, part: str) -> str:
        if part == LABEL:
            return tr("Verdict")
        field = self._fields.get(part)
        return field.name if field is not None else part.replace("_", " ").capitalize()

    def _cell(self, column: str, part: str) -> Cell:
        if part == LABEL:
            return self._verdict(column)
        value = self._said[column].part_value(part)
        field = self._fields.get(part)
        if isinstance(value, list) and (field is None or field.kind is FieldKind.CHOICES):
            return self._chips(part, value)
        if value is None:
            empty = field is not None and field.kind is FieldKind.CHOICES and part in self._said[column].parts
            return Chips(()) if empty else None
        reason = None if field is not None else self._said[column].part_value(part + _REASON_SUFFIX)
        own = self._value_text(field, value)
        words = own if reason is None else f"{own}\n{reason}"
        return TextCell(words, self._is_comparable(field, value) and own not in self._most_common(field, part))

    def _verdict(self, column: str) -> Cell:
        label = self._said[column].label
        if not label:
            return None
        looks = {label_look.key: label_look for label_look in label_looks(self._track)}
        look = looks.get(label) or unknown_look(label[:_MAX_NAME_CHARS])
        if column in self._people:
            return LabelCell(look)
        theirs = {name: self._said[key].label for key, name in self._people.items() if self._said[key].label}
        agrees = tuple(name for name, text in theirs.items() if text == label)
        return LabelCell(look, agrees, tuple(name for name in theirs if name not in agrees))

    def _chips(self, part: str, value: Sequence[Json]) -> Chips:
        names = {choice.key: choice.name for choice in self._fields[part].choices} if part in self._fields else {}
        order = list(names)
        chosen = sorted(
            (str(choice) for choice in value),
            key=lambda choice: (order.index(choice) if choice in order else 99, choice),
        )
        every = self._choice_sets(part, self._people) or self._choice_sets(part)
        half = len(every) / 2
        return Chips(
            tuple(
                ChoiceChip(names.get(choice, choice), sum(choice in found for found in every) >= half)
                for choice in chosen
            )
        )

    def _choice_sets(self, part: str, columns: Collection[str] = ()) -> list[set[str]]:
        """Return the choices of every column that says something about a part; of none at all counts too."""
        found = []
        for key in columns or self._said:
            value = self._said[key].parts.get(part)
            if isinstance(value, list):
                found.append({str(choice) for choice in value})
        return found

    def _most_common(self, field: Field | None, part: str) -> set[str]:
        """Return what is said most often about a part: by people, or by everybody where no person says anything."""
        for columns in (self._people, self._said):
            values = [value for key in columns if (value := self._said[key].part_value(part)) is not None]
            counted = Counter(self._value_text(field, value) for value in values)
            if counted:
                return {words for words, count in counted.items() if count == max(counted.values())}
        return set()

    def _row_differs(self, part: str) -> bool:
        field = self._fields.get(part)
        values = [value for said in self._said.values() if (value := said.part_value(part)) is not None]
        if field is not None and field.kind is FieldKind.CHOICES:
            return len({frozenset(choices) for choices in self._choice_sets(part)}) > 1
        kept = [value for value in values if part == LABEL or self._is_comparable(field, value)]
        return len({self._value_text(field, value) for value in kept}) > 1

    def _is_comparable(self, field: Field | None, value: Json) -> bool:
        if field is not None:
            return field.kind is not FieldKind.TEXT
        return isinstance(value, int | float)

    def _value_text(self, field: Field | None, value: Json) -> str:
        if field is not None and field.kind in CHOICE_KINDS:
            return {choice.key: choice.name for choice in field.choices}.get(str(value), str(value))
        if field is not None and field.kind is FieldKind.PARTICIPANT:
            return self._participants.get(str(value), str(value))
        return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


_REPAIR_LABELS = {
    RepairLevel.FOUND: tr("Found in other words"),
    RepairLevel.REPAIRED: tr("Repaired by asking once more"),
    RepairLevel.COERCED: tr("Brought into form by a second model"),
}


def judgment_facts(judgment: Judgment, about: Segment, edited: str = "") -> tuple[str, ...]:
    """Return time, tokens, cost, and what is worth knowing about an answer.

    Args:
        judgment: the answer.
        about: the segment as it is now.
        edited: when its words were edited last, as `last_edit_time` returns it.
    """
    cached = judgment.cached_from is not None
    said = [tr("Cached: not asked again")] if cached else [f"{judgment.ms / 1000:.1f} s"]
    if not cached and (judgment.tokens_in is not None or judgment.tokens_out is not None):
        said.append(
            tr("{tokens_in} → {tokens_out} tokens").format(
                tokens_in=_format_token_count(judgment.tokens_in), tokens_out=_format_token_count(judgment.tokens_out)
            )
        )
    if not cached and judgment.cost is not None:
        said.append(f"{judgment.cost:.4f} {_judge_setting(judgment, 'currency') or 'USD'}")
    if judgment.calls > 1:
        said.append(tr("{calls} requests").format(calls=judgment.calls))
    if judgment.mended in _REPAIR_LABELS:
        said.append(_REPAIR_LABELS[RepairLevel(judgment.mended)])
    shortened = judgment.sight.get("shortened")
    if shortened:
        said.append(tr("Shortened to fit the model"))
    # Where the recording ends soon after a point, so did what was shown of it.
    if (judgment.start_us, judgment.end_us) != about.shown_span(judgment.end_us):
        said.append(tr("About the segment as it was before it was moved"))
    if edited > judgment.at[:23]:
        said.append(tr("The transcript of it was edited since"))
    return tuple(said)


def _format_token_count(tokens: int | None) -> str:
    return "?" if tokens is None else f"{tokens:,}"


def _judge_setting(judgment: Judgment, key: str) -> str:
    settings = judgment.judge.get("settings")
    return str(settings.get(key, "")) if isinstance(settings, dict) else ""


@dataclass(frozen=True, slots=True)
class PersonSays:
    """One annotator's segment.

    Attributes:
        overlap: of both spans, intersection over union, 0 to 1; 1 for the selected segment.
    """

    name: str
    segment: Segment
    answer: SegmentAnswer
    overlap: float


def people_answers(session: Session, about: Segment) -> list[PersonSays]:
    """Return what each annotator says on the segment's track, who made it first, then the others by name."""
    names = annotator_names(session.study)
    best: dict[str, tuple[float, Segment]] = {about.annotator_id: (1.0, about)}
    for segment in segments_of(session.study, about.recording_id, scheme=about.scheme):
        share = segment_iou(segment, about)
        if segment.track != about.track or segment.annotator_id == about.annotator_id or share <= 0:
            continue
        if share > best.get(segment.annotator_id, (0.0, segment))[0]:
            best[segment.annotator_id] = (share, segment)
    found = [
        PersonSays(names.get(who, tr("Somebody")), segment, _segment_answer(session, segment), share)
        for who, (share, segment) in best.items()
    ]
    return sorted(found, key=lambda person_says: (person_says.segment.id != about.id, person_says.name.casefold()))


def _segment_answer(session: Session, segment: Segment) -> SegmentAnswer:
    scheme = session.schemes.find(segment.scheme)
    values = values_of(session.study, segment.id)
    return answer_of_segment(segment.label, values if scheme is None else scheme.known_values(segment.track, values))


_COLUMN_STATES = {
    JudgmentStatus.OK: JudgmentColumnState.ANSWERED,
    JudgmentStatus.UNPARSED: JudgmentColumnState.UNPARSED,
    JudgmentStatus.REFUSED: JudgmentColumnState.REFUSED,
    JudgmentStatus.ERROR: JudgmentColumnState.ERROR,
}


@dataclass(frozen=True, slots=True)
class JudgeCondition:
    """A judge in a condition that has a column, whether it answered or not."""

    judge: JudgeEntry
    condition: str


@dataclass(frozen=True, slots=True)
class SegmentJudgments:
    """What the page knows about a segment.

    Attributes:
        judgments: of the task and variant that are chosen, that may be seen, newest first.
        hidden: the same, without their answers.
        why_hidden: a line that says what to do.
        selected: who is chosen.
        pending: state by (judge id, condition), for who is being asked.
        not_sent: why a judge was not asked, by (judge id, condition).
        conditions: names by id.
    """

    judgments: Sequence[Judgment]
    hidden: Sequence[Judgment] = ()
    why_hidden: str = ""
    selected: Sequence[JudgeCondition] = ()
    pending: Mapping[tuple[str, str], JudgmentColumnState] = field(default_factory=dict)
    not_sent: Mapping[tuple[str, str], str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)


def build_table(session: Session, about: Segment, known: SegmentJudgments) -> JudgmentTable:
    """Return everything that is said about a segment."""
    scheme = session.schemes.find(about.scheme)
    names = annotator_names(session.study)
    newest = _newest_by_judge([*known.judgments, *known.hidden])
    hidden = {judgment.id for judgment in known.hidden}
    people = people_answers(session, about)
    said = {
        f"judge {judgment.id}": answer_of_judgment(judgment)
        for judgment in newest.values()
        if judgment.id not in hidden
    }
    whose = {
        f"judge {judgment.id}": _person_name(judgment, names) for judgment in newest.values() if _is_person(judgment)
    }
    said |= {f"person {person.segment.id}": person.answer for person in people}
    whose |= {f"person {person.segment.id}": person.name for person in people}
    participants = pseudonyms(session.study)
    answers = AnswerComparison(
        scheme, about.track, said, {key: whose[key] for key in whose if key in said}, participants
    )
    oldest = min((judgment.at for judgment in newest.values()), default="")
    shown = about.shown_span(session.recording(about.recording_id).duration_us)
    edited = last_edit_time(session.study, about.recording_id, *shown, oldest) if oldest else ""
    columns = _judge_columns(newest, known, hidden, about, answers, names, edited)
    columns += [_person_column(person, about, answers) for person in people]
    return JudgmentTable(answers.rows(), tuple(columns))


def _newest_by_judge(judgments: Sequence[Judgment]) -> dict[tuple[str, str], Judgment]:
    """Return the newest by judge (or person) and condition: an answer where there is one, whatever failed later."""
    found: dict[tuple[str, str], Judgment] = {}
    for judgment in _sort_newest_first(judgments):
        key = (judgment.annotator_id or judgment.judge_id, judgment.condition)
        if key not in found or (found[key].status is not JudgmentStatus.OK and judgment.status is JudgmentStatus.OK):
            found[key] = judgment
    return found


def _failed_later(judgments: Sequence[Judgment], newest: Mapping[tuple[str, str], Judgment]) -> dict[str, str]:
    """Return judgment id -> what came of asking again, where that failed."""
    found: dict[str, str] = {}
    for judgment in _sort_newest_first(judgments):
        shown = newest[judgment.annotator_id or judgment.judge_id, judgment.condition]
        if shown.status is JudgmentStatus.OK and (judgment.at, judgment.id) > (shown.at, shown.id):
            found.setdefault(
                shown.id,
                tr("Asked again: {status}. {error}").format(status=judgment.status.value, error=judgment.error).strip(),
            )
    return found


def _sort_newest_first(judgments: Sequence[Judgment]) -> list[Judgment]:
    return sorted(judgments, key=lambda judgment: (judgment.at, judgment.id), reverse=True)


def _judge_columns(
    newest: Mapping[tuple[str, str], Judgment],
    known: SegmentJudgments,
    hidden: set[str],
    about: Segment,
    answers: AnswerComparison,
    names: Mapping[str, str],
    edited: str,
) -> list[JudgmentColumn]:
    places = [
        (condition.judge.id, condition.condition)
        for condition in known.selected
        if condition.judge.backend != PERSON_BACKEND
    ]
    rest = [key for key in newest if key not in places]
    entries = {judge_condition.judge.id: judge_condition.judge for judge_condition in known.selected}
    later = _failed_later([*known.judgments, *known.hidden], newest)
    columns = []
    asked = {who for who, _ in [*newest, *known.pending]}
    # Columns that nothing fills yet come last: the others are seen without scrolling.
    order = sorted(dict.fromkeys(who for who, _ in [*places, *rest]), key=lambda who: who not in asked)
    for who, condition in sorted(
        [*places, *rest], key=lambda key: (order.index(key[0]), key[1] != RAW_CONDITION, key[1])
    ):
        judgment = newest.get((who, condition))
        if judgment is None:
            column = _pending_column(entries[who], condition)
        else:
            unseen = known.why_hidden if judgment.id in hidden else None
            column = _answer_column(judgment, about, answers, names, edited, unseen)
            if judgment.id in later and column.state is JudgmentColumnState.ANSWERED:
                column = replace(column, said=later[judgment.id])
        if (who, condition) in known.pending:
            how = known.pending[who, condition]
            column = replace(column, state=how, said="", cells={}, reasoning="", facts=(), adoptable=frozenset())
        elif (who, condition) in known.not_sent:
            why = known.not_sent[who, condition]
            if column.state is JudgmentColumnState.ANSWERED:
                column = replace(column, said=tr("Asked again: not sent. {why}").format(why=why))
            else:
                column = replace(column, state=JudgmentColumnState.NOT_SENT, said=why)
        name = tr("Raw") if condition == RAW_CONDITION else known.conditions.get(condition, tr("Another rendering"))
        columns.append(replace(column, condition=name))
    return _mark_pairs(columns)


def _answer_column(
    judgment: Judgment,
    about: Segment,
    answers: AnswerComparison,
    names: Mapping[str, str],
    edited: str,
    why_hidden: str | None,
) -> JudgmentColumn:
    """Return the column of an answer; `why_hidden` is None where it may be seen."""
    key, person = f"judge {judgment.id}", _is_person(judgment)
    answered, seen = judgment.status is JudgmentStatus.OK, why_hidden is None
    return JudgmentColumn(
        key if seen else f"hidden {judgment.id}",
        _person_name(judgment, names) if person else judge_name(judgment),
        tr("In the form for people")
        if person
        else _model_text(str(judgment.judge.get("backend")), str(judgment.judge.get("model"))),
        JudgmentColumnState.HIDDEN if answered and not seen else _COLUMN_STATES[judgment.status],
        said=(why_hidden or "") if answered else judgment.error,
        cells=answers.cells(key) if answered and seen else {},
        reasoning=judgment.thinking if seen else "",
        facts=judgment_facts(judgment, about, edited),
        judgment_id=judgment.id,
        judge_id="" if person else judgment.judge_id,
        own_condition=judgment.condition,
        adoptable=answers.text_rows(key) if seen and not person else frozenset(),
    )


def _pending_column(entry: JudgeEntry, condition: str) -> JudgmentColumn:
    return JudgmentColumn(
        f"wanted {entry.id} {condition}",
        entry.name,
        _model_text(entry.backend, entry.model),
        JudgmentColumnState.NOT_ASKED,
        judge_id=entry.id,
        own_condition=condition,
    )


def _mark_pairs(columns: list[JudgmentColumn]) -> list[JudgmentColumn]:
    found = []
    for at, judgment_column in enumerate(columns):
        same = [
            other.judge_id == judgment_column.judge_id != ""
            for other in (*columns[at - 1 : at], *columns[at + 1 : at + 2])
        ]
        following = at + 1 < len(columns) and columns[at + 1].judge_id == judgment_column.judge_id != ""
        pair = (
            ColumnPairPosition.NONE
            if not any(same)
            else ColumnPairPosition.FIRST
            if following
            else ColumnPairPosition.SECOND
        )
        found.append(replace(judgment_column, pair=pair))
    return found


def _person_column(person_says: PersonSays, about: Segment, answers: AnswerComparison) -> JudgmentColumn:
    own = person_says.segment.id == about.id
    what = (
        tr("This segment")
        if own
        else tr("Own segment, {overlap} in common").format(overlap=format_percent(person_says.overlap, 0))
    )
    key = f"person {person_says.segment.id}"
    return JudgmentColumn(key, person_says.name, what, JudgmentColumnState.PERSON, cells=answers.cells(key))


def _model_text(backend: str, model: str) -> str:
    shown = model.replace("\\", "/").rsplit("/", 1)[-1] if backend == "llama-cpp" else model
    return f"{backend} · {shown}" if shown else backend


def _is_person(judgment: Judgment) -> bool:
    return judgment.judge.get("backend") == PERSON_BACKEND


def _person_name(judgment: Judgment, names: Mapping[str, str]) -> str:
    return names.get(judgment.annotator_id or "", judge_name(judgment))
