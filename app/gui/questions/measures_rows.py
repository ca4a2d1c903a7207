"""From measures to the rows of tables."""

from collections.abc import Mapping

from app.core.chains.statistics import ChainStatistics
from app.core.questions.measures import Asking, JudgeMeasures, Measures
from benchmark.agreement.figure import Figure
from benchmark.questions.diagnostics import ACCURACY, BIAS, NAMES
from benchmark.questions.published import R3_VQA, PublishedRow, published_rows
from project.judging import RAW, Modality
from project.questions import QuestionKind
from resources.translation import tr, trn
from widgets.agreement.figure_row import FigureRow
from widgets.plots.scene import Measured
from widgets.rows_table import Row

KINDS = {
    QuestionKind.STATE: (tr("Mental states (MSE)"), "mse"),
    QuestionKind.EVENT: (tr("Events (EU)"), "eu"),
    QuestionKind.WHY: (tr("Why (CW)"), "cw"),
    QuestionKind.HOW: (tr("How or what (CH/W)"), "chw"),
}
"""Kind -> its name, and what published rows call it; the other kinds have no row there."""
SHOWN = {
    Modality.WORDS: tr("text only"),
    Modality.PICTURES: tr("frames only"),
    Modality.BOTH: tr("text and frames"),
    Modality.NOTHING: tr("nothing shown"),
}
_SHARE = tr("Share of the questions asked that were answered right; n: questions.")
_CHAIN = tr("Share of chains all of whose questions were answered right; n: chains.")
_SUBCHAIN = tr("Share of subchains all of whose questions were answered right; n: subchains.")
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


def measured(figure: Figure) -> Measured:
    """Return a figure as tables and plots take it."""
    return Measured(figure.value, figure.n, figure.low, figure.high, figure.reason)


def called(asking: Asking) -> str:
    """Return how a judge that was asked in one way is named, such as “gpt, +sub, text and frames”."""
    parts = [asking.judge, asking.setting, SHOWN[asking.modality]]
    parts += [asking.condition] if asking.condition != RAW else []
    return ", ".join(parts + ([tr("seed {seed}").format(seed=asking.seed)] if asking.seed else []))


def published() -> dict[str, PublishedRow]:
    """Return the rows of R3-VQA's table of generated questions by the name that a person chooses from."""
    return {f"{one.model}, {one.setting}": one for one in published_rows(R3_VQA) if one.table == 3}


def overview(found: Measures) -> list[Row]:
    """Return a row for each judge and way of asking, then the published ones."""
    rows = [
        Row(
            str(place),
            (
                one.asking.judge,
                one.asking.setting,
                SHOWN[one.asking.modality],
                f"{one.asked:,}",
                share(one.overall),
                *(share(one.by_kind.get(kind.value)) for kind in KINDS),
                share(one.chain),
                share(one.subchain),
            ),
        )
        for place, one in enumerate(found.judges)
    ]
    keys = ("overall", "mse", "eu", "cw", "chw", "chain", "subchain")
    for name, one in published().items():
        texts = (f"{one.figures[key]:.1f} %" if key in one.figures else "–" for key in keys)  # noqa: RUF001
        rows.append(
            Row(
                tr("published {name}").format(name=name),
                (tr("R3-VQA: {model}").format(model=one.model), one.setting, "", "", *texts),
            )
        )
    return rows


def share(figure: Figure | None) -> str:
    """Return a share in percent, with half of its interval where it has one."""
    if figure is None or figure.value is None:
        return "–"  # noqa: RUF001 an en dash stands for nothing
    between = "" if figure.low is None or figure.high is None else f" ± {(figure.high - figure.low) * 50:.1f}"
    return f"{figure.value * _PERCENT:.1f}{between} %"


def judge_rows(one: JudgeMeasures, beside: PublishedRow | None) -> list[FigureRow]:
    """Return the figures of one judge under headings, with a published row beside them."""
    rows = [FigureRow(tr("Accuracy")), _row(tr("All questions"), _SHARE, one.overall, beside, "overall")]
    for kind in QuestionKind:
        if kind.value in one.by_kind:
            name, key = KINDS.get(kind, (kind.value, ""))
            rows.append(_row(name, _SHARE, one.by_kind[kind.value], beside, key))
    if one.by_state:
        rows.append(FigureRow(tr("Accuracy by mental state")))
        rows += [_row(state.capitalize(), _SHARE, figure, beside, state) for state, figure in one.by_state.items()]
    rows.append(FigureRow(tr("Consistency")))
    rows.append(_row(tr("Chains"), _CHAIN, one.chain, beside, "chain"))
    rows.append(_row(tr("Subchains"), _SUBCHAIN, one.subchain, beside, "subchain"))
    if one.by_steps:
        rows.append(FigureRow(tr("By the length of the chain, in steps")))
        for steps, (accuracy, chain, subchain) in one.by_steps.items():
            named = trn("{count} step", "{count} steps", steps)
            rows.append(FigureRow(tr("{named}: accuracy").format(named=named), _SHARE, measured(accuracy)))
            rows.append(FigureRow(tr("{named}: chains").format(named=named), _CHAIN, measured(chain)))
            rows.append(FigureRow(tr("{named}: subchains").format(named=named), _SUBCHAIN, measured(subchain)))
    return rows


def diagnostics_rows(found: Measures) -> list[FigureRow]:
    """Return what the set of questions is like, beside ESI-Bench."""
    theirs = next((one for one in found.published if one.model == "ESI-Bench"), None)
    rows = []
    for key, figure in found.diagnostics.items():
        means = tr("Share; n: answers.") if key in (BIAS, ACCURACY) else tr("Mean of the scores; n: answers of judges.")
        rows.append(_row(NAMES[key], means, figure, theirs, key, shares=key in (BIAS, ACCURACY)))
    return rows


def chain_rows(found: ChainStatistics) -> list[Row]:
    """Return what chains are made of, beside R3-VQA."""
    return [Row(one.key, (one.name, _number(one.value), _number(one.published), one.source)) for one in found.figures()]


def _row(
    name: str, means: str, figure: Figure, beside: PublishedRow | None, key: str, *, shares: bool = True
) -> FigureRow:
    theirs: Mapping[str, float] = beside.figures if beside is not None else {}
    if beside is None or key not in theirs:
        return FigureRow(name, means, measured(figure))
    value = theirs[key] / _PERCENT if shares else theirs[key]
    return FigureRow(
        name,
        means,
        measured(figure),
        value,
        tr("{paper}, table {table}: {model}").format(paper=beside.paper, table=beside.table, model=beside.model),
    )


def _number(value: float | None) -> str:
    if value is None:
        return "–"  # noqa: RUF001
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
