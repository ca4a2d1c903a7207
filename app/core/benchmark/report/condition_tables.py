"""What judges reach on renderings, beside the raw footage (SHREC, appendix I): draws are paired."""

from collections.abc import Iterable
from dataclasses import replace

from app.core.benchmark.report.document import Cell, Column, Number, Row, Standing, Table, Target
from app.core.benchmark.report.material import Asked, Material, cell_of, published_of
from app.core.benchmark.results.comparing import conditions_of
from benchmark.metrics.conditions import AgainstRaw, Conclusion
from benchmark.metrics.names import ACCURACY, MACRO_F1
from project.judging import RAW

TASK = "conditions"
_METRICS = ((MACRO_F1, "Macro-F1"), (ACCURACY, "Accuracy"))
_SAYS = {
    Conclusion.DIFFERENT: "different",
    Conclusion.EQUIVALENT: "equivalent",
    Conclusion.DIFFERENT_WITHIN_MARGIN: "different, within the margin",
    Conclusion.OPEN: "open",
}
Way = tuple[str, str, str, int]


def compared(material: Material) -> list[list[Asked]]:
    """Return the runs that differ in nothing but their condition, raw first; only where there are several."""
    found: dict[Way, list[Asked]] = {}
    for one in material.asked:
        run = one.figures.run
        way = (run.set_id, one.judge, f"{run.variant} {run.shown}", run.seed)
        found.setdefault(way, []).append(one)
    several = [some for some in found.values() if len({one.figures.run.condition for one in some}) > 1]
    return [sorted(some, key=lambda one: one.figures.run.condition != RAW) for some in several]


def condition_tables(material: Material) -> list[Table]:
    """Return what each condition comes to, and how each differs from raw."""
    found = compared(material)
    if not found:
        return []
    return [*(_values(material, found, *one) for one in _METRICS if _has(found, one[0])), *_tests(material, found)]


def _has(found: Iterable[list[Asked]], metric: str) -> bool:
    return any(one.row(metric) is not None for some in found for one in some)


def _values(material: Material, found: list[list[Asked]], metric: str, name: str) -> Table:
    keys = list(dict.fromkeys(one.figures.run.condition for some in found for one in some))
    keys.sort(key=lambda one: one != RAW)
    papers: dict[str, dict[str, Cell]] = {}
    sources = set()
    for row in published_of([TASK]):
        if row.metric == metric:
            papers.setdefault(f"({row.modality}) {row.name}", {})[row.setting] = Cell(row.mean, row.sd)
            sources.add(row.source)
    named = [material.condition(one) for one in keys]
    named += [one for one in dict.fromkeys(key for cells in papers.values() for key in cells) if one not in named]
    rows = []
    for some in found:
        by_name = {material.condition(one.figures.run.condition): one for one in some}
        cells = [by_name.get(one) for one in named]
        told = tuple(Cell() if one is None else cell_of(one.row(metric), Target(one.list)) for one in cells)
        rows.append(Row(_way(material, some[0]), some[0].standing, told))
    source = "; ".join(sorted(sources))
    rows += [
        Row(name, Standing.PUBLISHED, tuple(cells.get(one, Cell()) for one in named), source)
        for name, cells in papers.items()
    ]
    columns = tuple(Column(f"condition-{at}", one.capitalize(), Number.FIGURE) for at, one in enumerate(named))
    note = "Mean and standard deviation over the draws."
    return Table(f"conditions-{metric.replace('_', '-')}", f"Conditions: {name.lower()}", note, columns, tuple(rows))


def _tests(material: Material, found: list[list[Asked]]) -> list[Table]:
    renamed = [replace(one.figures, judge=_way(material, one)) for some in found for one in some]
    rows = conditions_of(renamed)
    tables = []
    for metric in dict.fromkeys(row.metric for row in rows):
        some = [row for row in rows if row.metric == metric]
        told = tuple(
            Row(f"{one.who}: {material.condition(one.condition)}", Standing.JUDGE, _test(one.tested)) for one in some
        )
        note = (
            f"{some[0].name} of the same draws under both conditions; p values are corrected over this table (Holm). "
            "Open: the draws show neither a difference nor that there is none within the margin."
        )
        key = f"against-raw-{metric.replace('_', '-').replace('.', '-')}"
        tables.append(Table(key, f"Against raw: {some[0].name.lower()}", note, _COLUMNS, told, "Judge and condition"))
    return tables


_COLUMNS = (
    Column("difference", "Difference", Number.SIGNED),
    Column("interval", "95 % interval", Number.TEXT),
    Column("t", "Paired t, p", Number.P),
    Column("ranks", "Signed ranks, p", Number.P),
    Column("effect", "d_z", Number.FIGURE),
    Column("effect_interval", "95 % interval of d_z", Number.TEXT),
    Column("margin", "Margin", Number.FIGURE),
    Column("same", "Equivalence, p", Number.P),
    Column("says", "Shows", Number.TEXT),
)


def _test(one: AgainstRaw) -> tuple[Cell, ...]:
    return (
        Cell(one.difference, n=one.n, why=one.reason),
        Cell(text=between(one.low, one.high)),
        Cell(one.t_p_holm),
        Cell(one.wilcoxon_p_holm),
        Cell(one.effect),
        Cell(text=between(one.effect_low, one.effect_high)),
        Cell(one.margin),
        Cell(one.equivalence_p_holm),
        Cell(text=_SAYS[one.conclusion] if not one.reason else "no test", why=one.reason),
    )


def between(low: float | None, high: float | None) -> str:
    """Return an interval as text; a dash where there is none."""
    return "\N{EN DASH}" if low is None or high is None else f"{low:+.3f} to {high:+.3f}"


def _way(material: Material, one: Asked) -> str:
    """Return the name of a run without its condition."""
    condition = material.condition(one.figures.run.condition)
    name = one.name.removesuffix(f", {condition}") if one.figures.run.condition != RAW else one.name
    return f"{material.entries[one.task].name}: {name}" if one.task != TASK else name
