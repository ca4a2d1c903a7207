"""What people mark and say about it: segments and values, schemes, work given out, reviews, words, merges."""

MARKING = (
    """CREATE TABLE segment (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL REFERENCES recording (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  scheme TEXT NOT NULL CHECK (scheme <> ''),
  track TEXT NOT NULL CHECK (track <> ''),
  label TEXT NOT NULL CHECK (label <> ''),
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX segment_by_start ON segment (recording_id, start_us)",
    "CREATE INDEX segment_by_annotator ON segment (annotator_id, recording_id)",
    """CREATE TABLE segment_value (
  segment_id TEXT NOT NULL REFERENCES segment (id),
  scheme TEXT NOT NULL CHECK (scheme <> ''),
  version INTEGER NOT NULL CHECK (version > 0),
  field TEXT NOT NULL CHECK (field <> ''),
  value TEXT NOT NULL,
  PRIMARY KEY (segment_id, scheme, version, field)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE scheme_version (
  key TEXT NOT NULL CHECK (key <> ''),
  version INTEGER NOT NULL CHECK (version > 0),
  text TEXT NOT NULL CHECK (text <> ''),
  PRIMARY KEY (key, version)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE hold_out (
  recording_id TEXT PRIMARY KEY NOT NULL REFERENCES recording (id)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE assignment (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('work', 'training')),
  PRIMARY KEY (recording_id, annotator_id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX assignment_by_annotator ON assignment (annotator_id)",
    """CREATE TABLE completion (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  at TEXT NOT NULL,
  PRIMARY KEY (recording_id, annotator_id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX completion_by_annotator ON completion (annotator_id)",
    """CREATE TABLE review (
  segment_id TEXT NOT NULL REFERENCES segment (id),
  reviewer_id TEXT NOT NULL REFERENCES annotator (id),
  decision TEXT NOT NULL CHECK (decision IN ('agree', 'disagree')),
  note TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (segment_id, reviewer_id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX review_by_reviewer ON review (reviewer_id)",
    """CREATE TABLE comment (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  segment_id TEXT NOT NULL REFERENCES segment (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  text TEXT NOT NULL CHECK (text <> ''),
  at TEXT NOT NULL,
  resolved INTEGER NOT NULL CHECK (resolved IN (0, 1))
) STRICT""",
    "CREATE INDEX comment_by_segment ON comment (segment_id)",
    "CREATE INDEX comment_by_annotator ON comment (annotator_id)",
    """CREATE TABLE utterance (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL REFERENCES recording (id),
  participant_id TEXT REFERENCES participant (id),
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us),
  text TEXT NOT NULL,
  words TEXT NOT NULL,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1)),
  suggested INTEGER NOT NULL CHECK (suggested IN (0, 1))
) STRICT""",
    "CREATE INDEX utterance_by_start ON utterance (recording_id, start_us)",
    "CREATE INDEX utterance_by_participant ON utterance (participant_id)",
    """CREATE TABLE merged_copy (
  copy_id TEXT PRIMARY KEY NOT NULL CHECK (copy_id <> ''),
  step_uid TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE conflict (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  table_name TEXT NOT NULL CHECK (table_name <> ''),
  row_key TEXT NOT NULL,
  ours TEXT,
  theirs TEXT,
  source TEXT NOT NULL,
  at TEXT NOT NULL,
  resolution TEXT CHECK (resolution IN ('ours', 'theirs'))
) STRICT""",
    """CREATE TABLE activity (
  recording_id TEXT NOT NULL,
  annotator_id TEXT NOT NULL,
  day TEXT NOT NULL CHECK (day <> ''),
  seconds INTEGER NOT NULL CHECK (seconds >= 0),
  PRIMARY KEY (recording_id, annotator_id, day)
) STRICT, WITHOUT ROWID""",
    # A run outlives its recording: deleting a recording is undone by the journal, which holds no run rows.
)
