"""How well judges answer the questions of a study, on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.questions.measures import JudgeMeasures, Measures, measures
from app.core.session import Session
from benchmark.agreement.figure import Figure
from benchmark.questions.diagnostics import ACCURACY, BIAS, NAMES
from benchmark.questions.published import PublishedRow
from project.counted import counted
from project.errors import UserError
from project.percent import percent

_KINDS = {"MSE": "mse", "EU": "eu", "CW": "cw", "CH/W": "chw"}
"""Kind of question -> what published rows call it."""
_BESIDE = ("Chance", "Human", "GPT-4o", "Gemini 1.5 Pro (frames)", "Video-LLaVA")
_WIDE = 42


@click.command()
@STUDY
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option("--all", "everything", is_flag=True, help="Also questions that nobody verified yet.")
@click.option("--samples", default=1000, show_default=True, type=click.IntRange(0, 10_000), help="Of the bootstrap.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the bootstrap.")
@json_option
def consistency(study: Path, judges: tuple[str, ...], everything: bool, samples: int, seed: int, as_json: bool) -> None:
    """Say how well judges answer questions, and understand chains.

    A chain counts as understood when all questions about its nodes and subchains are answered right. Only verified
    questions count, unless --all is given. Nothing is written.

    \b
    Example:
      greenroom consistency my-study.greenroom
      greenroom consistency my-study.greenroom --judge gpt --all --json
    """
    with Session.open(study, read_only=True) as session:
        found = measures(session, judges, everything=everything, samples=samples, seed=seed)
    asked = {one.asking.judge for one in found.judges} | {one.asking.judge_id for one in found.judges}
    if missing := [one for one in judges if one not in asked]:
        raise UserError(f"“{missing[0]}” was not asked about these questions.", "Ask first: greenroom questions ask")
    tell(as_json, found.as_json(), "\n".join(_text(found)))


def _text(found: Measures) -> list[str]:
    lines = [_counted(found)]
    if not found.judges:
        lines.append("No judge was asked about these questions yet.")
        return lines
    lines.append(_heading())
    lines += [_line(one) for one in found.judges]
    lines.append("Beside what R3-VQA reports:")
    lines += [_published(one) for one in found.published if one.table == 3 and one.model in _BESIDE and _r3(one)]
    figures = {NAMES[name]: one for name, one in found.diagnostics.items() if one.value is not None}
    if len(figures) > 1:
        ours = next(one for one in found.published if one.model == "ESI-Bench")
        lines.append("What the set is like, beside ESI-Bench:")
        for name, one in found.diagnostics.items():
            value = "-" if one.value is None else percent(one.value) if name in (BIAS, ACCURACY) else f"{one.value:.2f}"
            lines.append(f"  {NAMES[name]:<{_WIDE}} {value:>7}   there {ours.figures[name]:.2f}")
    return lines


def _counted(found: Measures) -> str:
    said = f"{counted(found.questions, 'question')} of {counted(len(found.sizes[0]), 'chain')}"
    if found.everything and found.unverified:
        said += f"; {found.unverified:,} of them are not verified"
    elif found.unverified:
        said += f"; {found.unverified:,} that are not verified do not count: --all counts them too"
    if found.dropped:
        said += f"; {found.dropped:,} that were dropped do not count"
    if found.stale:
        said += f"; {found.stale:,} are older than their chain and do not count"
    return said


def _heading() -> str:
    columns = [*_KINDS, "all", "chains", "subchains"]
    return f"{'':<{_WIDE}}" + "".join(f"{one:>11}" for one in columns)


def _line(one: JudgeMeasures) -> str:
    told = one.asking
    name = f"{told.judge}, {told.setting}, {told.modality.value}"
    figures = [one.by_kind.get(kind) for kind in _KINDS]
    shares = "".join(f"{_share(each):>11}" for each in (*figures, one.overall, one.chain, one.subchain))
    apart = [f"{number} {what}" for number, what in ((one.unparsed, "unreadable"), (one.refused, "refused")) if number]
    if missing := one.chain.more.get("missing"):
        apart.append(f"{missing} of their chains not asked")
    return f"{name[:_WIDE]:<{_WIDE}}{shares}" + (f"   {', '.join(apart)}" if apart else "")


def _published(row: PublishedRow) -> str:
    figures = [row.figures.get(one) for one in (*_KINDS.values(), "overall", "chain", "subchain")]
    shares = "".join(f"{'-' if each is None else f'{each:.1f}':>11}" for each in figures)
    return f"{f'  {row.model}, {row.setting}'[:_WIDE]:<{_WIDE}}{shares}"


def _r3(row: PublishedRow) -> bool:
    return "overall" in row.figures


def _share(figure: Figure | None) -> str:
    return "-" if figure is None or figure.value is None else f"{100 * figure.value:.1f}"
