"""What left this machine, who withdrew, and every step of editing."""

HISTORY = (
    """CREATE TABLE egress (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  at TEXT NOT NULL,
  request TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level <> ''),
  permission TEXT NOT NULL,
  rule TEXT NOT NULL CHECK ((permission = '') <> (rule = ''))
) STRICT""",
    # Whom and what no merge brings back; a checksum over an id, which says nothing to anybody who does not have it.
    """CREATE TABLE withdrawal (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('participant', 'recording', 'footage')),
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
