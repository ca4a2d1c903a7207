"""The runs of a report with redacted names, and published results.

A report may leave, so names of people and written texts are replaced; private texts are only in reports that include
them explicitly.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath, PureWindowsPath

from anonymize.release.private_content import PrivateSearch, collect_private
from anonymize.release.release_plan import assign_annotator_codes
from benchmark.metrics.paper_settings import departure_lines
from benchmark.metrics.published_figures import DIMENSIONS, PublishedScore, published_scores_for
from benchmark.prompts.recording_prompts import DIMENSIONS as ESI_DIMENSIONS
from benchmark.questions.question_validity import PATH_ASPECTS
from benchmark.report.report_document import ResultOrigin
from benchmark.results.item_results import MetricRow
from benchmark.runs.run_figures import RunFigures
from benchmark.runs.run_settings import run_settings
from benchmark.tasks.benchmark_task import BenchmarkTask
from project.entities.causal_chains import NodeKind
from project.entities.frozen_items import BenchmarkRun, FrozenItem
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION
from project.entities.questions import QuestionKind
from project.entities.study_records import Json
from project.queries.annotator_rows import all_annotators
from project.queries.item_set_rows import answers_of
from project.queries.judgment_rows import find_judgments
from project.queries.recording_rows import all_participants, all_recordings
from project.schemes.scheme import FieldChoice, Label
from project.schemes.scheme_file import load_scheme, shipped_names
from project.session.session import Session
from project.text_tables import TableCell

BASELINES = frozenset({"random", "majority", "constant", "oracle", "reliable"})
"""Backends of baselines."""


@dataclass(frozen=True, slots=True)
class ReportRun:
    """One run with its names in the report.

    Attributes:
        name: in tables, unique among the runs over the same set.
        judge: who answered, without the setting.
        list_key: key of the list of its items.
    """

    figures: RunFigures
    name: str
    judge: str
    origin: ResultOrigin
    list_key: str

    @property
    def task(self) -> str:
        return self.figures.item_set.task

    def row(self, metric: str) -> MetricRow | None:
        return self.figures.row(metric)

    def part(self, trait: str, value: str, metric: str) -> MetricRow | None:
        parts = (part for found in self.figures.breakdowns if found.trait == trait for part in found.parts)
        rows = (row for part in parts if part.value == value for row in part.figures)
        return next((row for row in rows if row.metric == metric), None)


@dataclass(frozen=True, slots=True)
class ReportRuns:
    """All runs of a report, in the order of tasks and sets.

    Attributes:
        entries: tasks of the suite, by key, in its order.
        conditions: key of a condition -> its name.
        parts: trait and value, with the keys of figures -> redacted value.
        titles: the same -> display name.
    """

    runs: tuple[ReportRun, ...]
    entries: Mapping[str, BenchmarkTask]
    sets: Mapping[str, str]
    conditions: Mapping[str, str]
    parts: Mapping[tuple[str, str], str]
    titles: Mapping[tuple[str, str], str]

    def runs_of(self, *tasks: str) -> list[ReportRun]:
        return [report_run for report_run in self.runs if report_run.task in tasks]

    def tasks(self) -> list[str]:
        there = {report_run.task for report_run in self.runs}
        return [key for key in self.entries if key in there]

    def value_name(self, trait: str, value: str) -> str:
        """Return the redacted value of a trait; a value that was not checked is not shown."""
        return self.parts.get((trait, value), f"another {trait}")

    def value_title(self, trait: str, value: str) -> str:
        """Return the display name of a value of a trait, or of a label, whose trait is `label`."""
        return self.titles.get((trait, value), f"Another {trait}")

    def condition_name(self, key: str) -> str:
        return self.conditions.get(key, key)


def figure_cell(row: MetricRow | None, target: str = "") -> TableCell:
    """Return one figure as a cell that links to its items."""
    if row is None:
        return TableCell()
    reason = "" if row.mean is not None else "undefined over these items"
    return TableCell(row.mean, row.sd, row.low, row.high, row.n, target=target, reason=reason)


def published_for(tasks: Iterable[str]) -> list[PublishedScore]:
    """Return the published results of these tasks, in their order."""
    return [row for task in tasks for row in published_scores_for(task)]


def departures_of(runs: Sequence[ReportRun]) -> list[str]:
    """Return one line for each way in which runs depart from their papers."""
    return departure_lines((run.task, run.name, run_settings(run.figures.run, run.figures.item_set)) for run in runs)


def group_by_name(rows: Sequence[PublishedScore]) -> dict[tuple[str, str, str], list[PublishedScore]]:
    """Return name, modality and setting -> rows."""
    found: dict[tuple[str, str, str], list[PublishedScore]] = {}
    for row in rows:
        found.setdefault((row.name, row.modality, row.setting), []).append(row)
    return found


_PATH = re.compile(r"(?:~|(?<![\w/.:])/|[A-Za-z]:\\)\S*[/\\]\S*")
_PERSON = "person"
_PLAIN = "plain"


def report_names(session: Session, runs: Sequence[RunFigures]) -> dict[str, str]:
    """Return run id -> unique name of who answered: people by code, judges by name unless it contains private words.

    Paths in names are cut to the file name.
    """
    codes = assign_annotator_codes(
        all_annotators(session.study), [participant.pseudonym for participant in all_participants(session.study)]
    )
    people = {annotator.id: codes[annotator.name] for annotator in all_annotators(session.study)}
    tells = private_text_detector(session)
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    judges = list(dict.fromkeys(run.run.judge_id for run in runs))
    for run in runs:
        if run.run.annotator_id is not None:
            name = f"Person {people.get(run.run.annotator_id, run.run.annotator_id[-4:])}"
        else:
            plain = _PATH.sub(lambda path: _file_name(path[0]), run.judge)
            name = f"Judge {judges.index(run.run.judge_id) + 1}" if tells(plain) else plain
        owner = run.run.annotator_id or run.judge
        while owners.setdefault(name, owner) != owner:
            name += "'"
        found[run.run.id] = name
    return found


def set_names(session: Session, runs: Sequence[RunFigures]) -> dict[str, str]:
    """Return set id -> its name, or its number if the name contains private words or a path."""
    tells = private_text_detector(session)
    named = dict.fromkeys((run.item_set.id, run.item_set.name) for run in runs)
    return {
        key: f"set {place}" if tells(name) or _PATH.search(name) else name for place, (key, name) in enumerate(named, 1)
    }


def run_label(run: BenchmarkRun, name: str, condition: str) -> str:
    """Return the name of a run in tables, in the style of SHREC: “(L+V) gpt-4o + cot”."""
    label = f"({run.shown.value}) {name}" + (
        f" + {run.variant}" if run.variant not in (_PLAIN, "", PERSON_BACKEND) else ""
    )
    extras = [*([condition] if run.condition != RAW_CONDITION else []), *([f"seed {run.seed}"] if run.seed else [])]
    return ", ".join([label, *extras])


def private_text_detector(session: Session) -> Callable[[str], bool]:
    """Return a predicate that tells whether a text contains anything private."""
    private = collect_private(session)
    models = {annotator.name for annotator in all_annotators(session.study) if annotator.kind != _PERSON}
    search = PrivateSearch(replace(private, words=tuple(word for word in private.words if word not in models)))
    return lambda text: any(search.find_in_text(text, ""))


def _file_name(path: str) -> str:
    return (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name


TEXT_PLACEHOLDER = "(text)"
"""Replaces written text."""
_PROGRAM_WORDS = (
    *("yes", "no", "true", "false", "none", "error", "competence", "agreed", "disagreed", "entailment"),
    *("contradiction", "neutral", "for", "against", "supporting", "opposing", "strong", "weak", "mild"),
    *("plain", "counterfactual", "raw", "user", "agent", "robot", "person", "unmarked", "annotated"),
)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PRIVATE_TRAITS = frozenset({"collection"})
"""Traits whose values are named by the lab, so that any word may identify somebody."""
LABEL_TRAIT = "label"
"""The trait of labels."""
_MAX_LIST_NUMBERS = 12
"""Numbers of one list that are shown at most."""


class ReportRedactor:
    """Removes everything from answers that is not a known key, letter or number, and gives keys display names."""

    def __init__(self, session: Session) -> None:
        words = {
            *_PROGRAM_WORDS,
            *_LETTERS,
            *_LETTERS.lower(),
            *DIMENSIONS,
            *ESI_DIMENSIONS,
            *PATH_ASPECTS,
            *NodeKind,
            *QuestionKind,
        }
        for scheme in (*session.schemes, *(load_scheme(key) for key in shipped_names())):
            words.add(scheme.key)
            for track in scheme.tracks:
                words |= {track.key, *(label.key for label in track.labels)}
            for field in scheme.fields:
                words |= {field.key, *(choice.key for choice in field.choices)}
        self._words = frozenset(str(word) for word in words)
        self._titles = _read_titles(session)

    def redact_answer(self, answer: Mapping[str, Mapping[str, Json]], *, titles: bool = False) -> str:
        """Return an answer without written texts, as keys or, with `titles`, as display names."""
        parts = []
        for key, fields in answer.items():
            part = key.partition("/")[2]
            said = [self._redact_field(name, value, titles) for name, value in fields.items()]
            known = [text for text in said if text]
            parts.append((f"{self.redact_word(part)}: " if part and len(answer) > 1 else "") + ", ".join(known))
        return "; ".join(text for text in parts if text)

    def title(self, field: str, key: str) -> str:
        """Return the display name of a key of a field, or of a label, whose field is `label`."""
        plain = key.replace("_", " ").capitalize() if key.islower() else key
        return self._titles.get((field, key), plain)

    def redact_word(self, text: str) -> str:
        """Return a known word; others are replaced by a placeholder."""
        return text if text in self._words or text.isdecimal() else TEXT_PLACEHOLDER

    def is_known(self, text: str) -> bool:
        """Tell whether a text may be in a report unchanged."""
        return self.redact_word(text) == text

    def _redact_field(self, name: str, value: Json, titles: bool) -> str:
        def word(key: str) -> str:
            return self.title(name, key) if titles else key

        if isinstance(value, bool):
            return f"{self._field_prefix(name)}{'yes' if value else 'no'}"
        if isinstance(value, int | float):
            return f"{self._field_prefix(name)}{value:g}"
        if isinstance(value, str):
            return f"{self._field_prefix(name)}{word(value)}" if self.is_known(value) else ""
        if isinstance(value, list):
            known = [
                str(entry)
                for entry in value[:_MAX_LIST_NUMBERS]
                if isinstance(entry, str | int | float) and self.is_known(str(entry))
            ]
            return " + ".join(map(word, known)) if known or value else f"{self._field_prefix(name)}nothing"
        return ""

    def _field_prefix(self, name: str) -> str:
        """Return the name of a field as a prefix of its value, if the value needs one."""
        return f"{name} " if name in self._words and name not in ("label", "error") else ""


def _read_titles(session: Session) -> dict[tuple[str, str], str]:
    """Return field and key -> name of labels and choices; the first scheme wins."""
    tells = private_text_detector(session)
    found: dict[tuple[str, str], str] = {}
    for scheme in (*session.schemes, *(load_scheme(key) for key in shipped_names())):
        named: list[tuple[str, Label | FieldChoice]] = [
            (LABEL_TRAIT, label) for track in scheme.tracks for label in track.labels
        ]
        named += [(field.key, choice) for field in scheme.fields for choice in field.choices]
        for field_key, entry in named:
            if not tells(entry.name):
                found.setdefault((field_key, entry.key), entry.name)
    return found


def name_parts(telling: ReportRedactor, parts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return trait and value -> redacted value: unchanged, or a number if it may identify somebody."""
    found: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}
    for trait, value in parts:
        if (trait, value) in found:
            continue
        if trait not in _PRIVATE_TRAITS and telling.is_known(value):
            found[trait, value] = value
        else:
            counts[trait] = counts.get(trait, 0) + 1
            found[trait, value] = f"{trait} {counts[trait]}"
    return found


def read_item_texts(
    session: Session, run: RunFigures, items: Mapping[str, FrozenItem], withheld: Collection[str]
) -> dict[str, dict[str, str]]:
    """Return item id -> name -> text: options, given texts, the right answer, and all answers in full.

    Items with options from recordings that may not leave (`withheld`), or that were deleted, are left out.
    """
    found: dict[str, dict[str, str]] = {}
    known = {recording.id for recording in all_recordings(session.study)}
    for item_id in dict.fromkeys(item_result.response.item_id for item_result in run.items):
        item = items.get(item_id)
        if item is not None and not _uses_withheld(item, withheld, known):
            found[item_id] = _item_content_texts(item)
    raw = find_judgments(session.study, [answer.judgment_id for answer in answers_of(session.study, run.run.id)])
    for judgment in raw:
        if judgment.item_id in found:
            part = f", {judgment.part}" if judgment.part else ""
            found[judgment.item_id][f"Answer to {judgment.task}{part}"] = "\n".join(
                [*_field_lines(judgment.answer), judgment.raw]
            ).strip()
    return found


def _item_content_texts(item: FrozenItem) -> dict[str, str]:
    texts = {}
    options = item.content.get("options")
    if isinstance(options, list):
        place = item.content.get("place")
        texts["Options"] = "\n".join(
            f"{'ABCDEFGHIJ'[at]}. {entry}{' (right)' if at == place else ''}" for at, entry in enumerate(options)
        )
    facts = item.content.get("facts")
    if isinstance(facts, dict):
        texts["Told"] = "\n".join(_field_lines(facts))
    truth = item.content.get("truth")
    if isinstance(truth, dict):
        texts["Right"] = "\n".join(
            line for fields in truth.values() if isinstance(fields, dict) for line in _field_lines(fields)
        )
    return texts


def _field_lines(found: Mapping[str, Json]) -> list[str]:
    return [f"{key}: {value}" for key, value in found.items()]


def _uses_withheld(item: FrozenItem, withheld: Collection[str], known: Collection[str]) -> bool:
    """Tell whether texts of an item are from a recording that may not leave, or that was deleted."""
    homes = item.content.get("homes")
    return isinstance(homes, list) and any(home in withheld or home not in known for home in homes)
