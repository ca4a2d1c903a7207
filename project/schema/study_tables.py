"""Tables of the study, recordings, media, participants, egress, withdrawals, waivers, personal words and history."""

RECORDINGS = (
    """CREATE TABLE property (
  key TEXT PRIMARY KEY NOT NULL CHECK (key <> ''),
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE collection (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL,
  agent_context TEXT NOT NULL
) STRICT""",
    """CREATE TABLE recording (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  collection_id TEXT NOT NULL REFERENCES collection (id),
  number INTEGER NOT NULL CHECK (number > 0),
  name TEXT NOT NULL,
  duration_us INTEGER NOT NULL CHECK (duration_us >= 0)
) STRICT""",
    "CREATE INDEX recording_by_collection ON recording (collection_id)",
    """CREATE TABLE medium (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL REFERENCES recording (id),
  role TEXT NOT NULL CHECK (role <> ''),
  position INTEGER NOT NULL CHECK (position >= 0),
  offset_us INTEGER NOT NULL,
  path TEXT NOT NULL CHECK (path <> ''),
  fingerprint TEXT NOT NULL,
  facts TEXT NOT NULL
) STRICT""",
    "CREATE INDEX medium_by_recording ON medium (recording_id)",
    """CREATE TABLE participant (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  pseudonym TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role <> ''),
  note TEXT NOT NULL
) STRICT""",
    """CREATE TABLE appearance (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  participant_id TEXT NOT NULL REFERENCES participant (id),
  PRIMARY KEY (recording_id, participant_id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX appearance_by_participant ON appearance (participant_id)",
    """CREATE TABLE consent (
  participant_id TEXT NOT NULL REFERENCES participant (id),
  use TEXT NOT NULL CHECK (use <> ''),
  granted INTEGER NOT NULL CHECK (granted IN (0, 1)),
  PRIMARY KEY (participant_id, use)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE annotator (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('person', 'model', 'adjudicated'))
) STRICT""",
)


HISTORY = (
    """CREATE TABLE egress (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  at TEXT NOT NULL,
  request TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level <> ''),
  permission TEXT NOT NULL,
  rule TEXT NOT NULL CHECK ((permission = '') <> (rule = ''))
) STRICT""",
    # Whom and what no merge or import brings back: checksums over ids, names, and numbers or addresses.
    """CREATE TABLE withdrawal (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('participant', 'recording', 'footage', 'name', 'string')),
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE journal_step (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE CHECK (uid <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('edit', 'undo', 'redo', 'fixed', 'withdrawal')),
  name TEXT NOT NULL,
  annotator_id TEXT,
  at TEXT NOT NULL,
  merge_key TEXT,
  reverses INTEGER REFERENCES journal_step (id) CHECK ((reverses IS NOT NULL) = (kind IN ('undo', 'redo'))),
  below INTEGER REFERENCES journal_step (id),
  undo_top INTEGER REFERENCES journal_step (id),
  redo_top INTEGER REFERENCES journal_step (id)
) STRICT""",
    """CREATE TABLE journal_change (
  id INTEGER PRIMARY KEY,
  step_id INTEGER NOT NULL REFERENCES journal_step (id),
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  operation TEXT NOT NULL CHECK (operation IN ('insert', 'update', 'delete')),
  before TEXT CHECK ((before IS NULL) = (operation = 'insert')),
  after TEXT CHECK ((after IS NULL) = (operation = 'delete'))
) STRICT""",
    "CREATE INDEX journal_change_by_step ON journal_change (step_id)",
)


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
