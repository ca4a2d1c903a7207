"""What is told of a run stays small, however much was not asked."""

from benchmark.judging.run_outcome import RunOutcome, read_outcome
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.errors import UserError


def test_a_note_names_the_first_things_and_counts_the_others() -> None:
    outcome = RunOutcome()
    keys = [JudgmentTarget(JudgmentTargetKind.ITEM, f"item {number}").key for number in range(10_000)]
    for key in keys:
        outcome.add_note(None, key, UserError("It has no rendering.", "Export one."))
    (told,) = outcome.as_short_json()["notes"]
    assert isinstance(told, dict)
    assert (told["count"], told["about"]) == (len(keys), keys[:20])
    assert outcome.notes[0].as_text() == "It has no rendering. (10000 items) Export one."
    assert read_outcome(outcome.as_json()) == outcome, "what is counted on goes over whole"
