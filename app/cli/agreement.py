"""How far the annotators of a study agree, on the command line."""

from collections.abc import Mapping
from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.agreement.figure_words import words_of
from app.core.session import Session
from benchmark.agreement.figure import Figure
from benchmark.agreement.report import Report
from project.counted import counted

_WIDE = 46


@click.command()
@STUDY
@click.option("--pair", nargs=2, default=None, metavar="A B", help="Two annotators; everybody when not given.")
@click.option("--third", default="", help="An annotator to compare with the others, and to count nowhere else.")
@click.option("--scheme", default="", help="A scheme of the study; its default one when not given.")
@click.option("--track", default="", help="A track of the scheme; the first one when not given.")
@click.option(
    "--recordings", multiple=True, help="Number, file name or id; give it again for each. All when not given."
)
@click.option("--within", multiple=True, help="A field: only segments of the same value in it are compared.")
@click.option("--minimum-iou", default=0.0, show_default=True, help="What overlapping means; 0 is any time in common.")
@click.option(
    "--step-ms",
    default=100,
    show_default=True,
    type=click.IntRange(1, 3_600_000),
    help="Between the instants of the time grid.",
)
@click.option(
    "--bins",
    default=5,
    show_default=True,
    type=click.IntRange(2, 1000),
    help="Into which ratings are cut for Randolph's kappa.",
)
@click.option("--samples", default=1000, show_default=True, type=click.IntRange(0, 10_000), help="Of the bootstrap.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the bootstrap.")
@json_option
def agreement(
    study: Path,
    pair: tuple[str, str] | None,
    third: str,
    scheme: str,
    track: str,
    recordings: tuple[str, ...],
    within: tuple[str, ...],
    minimum_iou: float,
    step_ms: int,
    bins: int,
    samples: int,
    seed: int,
    as_json: bool,
) -> None:
    """Say how far the annotators of a study agree.

    Only people count; a model does when it is named with --pair. Nothing is written.

    \b
    Example:
      greenroom agreement my-study.greenroom
      greenroom agreement my-study.greenroom --pair Ada Ben --minimum-iou 0.5 --json
    """
    from app.core.agreement.measuring import Question
    from app.core.agreement.measuring import agreement as figures_of
    from app.core.lookup import recording_called
    from benchmark.agreement.material import Options

    with Session.open(study, read_only=True) as session:
        question = Question(
            pair=pair or (),
            third=third,
            scheme=scheme,
            track=track,
            recordings=tuple(recording_called(session, text).id for text in recordings),
            within=within or None,
            options=Options(minimum_iou, 1000 * step_ms, bins, samples, seed),
        )
        report = figures_of(session, question)
    tell(as_json, report.to_json(), _text(report))


def _text(report: Report) -> str:
    found = report.settings
    people = found["annotators"]
    names = ", ".join(map(str, people)) if isinstance(people, list) else ""
    lines = [
        f"{counted(int(str(found['annotations'])), 'annotation')} of "
        f"{counted(int(str(found['recordings'])), 'recording')}, "
        f"{found['recordings_compared']} by two or more, by {names or 'nobody yet'}",
        *_lines({words_of(key).name: figure for key, figure in report.main.items()}),
        *_lines({f"F1 at IoU {level}": figure for level, figure in report.f1_iou.items()}),
    ]
    for field in report.fields:
        if any(figure.n for figure in field.figures.values()):
            lines += [field.name, *_lines({f"  {key.replace('_', ' ')}": one for key, one in field.figures.items()})]
    if report.published:
        lines.append("Beside what was published:")
        for one in report.published:
            own = "-" if one.own is None or one.own.value is None else f"{one.own.value:.3f}"
            lines.append(f"  {one.published.name:<68} {one.published.value:>6.3f}   here {own:>6}")
    return "\n".join(lines)


def _lines(figures: Mapping[str, Figure]) -> list[str]:
    return [f"{name:<{_WIDE}} {_shown(figure)}" for name, figure in figures.items()]


def _shown(figure: Figure) -> str:
    if figure.value is None:
        return f"     -   {figure.reason}"
    between = "" if figure.low is None or figure.high is None else f"   {figure.low:6.3f} to {figure.high:6.3f}"
    return f"{figure.value:6.3f}{between}   n = {figure.n}"
