"""The tables of the papers, with a study's own rows first, then chance, then what was published."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.benchmark.report.document import Cell, Column, Number, Row, Standing, Table, Target
from app.core.benchmark.report.material import Asked, Material, by_name, cell_of, published_of
from benchmark.dimensions import DIMENSIONS
from benchmark.metrics.names import (
    ACCURACY,
    CALIBRATION_ERROR,
    CHAIN_CONSISTENCY,
    EXACT_MATCH,
    FACTUALITY,
    MACRO_F1,
    MAE,
    PAIRWISE_AGREEMENT,
    PARTIAL_MATCH,
    PEARSON_R,
    RANDOLPH_KAPPA,
    SUBCHAIN_CONSISTENCY,
    joined,
    meaning_of,
)
from benchmark.tasks.esi_dimensions import DIMENSIONS as ESI_DIMENSIONS

_ORDER = (Standing.JUDGE, Standing.PERSON, Standing.BASELINE)


@dataclass(frozen=True, slots=True)
class Place:
    """One column: a metric of a task."""

    task: str
    metric: str
    name: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """One table of a paper."""

    key: str
    title: str
    note: str
    places: tuple[Place, ...]
    number: Number = Number.SHARE

    @property
    def tasks(self) -> list[str]:
        """Keys of the tasks in it."""
        return list(dict.fromkeys(one.task for one in self.places))


_DRAWS = "Mean and standard deviation over the draws."
_KINDS = ("MSE", "emotion", "belief", "intent", "desire", "EU", "CW", "CH/W")
SHREC = (
    Layout(
        "shrec-1",
        "SHREC, table 1: errors and competences, and their attributes",
        _DRAWS,
        (
            Place("verdict", ACCURACY, "Acc.", "Error / competence / none"),
            Place("verdict", MACRO_F1, "F1", "Error / competence / none"),
            Place("error", ACCURACY, "Acc.", "Error"),
            Place("error", MACRO_F1, "F1", "Error"),
            Place("attributes", EXACT_MATCH, "Acc.", "Attributes"),
            Place("attributes", MACRO_F1, "F1", "Attributes"),
            Place("attributes", PARTIAL_MATCH, "Partial", "Attributes"),
            Place("multiple", ACCURACY, "Acc.", "Several attributes"),
            Place("multiple", MACRO_F1, "F1", "Several attributes"),
        ),
    ),
    Layout(
        "shrec-2",
        "SHREC, table 2: what comes before and after, rationale and correction",
        f"Accuracy. {_DRAWS}",
        (
            Place("pre", ACCURACY, "Before", "If-then reasoning"),
            Place("post", ACCURACY, "After", "If-then reasoning"),
            Place("rationale", ACCURACY, "Rationale", "Rationale and correction"),
            Place("correction", ACCURACY, "Correction", "Rationale and correction"),
        ),
    ),
)
R3_VQA = (
    Layout(
        "r3vqa",
        "R3-VQA: questions made from causal chains",
        "Accuracy by kind of question, and the share of chains and subchains that were answered right as a whole.",
        (
            *(Place("r3vqa", joined(ACCURACY, kind), kind.capitalize() if kind.islower() else kind) for kind in _KINDS),
            Place("r3vqa", ACCURACY, "Overall"),
            Place("r3vqa", CHAIN_CONSISTENCY, "Chain", "Consistency"),
            Place("r3vqa", SUBCHAIN_CONSISTENCY, "Subchain", "Consistency"),
        ),
    ),
    Layout(
        "r3vqa-written",
        "R3-VQA: questions written by people",
        "Accuracy.",
        (Place("r3vqa_written", ACCURACY, "Overall"),),
    ),
)
ESI = (
    Layout(
        "esi",
        "ESI-Bench",
        "Accuracy among four options.",
        (
            Place("esi", ACCURACY, "Overall"),
            *(Place("esi", joined(ACCURACY, key), one.name, "By dimension") for key, one in ESI_DIMENSIONS.items()),
        ),
    ),
)
SOCIALNLI = (
    Layout(
        "socialnli",
        "SocialNLI: how likely an inference is",
        "The posterior beside what people said: correlation, mean absolute error, calibration error.",
        (
            Place("socialnli", PEARSON_R, "r"),
            Place("socialnli", MAE, "MAE"),
            Place("socialnli", CALIBRATION_ERROR, "Calibration error"),
        ),
        Number.FIGURE,
    ),
    Layout(
        "socialnli-facts",
        "SocialNLI: explanations that people found to be right",
        "Share of the explanations.",
        (Place("socialnli_facts", FACTUALITY, "Factuality"),),
        Number.FIGURE,
    ),
)
SOTOPIA = (
    Layout(
        "sotopia",
        "SOTOPIA-EVAL: ratings beside the mean of people",
        "Pearson's r by dimension, mean absolute error, and how people agree with each other.",
        (
            *(
                Place("sotopia_eval", joined(PEARSON_R, key), key.replace("_", " ").capitalize(), "Pearson's r")
                for key in DIMENSIONS
            ),
            Place("sotopia_eval", PEARSON_R, "Mean", "Pearson's r"),
            Place("sotopia_eval", MAE, "MAE"),
            Place("sotopia_eval", RANDOLPH_KAPPA, "Kappa", "People"),
            Place("sotopia_eval", PAIRWISE_AGREEMENT, "Agreement", "People"),
        ),
    ),
)
KNOWN = {"shrec": SHREC, "r3vqa": R3_VQA, "esi": ESI, "socialnli": SOCIALNLI, "sotopia": SOTOPIA}
"""Key of a section -> its tables."""


def paper_tables(material: Material, layouts: Sequence[Layout]) -> list[Table]:
    """Return those tables of which any task was asked."""
    return [_table(material, one) for one in layouts if material.of(*one.tasks)]


def other_tables(material: Material) -> list[Table]:
    """Return a table for each task that no paper's table has, such as one that a lab added."""
    covered = {place.task for layouts in KNOWN.values() for one in layouts for place in one.places} | {"conditions"}
    found = []
    for task in material.tasks():
        if task not in covered:
            entry = material.entries[task]
            places = tuple(Place(task, one.key, one.name) for one in entry.metrics)
            found.append(_table(material, Layout(f"task-{task}", entry.name, entry.description, places, Number.FIGURE)))
    return found


def _table(material: Material, layout: Layout) -> Table:
    places = _there(material, layout)
    own = _own(material, layout, places)
    chance = [_chance(material, places)]
    rows = [
        *own,
        *(row for row in chance if any(cell.value is not None for cell in row.cells)),
        *_papers(layout, places),
    ]
    columns = tuple(Column(f"{one.task}.{one.metric}", one.name, layout.number, one.group) for one in places)
    return Table(layout.key, layout.title, layout.note, columns, tuple(rows))


def _there(material: Material, layout: Layout) -> list[Place]:
    """Return the columns that anything can stand in; a task's metrics that are known elsewhere only stay."""
    known = {(row.task, row.metric) for row in published_of(layout.tasks)}
    own = {(one.task, row.metric) for one in material.of(*layout.tasks) for row in one.figures.rows}
    return [one for one in layout.places if (one.task, one.metric) in known | own]


def _own(material: Material, layout: Layout, places: Sequence[Place]) -> list[Row]:
    """Return one row for who answered in one way, over all tasks of the table; the best of each column is marked."""
    by_row: dict[str, list[Asked]] = {}
    for one in material.of(*layout.tasks):
        by_row.setdefault(one.name, []).append(one)
    rows = [Row(name, some[0].standing, tuple(_cell(some, place) for place in places)) for name, some in by_row.items()]
    rows.sort(key=lambda row: _ORDER.index(row.standing))
    return _best(rows, places)


def _cell(asked: Sequence[Asked], place: Place) -> Cell:
    one = next((each for each in asked if each.task == place.task), None)
    if one is None:
        return Cell(why="not asked")
    return cell_of(one.row(place.metric), Target(one.list))


def _best(rows: list[Row], places: Sequence[Place]) -> list[Row]:
    """Mark the best of each column among the study's own judges, where there are two or more."""
    for at, place in enumerate(places):
        meaning = meaning_of(place.metric)
        sign = 1 if meaning is None or meaning.high_is_good else -1
        values = [
            sign * value
            for row in rows
            if row.standing is Standing.JUDGE and (value := row.cells[at].value) is not None
        ]
        if len(values) < 2:
            continue
        for number, row in enumerate(rows):
            cell = row.cells[at]
            if row.standing is Standing.JUDGE and cell.value is not None and sign * cell.value == max(values):
                cells = (*row.cells[:at], _marked(cell), *row.cells[at + 1 :])
                rows[number] = Row(row.name, row.standing, cells, row.source)
    return rows


def _marked(cell: Cell) -> Cell:
    return Cell(cell.value, cell.sd, cell.low, cell.high, cell.n, cell.text, cell.target, cell.why, best=True)


def _chance(material: Material, places: Sequence[Place]) -> Row:
    cells = []
    for place in places:
        rows = [row for one in material.of(place.task) if (row := one.row(place.metric)) is not None]
        values = [row.chance for row in rows if row.chance is not None]
        cells.append(Cell(values[0] if values else None))
    return Row("Chance", Standing.CHANCE, tuple(cells))


def _papers(layout: Layout, places: Sequence[Place]) -> list[Row]:
    rows = []
    for (name, modality, setting), some in by_name(published_of(layout.tasks)).items():
        found = {(one.task, one.metric): one for one in some}
        cells = [found.get((place.task, place.metric)) for place in places]
        if any(cells):
            told = f"({modality}) {name}" if modality and name != "Human" else name
            told += f", {setting}" if setting and setting != name.lower() else ""
            sources = "; ".join(dict.fromkeys(one.source for one in some))
            values = tuple(Cell() if one is None else Cell(one.mean, one.sd) for one in cells)
            rows.append(Row(told, Standing.PUBLISHED, values, sources))
    return rows
