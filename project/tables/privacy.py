"""What a release goes out in spite of, and what is personal in words."""

PRIVACY = (
    """CREATE TABLE waiver (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT REFERENCES recording (id),
  rule TEXT NOT NULL CHECK (rule <> ''),
  reason TEXT NOT NULL CHECK (reason <> ''),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  at TEXT NOT NULL
) STRICT""",
    "CREATE INDEX waiver_by_recording ON waiver (recording_id)",
    "CREATE INDEX waiver_by_annotator ON waiver (annotator_id)",
    """CREATE TABLE private_word (
  word TEXT PRIMARY KEY NOT NULL CHECK (word <> ''),
  replacement TEXT NOT NULL CHECK (replacement <> ''),
  kind TEXT NOT NULL CHECK (kind <> ''),
  participant_id TEXT REFERENCES participant (id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX private_word_by_participant ON private_word (participant_id)",
    """CREATE TABLE public_word (
  word TEXT PRIMARY KEY NOT NULL CHECK (word <> '')
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE pii_decision (
  table_name TEXT NOT NULL CHECK (table_name <> ''),
  row_id TEXT NOT NULL CHECK (row_id <> ''),
  field TEXT NOT NULL CHECK (field <> ''),
  text TEXT NOT NULL CHECK (text <> ''),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  recording_id TEXT REFERENCES recording (id),
  kind TEXT NOT NULL CHECK (kind <> ''),
  decision TEXT NOT NULL CHECK (decision IN ('hide', 'keep')),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  at TEXT NOT NULL,
  PRIMARY KEY (table_name, row_id, field, text, ordinal)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX pii_decision_by_recording ON pii_decision (recording_id)",
    "CREATE INDEX pii_decision_by_annotator ON pii_decision (annotator_id)",
)
