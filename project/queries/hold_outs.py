"""Recordings that are kept back: nothing of them is ever exported, nor of an episode that goes on from one."""

from project.store import Study

_KEPT_BACK = """
WITH RECURSIVE kept (id) AS (
  SELECT recording_id FROM hold_out
  UNION SELECT recording_id FROM episode
    WHERE from_recording_id <> '' AND from_recording_id NOT IN (SELECT id FROM recording)
  UNION SELECT e.recording_id FROM episode e JOIN kept ON kept.id = e.from_recording_id
)
SELECT id FROM kept
"""


def hold_outs(study: Study) -> frozenset[str]:
    """Return the ids of the recordings that are kept back, and of the episodes that go on from one of them.

    An episode holds words of the recording that it goes on from, so it is kept back with it, whoever said so when, and
    where that recording is gone, because nobody knows any more whether it was.
    """
    return frozenset(row[0] for row in study.rows(_KEPT_BACK))


def set_hold_out(study: Study, recording_id: str, held_out: bool) -> None:
    """Keep a recording back, or no longer; inside a step."""
    if held_out:
        study.write("INSERT INTO hold_out VALUES (?) ON CONFLICT DO NOTHING", (recording_id,))
    else:
        study.write("DELETE FROM hold_out WHERE recording_id = ?", (recording_id,))
