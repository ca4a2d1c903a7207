"""The command about the training round."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.commands import training as commands
from app.core.lookup import recording_called
from app.core.session import Session
from app.core.training import FIGURES, Gate, Trained, gate_of, trained, trainees
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.types import Json

_SHARE = click.FloatRange(0, 1)


@click.command()
@STUDY
@click.option("--recording", multiple=True, help="A recording to train on; give it again for each further one.")
@click.option("--reference", help="Name of the annotator to compare with.")
@click.option("--minimum-boundaries", type=_SHARE, help="Mean overlap (IoU) of matched segments, 0 to 1.")
@click.option("--minimum-labels", type=_SHARE, help="Share of matched segments with the same label, 0 to 1.")
@click.option("--minimum-attributes", type=_SHARE, help="Mean Jaccard index of the attributes, 0 to 1.")
@click.option("--off", is_flag=True, help="End the training: the work is open to everybody.")
@json_option
def training(
    study: Path,
    recording: tuple[str, ...],
    reference: str | None,
    minimum_boundaries: float | None,
    minimum_labels: float | None,
    minimum_attributes: float | None,
    off: bool,
    as_json: bool,
) -> None:
    """Set what opens the real work, or show how everybody does.

    It opens once an annotator has reached the scores in training.

    \b
    Example:
      greenroom training my-study.greenroom --recording 1 --recording 2 --reference Expert --minimum-labels 0.8
      greenroom training my-study.greenroom
    """
    given = dict(zip(FIGURES, (minimum_boundaries, minimum_labels, minimum_attributes), strict=True))
    least = {figure: value for figure, value in given.items() if value is not None}
    changing = bool(recording or reference or least)
    if changing and (not recording or reference is None):
        raise UserError("A training needs recordings and a reference.", "Give both: --recording 1 --reference NAME")
    with Session.open(study, read_only=not (changing or off)) as session:
        if off:
            commands.end_training(session)
        elif reference is not None:
            ids = [recording_called(session, one).id for one in recording]
            commands.set_training(session, ids, reference, least)
        gate = gate_of(session)
        people = [trained(session, who, gate) for who in trainees(session)] if gate else []
        names = {one.id: one.name for one in all_annotators(session.study)}
        numbers = [session.recording(one).number for one in gate.recordings] if gate else []
    if gate is None:
        tell(as_json, {"training": None, "annotators": []}, "There is no training in this study.")
        return
    about: dict[str, Json] = {
        "recordings": [*numbers],
        "reference": names.get(gate.reference, ""),
        "minimum": {**gate.minimum},
    }
    where = f"recording{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
    heading = f"Training on {where} against {about['reference']}: {_wanted(gate)}"
    tell(
        as_json,
        {"training": about, "annotators": [_as_json(one) for one in people]},
        "\n".join([heading, *map(_line, people)]),
    )


def _wanted(gate: Gate) -> str:
    return ", ".join(f"{figure} at least {least:.2f}" for figure, least in gate.minimum.items()) or "nothing required"


def _as_json(one: Trained) -> Json:
    return {
        "name": one.annotator.name,
        "given": one.given,
        "done": one.done,
        "pairs": one.pairs,
        **one.figures,
        "passed": one.passed,
    }


def _line(one: Trained) -> str:
    figures = ", ".join(f"{key} {'-' if value is None else f'{value:.2f}'}" for key, value in one.figures.items())
    state = "passed" if one.passed else "not passed yet"
    return f"{one.annotator.name}: {state}, {one.done} of {one.given} done, {figures} (n = {one.pairs})"
