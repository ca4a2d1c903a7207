"""Meta information of recordings: looks, summaries, contradictions."""

META = (
    """CREATE TABLE look (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  participant_id TEXT NOT NULL REFERENCES participant (id),
  kind TEXT NOT NULL CHECK (kind IN ('clothing', 'hair', 'accessories', 'other')),
  text TEXT NOT NULL CHECK (text <> ''),
  PRIMARY KEY (recording_id, participant_id, kind)
) STRICT""",
    "CREATE INDEX look_by_participant ON look (participant_id)",
    """CREATE TABLE summary (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  source TEXT NOT NULL CHECK (source IN ('words', 'frames')),
  text TEXT NOT NULL CHECK (text <> ''),
  judgment_id TEXT NOT NULL,
  PRIMARY KEY (recording_id, source)
) STRICT""",
    """CREATE TABLE contradiction (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL REFERENCES recording (id),
  text TEXT NOT NULL CHECK (text <> ''),
  resolution TEXT NOT NULL,
  settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
  judgment_id TEXT NOT NULL
) STRICT""",
    "CREATE INDEX contradiction_by_recording ON contradiction (recording_id)",
)
