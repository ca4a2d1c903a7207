"""Hides from a person in training what the reference annotator marked, by views that queries read.

While somebody trains on a recording, the reference's segments of it are hidden from them until they mark it as done.
Queries that show segments read the view `seen_segment` in place of the table, those that show chains `seen_chain`, so
that none of them can forget. A chain that another program left without its recording or annotator is hidden too.

An episode that continues from such a segment reveals what somebody said about it. So its recording is hidden with it,
and so is what continues from that one; queries that show recordings read `seen_recording`. Where the segment is gone,
nobody knows whose it was: then it counts as hidden.
"""

from project.files.sqlcipher import sqlite3

VISIBLE_SEGMENTS = "seen_segment"
VISIBLE_CHAINS = "seen_chain"
VISIBLE_RECORDINGS = "seen_recording"

_HIDDEN = """
CREATE TEMP VIEW hidden_lane AS
SELECT given.recording_id AS recording_id, json_extract(gate.value, '$.reference') AS annotator_id
FROM main.property gate
JOIN json_each(gate.value, '$.recordings') place
JOIN main.assignment given ON given.recording_id = place.value AND given.purpose = 'training'
JOIN main.annotator who ON who.id = given.annotator_id
WHERE gate.key = 'training'
AND json_extract(gate.value, '$.reference') IS NOT NULL
AND who.id <> json_extract(gate.value, '$.reference')
AND (
    who.name IN (SELECT name FROM temp.viewer)
    OR who.name = (SELECT json_extract(value, '$.annotator') FROM main.property WHERE key = 'copy')
)
AND NOT EXISTS (
    SELECT 1 FROM main.completion done
    WHERE done.recording_id = given.recording_id AND done.annotator_id = given.annotator_id
)
"""
_HIDDEN_EPISODES = """
CREATE TEMP VIEW hidden_episode AS
WITH RECURSIVE told (id) AS (
    SELECT e.recording_id FROM temp.hidden_lane lane
    CROSS JOIN main.episode e ON e.from_recording_id = lane.recording_id
    WHERE NOT EXISTS (
        SELECT 1 FROM main.segment s WHERE s.id = e.from_segment_id
        AND (s.recording_id, s.annotator_id) NOT IN (SELECT recording_id, annotator_id FROM temp.hidden_lane)
    )
    UNION SELECT e.recording_id FROM main.episode e JOIN told ON told.id = e.from_recording_id
)
SELECT id AS recording_id FROM told
"""
_SEEN_RECORDINGS = """
CREATE TEMP VIEW seen_recording AS
SELECT * FROM main.recording r WHERE r.id NOT IN (SELECT recording_id FROM temp.hidden_episode)
"""
_SEEN = """
CREATE TEMP VIEW seen_segment AS
SELECT * FROM main.segment s
WHERE (s.recording_id, s.annotator_id) NOT IN (SELECT recording_id, annotator_id FROM temp.hidden_lane)
AND s.recording_id NOT IN (SELECT recording_id FROM temp.hidden_episode)
"""
_SEEN_CHAINS = """
CREATE TEMP VIEW seen_chain AS
SELECT * FROM main.chain c
WHERE (c.recording_id, c.annotator_id) NOT IN (SELECT recording_id, annotator_id FROM temp.hidden_lane)
AND c.recording_id IN (SELECT id FROM temp.seen_recording)
AND c.annotator_id IN (SELECT id FROM main.annotator)
"""


def create_views(connection: sqlite3.Connection) -> None:
    """Make the views; they live as long as the connection."""
    connection.execute("CREATE TEMP TABLE viewer (name TEXT NOT NULL)")
    connection.execute(_HIDDEN)
    connection.execute(_HIDDEN_EPISODES)
    connection.execute(_SEEN_RECORDINGS)
    connection.execute(_SEEN)
    connection.execute(_SEEN_CHAINS)


def set_viewer(connection: sqlite3.Connection, name: str) -> None:
    """Set the viewer; in an annotator's copy, rows are hidden from that annotator too."""
    connection.execute("DELETE FROM temp.viewer")
    connection.execute("INSERT INTO temp.viewer VALUES (?)", (name,))
