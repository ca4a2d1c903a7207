"""Tables of what became of the items, and of what answers took."""

from app.core.benchmark.report.document import Cell, Column, Number, Row, Standing, Table, Target
from app.core.benchmark.report.material import Asked, Material


def counts_table(material: Material) -> Table:
    """Return what became of the items of each run: nobody's unreadable answers go under."""
    columns = tuple(
        Column(key, name, Number.COUNT)
        for key, name in (
            ("items", "Items"),
            ("answered", "Answered"),
            ("unparsed", "Unparsed"),
            ("refused", "Refused"),
            ("errors", "Failed"),
            ("missing", "Not asked"),
        )
    )
    note = "Unparsed and refused answers count as wrong; what failed or was not asked counts nowhere."
    rows = tuple(
        Row(
            named(material, one),
            one.standing,
            tuple(Cell(float(getattr(one.figures.counts, column.key)), target=Target(one.list)) for column in columns),
        )
        for one in material.asked
    )
    return Table("answers", "What became of the items", note, columns, rows, "Task and judge")


def spending_table(material: Material) -> Table:
    """Return what the answers of each run took."""
    currencies = sorted({name for one in material.asked for name in one.figures.spent.money})
    columns = (
        Column("seconds", "Seconds in all", Number.SECONDS),
        Column("each", "Seconds an answer", Number.FIGURE),
        Column("tokens_in", "Tokens in", Number.COUNT),
        Column("tokens_out", "Tokens out", Number.COUNT),
        Column("cached", "Answers there already", Number.COUNT),
        *(Column(f"money-{at}", f"Cost, {name}", Number.MONEY) for at, name in enumerate(currencies)),
    )
    rows = tuple(Row(named(material, one), one.standing, _spent(one, currencies)) for one in material.asked)
    note = (
        "All answers together, of people the time that they took. Answers that were there already cost nothing again."
    )
    return Table("cost", "Time and cost", note, columns, rows, "Task and judge")


def sets_table(material: Material) -> Table:
    """Return the frozen sets that were asked: how they were drawn, and what could not become an item."""
    columns = (
        Column("seed", "Seed", Number.COUNT),
        Column("draws", "Draws", Number.COUNT),
        Column("items", "Items", Number.COUNT),
        Column("sha256", "sha256", Number.TEXT),
        Column("left_out", "Left out", Number.TEXT),
    )
    rows = []
    for one in {each.figures.item_set.id: each for each in material.asked}.values():
        item_set = one.figures.item_set
        left_out = "; ".join(f"{many:,}: {why}" for why, many in item_set.left_out.items() if many)
        cells = (
            *(Cell(float(item_set.seed)), Cell(float(item_set.draws)), Cell(float(one.figures.counts.items))),
            *(Cell(text=item_set.sha256[:12]), Cell(text=left_out or "nothing")),
        )
        rows.append(Row(f"{material.entries[one.task].name}: {material.sets[item_set.id]}", Standing.JUDGE, cells))
    note = "Every judge and every person is asked the same items."
    return Table("sets", "Frozen sets of items", note, columns, tuple(rows), "Set")


def named(material: Material, one: Asked) -> str:
    """Return a run's name where rows are of several tasks."""
    return f"{material.entries[one.task].name}: {one.name}"


def _spent(one: Asked, currencies: list[str]) -> tuple[Cell, ...]:
    spent, counted = one.figures.spent, one.figures.counts.counted
    return (
        Cell(spent.ms / 1000),
        Cell(spent.ms / 1000 / counted if counted else None, n=counted),
        Cell(float(spent.tokens_in)),
        Cell(float(spent.tokens_out)),
        Cell(float(spent.cached)),
        *(Cell(spent.money.get(name)) for name in currencies),
    )
