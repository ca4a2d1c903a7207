"""All measures, their tables and plots as files, for a paper and its supplement."""

from collections.abc import Iterable, Sequence

from app.core.csv_cells import Cell, as_csv
from app.core.questions.measures import Measures
from app.gui.agreement.taking import table_text
from app.gui.questions import measures_plots
from app.gui.questions.measures_computing import Found
from app.gui.questions.measures_rows import KINDS
from benchmark.agreement.figure import Figure
from benchmark.questions.published import PublishedRow
from project.json_text import to_json
from resources.translation import tr
from widgets.plots.pictures import as_png, as_svg
from widgets.plots.scene import Plot

_HEAD = ("judge", "setting", "modality", "condition", "seed", "figure", "of", "value", "low", "high", "n", "reason")


def all_files(found: Found, beside: PublishedRow | None) -> dict[str, bytes]:
    """Return path inside the folder -> content.

    `measures.json` is what `greenroom consistency --json` prints; each plot comes as SVG, PNG and CSV.
    """
    files = {
        "measures.json": f"{to_json(found.measures.as_json())}\n".encode(),
        "tables/judges.csv": _csv(_HEAD, _judges(found.measures)),
        "tables/questions.csv": _csv(
            ("figure", *_HEAD[-5:]), ((name, *_cells(one)) for name, one in found.measures.diagnostics.items())
        ),
        "tables/chains.csv": _csv(
            ("figure", "value", "published", "source"),
            ((one.key, one.value, one.published, one.source) for one in found.chains.figures()),
        ),
    }
    for folder, plots in _plots(found, beside):
        for plot in plots:
            files[f"plots/{folder}{plot.key}.svg"] = as_svg(plot)
            files[f"plots/{folder}{plot.key}.png"] = as_png(plot)
            files[f"plots/{folder}{plot.key}.csv"] = table_text(plot).encode("utf-8-sig", "replace")
    return files


def _plots(found: Found, beside: PublishedRow | None) -> Iterable[tuple[str, Sequence[Plot]]]:
    yield "", [*measures_plots.comparing_plots(found.measures), *measures_plots.chain_plots(found.chains)]
    for place, one in enumerate(found.measures.judges, 1):
        yield f"judge-{place}-", measures_plots.judge_plots(one, beside)


def _judges(found: Measures) -> Iterable[Sequence[Cell]]:
    for one in found.judges:
        told = one.asking
        named = (told.judge, told.setting, told.modality.value, told.condition, told.seed)
        yield (*named, "accuracy", "all", *_cells(one.overall))
        for kind in [*(kind.value for kind in KINDS), *(one.by_kind.keys() - {kind.value for kind in KINDS})]:
            if kind in one.by_kind:
                yield (*named, "accuracy", kind, *_cells(one.by_kind[kind]))
        for state, figure in one.by_state.items():
            yield (*named, "accuracy", state, *_cells(figure))
        yield (*named, tr("chain consistency"), "all", *_cells(one.chain))
        yield (*named, tr("subchain consistency"), "all", *_cells(one.subchain))
        for steps, figures in one.by_steps.items():
            for name, figure in zip(
                ("accuracy", tr("chain consistency"), tr("subchain consistency")), figures, strict=True
            ):
                yield (*named, name, tr("{steps} steps").format(steps=steps), *_cells(figure))


def _cells(one: Figure) -> tuple[Cell, ...]:
    return one.value, one.low, one.high, one.n, one.reason


def _csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    return as_csv(head, [tuple(row) for row in rows]).encode("utf-8-sig", "replace")
