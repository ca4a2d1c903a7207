"""Edits of the training round: which recordings, against whom, and what has to be reached."""

from collections.abc import Mapping, Sequence

from app.core.commands.people import annotator_called
from app.core.commands.plan import give_training
from app.core.session import Session
from app.core.training import FIGURES, TRAINING, Gate
from project.errors import UserError
from project.queries.plans import set_assignments
from project.types import Changes


def set_training(session: Session, recordings: Sequence[str], reference: str, minimum: Mapping[str, float]) -> Changes:
    """Open a training round; everybody in the plan but the reference is given these recordings to train on.

    Args:
        session: of the study's owner.
        recordings: ids of the recordings.
        reference: name of the annotator to compare with.
        minimum: figure -> what it must reach, 0 to 1; figures that are not named do not count.

    Raises:
        UserError: there are no recordings, nobody is called that, or a minimum is no share.
    """
    if not recordings:
        raise UserError("A training needs recordings.", "Name them: --recording 1 --recording 2")
    for figure, least in minimum.items():
        if figure not in FIGURES or not 0 <= least <= 1:
            raise UserError(f"“{least}” is not allowed for {figure}.", "Give a share from 0 to 1.")
    who = annotator_called(session, reference)
    gate = Gate(tuple(dict.fromkeys(recordings)), who.id, dict(minimum))
    with session.step("Set up training") as step:
        session.study.set_property(TRAINING, gate.as_json())
        set_assignments(session.study, give_training(session, gate.recordings, who.id))
    return step.changes


def end_training(session: Session) -> Changes:
    """Take the gate away; what was given for training stays in the plan."""
    with session.step("End training") as step:
        session.study.set_property(TRAINING, None)
    return step.changes
