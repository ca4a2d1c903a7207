"""The study itself, recordings, media, and who is in them or marks them."""

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
