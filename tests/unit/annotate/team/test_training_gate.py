"""The gate of a study that another version wrote."""

from pathlib import Path

from annotate.team.assignments import mark_done
from annotate.team.training_gate import TRAINING, read_gate, require_training
from project.queries.recording_rows import all_recordings
from tests.builders.training_round import mark, open_round


def test_a_figure_that_is_not_known_is_not_asked_for(tmp_path: Path) -> None:
    with open_round(tmp_path) as session:
        gate = read_gate(session)
        kept = gate.as_json()
        assert isinstance(kept, dict)
        with session.step("Another version's gate"):
            session.study.set_property(TRAINING, {**kept, "minimum": {"boundaries": 0.5, "politeness": 0.9}})
        again = read_gate(session)
        assert again.minimum == {"boundaries": 0.5}
        first, second, _ = all_recordings(session.study)
        session.annotator_name = "Ada"
        mark(session, first.id, 1, 3, "Interrupts.")
        mark(session, first.id, 5, 7, "Asks.")
        mark_done(session, first.id)
        require_training(session, second.id)
