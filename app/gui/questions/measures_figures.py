"""Computes measures of questions, judges and chains, and presents them as table rows, plots and files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.agreement.figure_intervals import StatisticResult
from annotate.chains.chain_checks import ChainStatistics, compute_chain_statistics
from app.gui.pages.figure_export import PLOT_FILES, plot_file
from benchmark.metrics.published_figures import R3_VQA, PublishedTableRow, published_rows
from benchmark.questions.chain_consistency import ACCURACY, BIAS, FIGURE_NAMES
from benchmark.questions.question_measures import (
    BASE,
    SUB,
    SUB_TOM,
    JudgeMeasures,
    JudgeSetup,
    Measures,
    compute_measures,
    read_measures_input,
)
from project.entities.causal_chains import NodeKind
from project.entities.judgments import RAW_CONDITION, Modality
from project.entities.questions import QuestionKind
from project.progress import Progress
from project.schemes.scheme import Label, Track
from project.session.session import Session
from project.store.column_values import to_json
from project.text_format import Cell, pluralize, to_csv
from resources.translation import tr, trn
from widgets.labels import KIND_LOOKS, LabelLook, label_looks
from widgets.plots.estimates_table import AgreementFigureRow
from widgets.plots.plot_data import BarPlot, Lines, Plot, PlotNumberFormat, PlottedValue, Series
from widgets.table.record_table import RecordColumn, TableRow, text_columns

RELEVANT_TABLES = frozenset(
    {
        *("question", "verification", "judgment", "judge"),
        *("chain", "chain_node", "chain_edge", "chain_person", "recording"),
    }
)
"""Tables that the figures depend on."""


@dataclass(frozen=True, eq=False)
class MeasuresResult:
    """All figures of one moment."""

    measures: Measures
    chains: ChainStatistics


def compute_measures_result(second: Session, progress: Progress, everything: bool) -> MeasuresResult:
    """Read the study and compute.

    Args:
        second: a session of the study that nothing else uses.
        progress: told how far it is.
        everything: whether what takes long is computed too.

    Raises:
        Cancelled: the user stopped it.
    """
    material = read_measures_input(second)
    progress.check_cancelled()
    chains = compute_chain_statistics(material.graphs)
    progress.check_cancelled()
    return MeasuresResult(compute_measures(material, everything=everything, progress=progress), chains)


KINDS = {
    QuestionKind.STATE: (tr("Mental states (MSE)"), "mse"),
    QuestionKind.EVENT: (tr("Events (EU)"), "eu"),
    QuestionKind.WHY: (tr("Why (CW)"), "cw"),
    QuestionKind.HOW: (tr("How or what (CH/W)"), "chw"),
}
"""Kind -> its name, and what published rows call it; the other kinds have no row there."""
MODALITY_NAMES = {
    Modality.TEXT: tr("text only"),
    Modality.PICTURES: tr("frames only"),
    Modality.BOTH: tr("text and frames"),
    Modality.NOTHING: tr("nothing shown"),
}
_ACCURACY_MEANING = tr("Share of the questions asked that were answered right; n: questions.")
_CHAIN_MEANING = tr("Share of chains all of whose questions were answered right; n: chains.")
_SUBCHAIN_MEANING = tr("Share of subchains all of whose questions were answered right; n: subchains.")
_PERCENT = 100.0
COLUMNS = (
    tr("Judge"),
    tr("Setting"),
    tr("Shown"),
    "n",
    tr("All"),
    "MSE",
    "EU",
    "CW",
    "CH/W",
    tr("Chains"),
    tr("Subchains"),
)


def overview_columns() -> list[RecordColumn[TableRow]]:
    """Return the columns of `overview_rows`; the title of a kind of question says what it stands for."""
    meanings = {title.partition("(")[2].rstrip(")"): title for title, _ in KINDS.values()}
    return [replace(column, title_tip=meanings.get(column.title, "")) for column in text_columns(COLUMNS, shrinks=0)]


def to_measured(figure: StatisticResult) -> PlottedValue:
    """Return a figure as tables and plots take it."""
    return PlottedValue(figure.value, figure.n, figure.low, figure.high, figure.reason)


def judge_label(asking: JudgeSetup) -> str:
    """Return how a judge that was asked in one way is named, such as “gpt, +sub, text and frames”."""
    parts = [asking.name, asking.setting, MODALITY_NAMES[asking.modality]]
    parts += [asking.condition] if asking.condition != RAW_CONDITION else []
    return ", ".join(parts + ([tr("seed {seed}").format(seed=asking.seed)] if asking.seed else []))


def published_by_name() -> dict[str, PublishedTableRow]:
    """Return the rows of R3-VQA's table of generated questions by the name that a person chooses from."""
    return {f"{row.model}, {row.setting}": row for row in published_rows(R3_VQA) if row.table == 3}


def overview_rows(found: Measures) -> list[TableRow]:
    """Return a row for each judge and way of asking, one for each departure from a paper, then the published ones.

    Where no judge was asked there is nothing to compare, and no row.
    """
    rows = [
        TableRow(
            str(place),
            (
                judge_measures.setup.name,
                judge_measures.setup.setting,
                MODALITY_NAMES[judge_measures.setup.modality],
                f"{judge_measures.asked:,}",
                format_share(judge_measures.overall),
                *(format_share(judge_measures.by_kind.get(kind.value)) for kind in KINDS),
                format_share(judge_measures.chain),
                format_share(judge_measures.subchain),
            ),
        )
        for place, judge_measures in enumerate(found.judges)
    ]
    rows += [
        TableRow(f"other {place}", (line, *[""] * (len(COLUMNS) - 1)), "info")
        for place, line in enumerate(found.departures)
    ]
    keys = ("overall", "mse", "eu", "cw", "chw", "chain", "subchain")
    for name, row in published_by_name().items() if found.judges else ():
        texts = (f"{row.figures[key]:.1f} %" if key in row.figures else "–" for key in keys)  # noqa: RUF001
        rows.append(
            TableRow(
                tr("published {name}").format(name=name),
                (tr("R3-VQA: {model}").format(model=row.model), row.setting, "", "", *texts),
            )
        )
    return rows


def format_share(figure: StatisticResult | None) -> str:
    """Return a share in percent, with half of its interval where it has one."""
    if figure is None or figure.value is None:
        return "–"  # noqa: RUF001 an en dash stands for nothing
    between = "" if figure.low is None or figure.high is None else f" ± {(figure.high - figure.low) * 50:.1f}"
    return f"{figure.value * _PERCENT:.1f}{between} %"


def judge_rows(judge_measures: JudgeMeasures, beside: PublishedTableRow | None) -> list[AgreementFigureRow]:
    """Return the figures of one judge under headings, with a published row beside them."""
    rows = [
        AgreementFigureRow(tr("Accuracy")),
        _figure_row(tr("All questions"), _ACCURACY_MEANING, judge_measures.overall, beside, "overall"),
    ]
    for kind in QuestionKind:
        if kind.value in judge_measures.by_kind:
            name, key = KINDS.get(kind, (kind.value, ""))
            rows.append(_figure_row(name, _ACCURACY_MEANING, judge_measures.by_kind[kind.value], beside, key))
    if judge_measures.by_state:
        rows.append(AgreementFigureRow(tr("Accuracy by mental state")))
        rows += [
            _figure_row(state.capitalize(), _ACCURACY_MEANING, figure, beside, state)
            for state, figure in judge_measures.by_state.items()
        ]
    rows.append(AgreementFigureRow(tr("Consistency")))
    rows.append(_figure_row(tr("Chains"), _CHAIN_MEANING, judge_measures.chain, beside, "chain"))
    rows.append(_figure_row(tr("Subchains"), _SUBCHAIN_MEANING, judge_measures.subchain, beside, "subchain"))
    if judge_measures.by_steps:
        rows.append(AgreementFigureRow(tr("By the length of the chain, in steps")))
        for steps, measures in judge_measures.by_steps.items():
            named = trn("{count} step", "{count} steps", steps)
            rows += [
                AgreementFigureRow(text.format(named=named), meaning, to_measured(figure))
                for text, meaning, figure in (
                    (tr("{named}: accuracy"), _ACCURACY_MEANING, measures.accuracy),
                    (tr("{named}: chains"), _CHAIN_MEANING, measures.chain),
                    (tr("{named}: subchains"), _SUBCHAIN_MEANING, measures.subchain),
                )
            ]
    return rows


def diagnostics_rows(found: Measures) -> list[AgreementFigureRow]:
    """Return what the questions are like by kind, judge and setting, those of ESI-Bench beside the paper."""
    rows: list[AgreementFigureRow] = []
    for kind, setup in dict.fromkeys((figure.kind, figure.setup) for figure in found.diagnostics):
        rows.append(AgreementFigureRow(f"{_kind_name(kind)}: {judge_label(setup)}, {setup.variant}"))
        for figure in found.diagnostics:
            if (figure.kind, figure.setup) == (kind, setup):
                share = figure.figure in (BIAS, ACCURACY)
                means = tr("Share; n: questions.") if share else tr("Mean score; n: questions.")
                name = FIGURE_NAMES[figure.figure]
                rows.append(_figure_row(name, means, figure.result, figure.published, figure.figure, shares=share))
    return rows


def _kind_name(kind: QuestionKind) -> str:
    return KINDS[kind][0] if kind in KINDS else kind.value


def chain_rows(found: ChainStatistics) -> list[TableRow]:
    """Return what chains are made of, beside R3-VQA."""
    return [
        TableRow(
            figure.key, (figure.name, _format_number(figure.value), _format_number(figure.published), figure.source)
        )
        for figure in found.figures()
    ]


def _figure_row(
    name: str, means: str, figure: StatisticResult, beside: PublishedTableRow | None, key: str, *, shares: bool = True
) -> AgreementFigureRow:
    theirs: Mapping[str, float] = beside.figures if beside is not None else {}
    if beside is None or key not in theirs:
        return AgreementFigureRow(name, means, to_measured(figure))
    value = theirs[key] / _PERCENT if shares else theirs[key]
    return AgreementFigureRow(
        name,
        means,
        to_measured(figure),
        value,
        tr("{paper}, table {table}: {model}").format(paper=beside.paper, table=beside.table, model=beside.model),
    )


def _format_number(value: float | None) -> str:
    if value is None:
        return "–"  # noqa: RUF001
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


_MAX_JUDGES = 30
"""Judges and ways of asking that are drawn side by side."""
_WHISKERS = tr("whiskers: 95 % intervals over recordings")
_UNDEFINED = PlottedValue(None)
_MODALITIES = (Modality.BOTH, Modality.PICTURES, Modality.TEXT, Modality.NOTHING)


def judge_plots(judge_measures: JudgeMeasures, beside: PublishedTableRow | None) -> list[Plot]:
    """Return what one judge, asked in one way, is drawn as."""
    kinds = [kind for kind in KINDS if kind.value in judge_measures.by_kind]
    found: list[Plot] = []
    if kinds:
        names = [KINDS[kind][0] for kind in kinds]
        figures = [judge_measures.by_kind[kind.value] for kind in kinds]
        found.append(
            _share_bars(
                "accuracy_by_kind",
                tr("Accuracy by kind"),
                judge_measures,
                names,
                figures,
                beside,
                [KINDS[k][1] for k in kinds],
            )
        )
    if judge_measures.by_state:
        states = [*judge_measures.by_state]
        names = [state.capitalize() for state in states]
        figures = [*judge_measures.by_state.values()]
        found.append(
            _share_bars(
                "accuracy_by_state", tr("Accuracy by mental state"), judge_measures, names, figures, beside, states
            )
        )
    if judge_measures.by_steps:
        found.append(_length_plot(judge_measures))
    return found


def comparison_plots(found: Measures) -> list[Plot]:
    """Return what all judges are drawn as beside one another: consistency, settings, what was shown."""
    shown = found.judges[:_MAX_JUDGES]
    if not shown:
        return []
    plots: list[Plot] = [
        BarPlot(
            "consistency",
            tr("Consistency"),
            tr("Chains and subchains that were answered right as a whole; {whiskers}").format(whiskers=_WHISKERS),
            tuple(judge_label(judge_measures.setup) for judge_measures in shown),
            _make_series(
                (tr("Questions"), tr("Subchains"), tr("Chains")),
                [
                    [to_measured(judge_measures.overall) for judge_measures in shown],
                    [to_measured(judge_measures.subchain) for judge_measures in shown],
                    [to_measured(judge_measures.chain) for judge_measures in shown],
                ],
            ),
            "share",
            PlotNumberFormat.FIGURE,
        )
    ]
    settings = [setting for setting in (BASE, SUB, SUB_TOM) if any(judge.setup.setting == setting for judge in shown)]
    if len(settings) > 1:
        most = sorted(shown, key=lambda judge_measures: _MODALITIES.index(judge_measures.setup.modality))
        about = tr("The most that each judge was shown")
        plots.append(
            _trait_bars(
                "by_setting",
                tr("Accuracy by setting"),
                about,
                most,
                settings,
                settings,
                lambda judge: judge.setting,
                _judge_group,
            )
        )
    ways = [modality for modality in _MODALITIES if any(judge.setup.modality is modality for judge in shown)]
    if len(ways) > 1:
        title = tr("Accuracy by what was shown")
        names = [MODALITY_NAMES[way].capitalize() for way in ways]
        plots.append(
            _trait_bars(
                "by_modality",
                title,
                tr("Settings of one prompt"),
                shown,
                ways,
                names,
                lambda judge: judge.modality,
                _prompt_group,
            )
        )
    return plots


def chain_plots(found: ChainStatistics) -> list[Plot]:
    """Return what the chains of a study are drawn as."""
    if not found.chains:
        return []
    theirs = {figure.key: figure.published for figure in found.figures()}
    whole = theirs.get("nodes")
    about = tr("{nodes} of {chains}").format(
        nodes=trn("{count} node", "{count} nodes", found.nodes),
        chains=trn("{count} chain", "{count} chains", found.chains),
    )
    references = [theirs.get(f"nodes.{kind.value}") for kind in NodeKind]
    return [
        BarPlot(
            "nodes_by_kind",
            tr("Nodes by kind"),
            about,
            tuple(KIND_LOOKS[kind].name for kind in NodeKind),
            (
                Series(
                    "share",
                    tuple(PlottedValue(found.by_kind[kind] / found.nodes, found.by_kind[kind]) for kind in NodeKind),
                ),
            ),
            tr("share of all nodes"),
            PlotNumberFormat.FIGURE,
            reference="R3-VQA",
            references=tuple(None if reference is None or not whole else reference / whole for reference in references),
        ),
        _count_bars(
            "steps",
            tr("How long chains are"),
            trn("{count} chain", "{count} chains", found.chains),
            found.steps,
            "chains",
            "step",
        ),
        _count_bars(
            "reasons",
            tr("Reasons of a subchain"),
            trn("{count} subchain", "{count} subchains", found.subchains),
            found.reasons,
            "subchains",
            "reason",
        ),
        _count_bars(
            "people",
            tr("Characters of a node"),
            trn("{count} node", "{count} nodes", found.nodes),
            found.people,
            "nodes",
            "character",
        ),
    ]


def _share_bars(
    key: str,
    title: str,
    judge_measures: JudgeMeasures,
    names: Sequence[str],
    figures: Sequence[StatisticResult],
    beside: PublishedTableRow | None,
    keys: Sequence[str],
) -> BarPlot:
    theirs = [None if beside is None else beside.figures.get(key) for key in keys]
    known = beside is not None and any(value is not None for value in theirs)
    return BarPlot(
        key,
        title,
        f"{judge_label(judge_measures.setup)}; {_WHISKERS}",
        tuple(names),
        (Series("accuracy", tuple(to_measured(figure) for figure in figures)),),
        tr("share answered right"),
        PlotNumberFormat.FIGURE,
        reference=f"{beside.paper}: {beside.model}, {beside.setting}" if beside is not None and known else "",
        references=tuple(None if value is None else value / 100 for value in theirs) if known else (),
    )


def _length_plot(judge_measures: JudgeMeasures) -> Lines:
    steps = judge_measures.by_steps.values()
    return Lines(
        "by_steps",
        tr("By the length of the chain"),
        f"{judge_label(judge_measures.setup)}; {_WHISKERS}",
        tuple(float(steps) for steps in judge_measures.by_steps),
        _make_series(
            (tr("Questions"), tr("Subchains"), tr("Chains")),
            [
                [to_measured(measures.accuracy) for measures in steps],
                [to_measured(measures.subchain) for measures in steps],
                [to_measured(measures.chain) for measures in steps],
            ],
        ),
        "steps",
        tr("Share answered right"),
    )


def _trait_bars(
    key: str,
    title: str,
    about: str,
    shown: Sequence[JudgeMeasures],
    values: Sequence[str],
    names: Sequence[str],
    trait: Callable[[JudgeSetup], str],
    group_of: Callable[[JudgeSetup], str],
) -> BarPlot:
    """Draw a bar for each value of a trait, in a group of whatever else is alike; the first one of a kind counts."""
    groups: dict[str, dict[str, PlottedValue]] = {}
    for judge_measures in shown:
        groups.setdefault(group_of(judge_measures.setup), {}).setdefault(
            trait(judge_measures.setup), to_measured(judge_measures.overall)
        )
    columns = [[group.get(value, _UNDEFINED) for group in groups.values()] for value in values]
    note = f"{about}; {_WHISKERS}"
    return BarPlot(
        key,
        title,
        note,
        tuple(groups),
        _make_series(names, columns),
        tr("share answered right"),
        PlotNumberFormat.FIGURE,
    )


def _judge_group(asking: JudgeSetup) -> str:
    parts = [asking.name, *([asking.condition] if asking.condition != RAW_CONDITION else [])]
    return ", ".join(parts + ([tr("seed {seed}").format(seed=asking.seed)] if asking.seed else []))


def _prompt_group(asking: JudgeSetup) -> str:
    return _judge_group(asking) if asking.setting in (BASE, SUB) else f"{_judge_group(asking)}, {asking.variant}"


def _count_bars(key: str, title: str, note: str, counts: Mapping[int, int], axis: str, thing: str) -> BarPlot:
    names = tuple(pluralize(number, thing) for number in counts)
    return BarPlot(
        key, title, note, names, (Series(axis, tuple(PlottedValue(float(count)) for count in counts.values())),), axis
    )


def _make_series(names: Sequence[str], columns: Sequence[Sequence[PlottedValue]]) -> tuple[Series, ...]:
    return tuple(
        Series(name, tuple(values), look)
        for name, values, look in zip(names, columns, _series_looks(names), strict=True)
    )


def _series_looks(names: Sequence[str]) -> Sequence[LabelLook]:
    return label_looks(Track("series", "", tuple(Label(name, name) for name in names)))


_CSV_HEADER = (
    "judge",
    "setting",
    "modality",
    "condition",
    "seed",
    "figure",
    "of",
    "value",
    "low",
    "high",
    "n",
    "reason",
)


def measures_files(found: MeasuresResult, beside: PublishedTableRow | None) -> dict[str, bytes]:
    """Return path inside the folder -> content.

    `measures.json` is what `greenroom question consistency --json` prints; each plot comes as SVG, PNG, PDF and CSV.
    """
    files = {
        "measures.json": f"{to_json(found.measures.as_json())}\n".encode(),
        "tables/judges.csv": _csv(_CSV_HEADER, _judge_table(found.measures)),
        "tables/questions.csv": _csv(
            ("figure", "kind", *_CSV_HEADER[:5], "variant", *_CSV_HEADER[-5:]),
            (
                (
                    figure.figure,
                    figure.kind.value,
                    *_setup_cells(figure.setup),
                    figure.setup.variant,
                    *_statistic_cells(figure.result),
                )
                for figure in found.measures.diagnostics
            ),
        ),
        "tables/chains.csv": _csv(
            ("figure", "value", "published", "source"),
            ((figure.key, figure.value, figure.published, figure.source) for figure in found.chains.figures()),
        ),
    }
    for folder, plots in _all_plots(found, beside):
        for plot in plots:
            files.update((f"plots/{folder}{plot.key}.{kind}", plot_file(plot, kind)) for kind in PLOT_FILES)
    return files


def _all_plots(found: MeasuresResult, beside: PublishedTableRow | None) -> Iterable[tuple[str, Sequence[Plot]]]:
    yield "", [*comparison_plots(found.measures), *chain_plots(found.chains)]
    for place, judge_measures in enumerate(found.measures.judges, 1):
        yield f"judge-{place}-", judge_plots(judge_measures, beside)


def _judge_table(found: Measures) -> Iterable[Sequence[Cell]]:
    for judge in found.judges:
        named = _setup_cells(judge.setup)
        yield (*named, "accuracy", "all", *_statistic_cells(judge.overall))
        for kind in [*(kind.value for kind in KINDS), *(judge.by_kind.keys() - {kind.value for kind in KINDS})]:
            if kind in judge.by_kind:
                yield (*named, "accuracy", kind, *_statistic_cells(judge.by_kind[kind]))
        for state, figure in judge.by_state.items():
            yield (*named, "accuracy", state, *_statistic_cells(figure))
        yield (*named, tr("chain consistency"), "all", *_statistic_cells(judge.chain))
        yield (*named, tr("subchain consistency"), "all", *_statistic_cells(judge.subchain))
        for steps, measures in judge.by_steps.items():
            for name, figure in (
                ("accuracy", measures.accuracy),
                (tr("chain consistency"), measures.chain),
                (tr("subchain consistency"), measures.subchain),
            ):
                yield (*named, name, tr("{steps} steps").format(steps=steps), *_statistic_cells(figure))


def _setup_cells(asking: JudgeSetup) -> tuple[Cell, ...]:
    return (asking.name, asking.setting, asking.modality.value, asking.condition, asking.seed)


def _statistic_cells(statistic_result: StatisticResult) -> tuple[Cell, ...]:
    return (
        statistic_result.value,
        statistic_result.low,
        statistic_result.high,
        statistic_result.n,
        statistic_result.reason,
    )


def _csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    return to_csv(head, [tuple(row) for row in rows]).encode("utf-8-sig", "replace")
