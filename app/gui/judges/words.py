"""Puts judgments and what people say into the columns of the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.core.judging.annotators.said import judge_name, said_by
from app.core.session import Session
from app.gui.judges.answers import Answers
from app.gui.judges.facts import facts_of
from app.gui.judges.people import PersonSays, people_about
from project.judging import PERSON, RAW, JudgeEntry, Judgment, JudgmentStatus
from project.percent import percent
from project.queries.annotators import all_annotators
from project.queries.participants import all_participants
from project.queries.utterances import words_edited
from project.types import Segment
from resources.translation import tr
from widgets.judges.shown import Column, Pair, State, Table

_STATES = {
    JudgmentStatus.OK: State.ANSWERED,
    JudgmentStatus.UNPARSED: State.UNPARSED,
    JudgmentStatus.REFUSED: State.REFUSED,
    JudgmentStatus.ERROR: State.ERROR,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A judge in a condition that has a column, whether it answered or not."""

    judge: JudgeEntry
    condition: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the page knows about a segment.

    Attributes:
        judgments: of the task and variant that are chosen, that may be seen, newest first.
        hidden: the same, without their answers.
        why_hidden: a line that says what to do.
        wanted: who is chosen.
        under_way: state by (judge id, condition), for who is being asked.
        not_sent: why a judge was not asked, by (judge id, condition).
        conditions: names by id.
    """

    judgments: Sequence[Judgment]
    hidden: Sequence[Judgment] = ()
    why_hidden: str = ""
    wanted: Sequence[Wanted] = ()
    under_way: Mapping[tuple[str, str], State] = field(default_factory=dict)
    not_sent: Mapping[tuple[str, str], str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)


def table_of(session: Session, about: Segment, known: Known) -> Table:
    """Return everything that is said about a segment."""
    scheme = session.schemes.known(about.scheme)
    names = {one.id: one.name for one in all_annotators(session.study)}
    newest = _newest([*known.judgments, *known.hidden])
    hidden = {one.id for one in known.hidden}
    people = people_about(session, about)
    said = {f"judge {one.id}": said_by(one) for one in newest.values() if one.id not in hidden}
    whose = {f"judge {one.id}": _person(one, names) for one in newest.values() if _is_person(one)}
    said |= {f"person {one.segment.id}": one.said for one in people}
    whose |= {f"person {one.segment.id}": one.name for one in people}
    participants = {one.id: one.pseudonym for one in all_participants(session.study)}
    answers = Answers(scheme, about.track, said, {key: whose[key] for key in whose if key in said}, participants)
    oldest = min((one.at for one in newest.values()), default="")
    edited = words_edited(session.study, about.recording_id, about.start_us, about.end_us, oldest) if oldest else ""
    columns = _judges(newest, known, hidden, about, answers, names, edited)
    columns += [_person_column(one, about, answers) for one in people]
    return Table(answers.rows(), tuple(columns))


def _newest(judgments: Sequence[Judgment]) -> dict[tuple[str, str], Judgment]:
    """Return the newest by judge (or person) and condition: an answer where there is one, whatever failed later."""
    found: dict[tuple[str, str], Judgment] = {}
    for one in _by_time(judgments):
        key = (one.annotator_id or one.judge_id, one.condition)
        if key not in found or (found[key].status is not JudgmentStatus.OK and one.status is JudgmentStatus.OK):
            found[key] = one
    return found


def _failed_later(judgments: Sequence[Judgment], newest: Mapping[tuple[str, str], Judgment]) -> dict[str, str]:
    """Return judgment id -> what came of asking again, where that failed."""
    found: dict[str, str] = {}
    for one in _by_time(judgments):
        shown = newest[one.annotator_id or one.judge_id, one.condition]
        if shown.status is JudgmentStatus.OK and (one.at, one.id) > (shown.at, shown.id):
            found.setdefault(
                shown.id, tr("Asked again: {status}. {error}").format(status=one.status.value, error=one.error).strip()
            )
    return found


def _by_time(judgments: Sequence[Judgment]) -> list[Judgment]:
    return sorted(judgments, key=lambda one: (one.at, one.id), reverse=True)


def _judges(
    newest: Mapping[tuple[str, str], Judgment],
    known: Known,
    hidden: set[str],
    about: Segment,
    answers: Answers,
    names: Mapping[str, str],
    edited: str,
) -> list[Column]:
    places = [(one.judge.id, one.condition) for one in known.wanted if one.judge.backend != PERSON]
    rest = [key for key in newest if key not in places]
    entries = {one.judge.id: one.judge for one in known.wanted}
    later = _failed_later([*known.judgments, *known.hidden], newest)
    columns = []
    order = list(dict.fromkeys(who for who, _ in [*places, *rest]))
    for who, condition in sorted([*places, *rest], key=lambda key: (order.index(key[0]), key[1] != RAW, key[1])):
        one = newest.get((who, condition))
        if one is None:
            column = _asked(entries[who], condition)
        else:
            unseen = known.why_hidden if one.id in hidden else None
            column = _answer(one, about, answers, names, edited, unseen)
            if one.id in later and column.state is State.ANSWERED:
                column = replace(column, said=later[one.id])
        if (who, condition) in known.under_way:
            how = known.under_way[who, condition]
            column = replace(column, state=how, said="", cells={}, thoughts="", facts=(), takeable=frozenset())
        elif (who, condition) in known.not_sent:
            why = known.not_sent[who, condition]
            if column.state is State.ANSWERED:
                column = replace(column, said=tr("Asked again: not sent. {why}").format(why=why))
            else:
                column = replace(column, state=State.NOT_SENT, said=why)
        name = tr("Raw") if condition == RAW else known.conditions.get(condition, tr("Another rendering"))
        columns.append(replace(column, condition=name))
    return _paired(columns)


def _answer(
    one: Judgment, about: Segment, answers: Answers, names: Mapping[str, str], edited: str, why_hidden: str | None
) -> Column:
    """Return the column of an answer; `why_hidden` is None where it may be seen."""
    key, person = f"judge {one.id}", _is_person(one)
    answered, seen = one.status is JudgmentStatus.OK, why_hidden is None
    return Column(
        key if seen else f"hidden {one.id}",
        _person(one, names) if person else judge_name(one),
        tr("In the form for people") if person else _what(str(one.judge.get("backend")), str(one.judge.get("model"))),
        State.HIDDEN if answered and not seen else _STATES[one.status],
        said=(why_hidden or "") if answered else one.error,
        cells=answers.cells(key) if answered and seen else {},
        thoughts=one.thinking if seen else "",
        facts=facts_of(one, about, edited),
        judgment_id=one.id,
        judge_id="" if person else one.judge_id,
        own_condition=one.condition,
        takeable=answers.texts(key) if seen and not person else frozenset(),
    )


def _asked(entry: JudgeEntry, condition: str) -> Column:
    return Column(
        f"wanted {entry.id} {condition}",
        entry.name,
        _what(entry.backend, entry.model),
        State.NOT_ASKED,
        judge_id=entry.id,
        own_condition=condition,
    )


def _paired(columns: list[Column]) -> list[Column]:
    found = []
    for at, one in enumerate(columns):
        same = [other.judge_id == one.judge_id != "" for other in (*columns[at - 1 : at], *columns[at + 1 : at + 2])]
        following = at + 1 < len(columns) and columns[at + 1].judge_id == one.judge_id != ""
        pair = Pair.NONE if not any(same) else Pair.FIRST if following else Pair.SECOND
        found.append(replace(one, pair=pair))
    return found


def _person_column(one: PersonSays, about: Segment, answers: Answers) -> Column:
    own = one.segment.id == about.id
    what = tr("This segment") if own else tr("Own segment, {overlap} in common").format(overlap=percent(one.overlap, 0))
    key = f"person {one.segment.id}"
    return Column(key, one.name, what, State.PERSON, cells=answers.cells(key))


def _what(backend: str, model: str) -> str:
    shown = model.replace("\\", "/").rsplit("/", 1)[-1] if backend == "llama-cpp" else model
    return f"{backend} · {shown}" if shown else backend


def _is_person(one: Judgment) -> bool:
    return one.judge.get("backend") == PERSON


def _person(one: Judgment, names: Mapping[str, str]) -> str:
    return names.get(one.annotator_id or "", judge_name(one))
