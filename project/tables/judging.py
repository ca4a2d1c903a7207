"""Judges and what they are told, what they answered, and who saw it."""

JUDGES = (
    """CREATE TABLE judge (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  backend TEXT NOT NULL CHECK (backend <> ''),
  model TEXT NOT NULL,
  settings TEXT NOT NULL
) STRICT""",
    """CREATE TABLE prompt_version (
  key TEXT NOT NULL CHECK (key <> ''),
  version INTEGER NOT NULL CHECK (version > 0),
  text TEXT NOT NULL CHECK (text <> ''),
  PRIMARY KEY (key, version)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE adoption (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  segment_id TEXT NOT NULL REFERENCES segment (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  field TEXT NOT NULL CHECK (field <> ''),
  judgment_id TEXT NOT NULL CHECK (judgment_id <> ''),
  at TEXT NOT NULL
) STRICT""",
    "CREATE INDEX adoption_by_segment ON adoption (segment_id)",
    "CREATE INDEX adoption_by_annotator ON adoption (annotator_id)",
)

JUDGMENTS = (
    # Like a run, a judgment outlives what it is about and its judge; what they were is part of it.
    """CREATE TABLE judgment (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  judge_id TEXT NOT NULL CHECK (judge_id <> ''),
  judge TEXT NOT NULL,
  annotator_id TEXT,
  recording_id TEXT NOT NULL,
  segment_id TEXT NOT NULL,
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us),
  task TEXT NOT NULL CHECK (task <> ''),
  variant TEXT NOT NULL CHECK (variant <> ''),
  condition TEXT NOT NULL CHECK (condition <> ''),
  seed INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  prompt_sha256 TEXT NOT NULL,
  request_key TEXT NOT NULL CHECK (request_key <> ''),
  sight TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'unparsed', 'refused', 'error')),
  answer TEXT NOT NULL,
  raw TEXT NOT NULL,
  thinking TEXT NOT NULL,
  mended TEXT NOT NULL,
  model_id TEXT NOT NULL,
  tokens_in INTEGER CHECK (tokens_in >= 0),
  tokens_out INTEGER CHECK (tokens_out >= 0),
  cost REAL CHECK (cost >= 0),
  ms INTEGER NOT NULL CHECK (ms >= 0),
  calls INTEGER NOT NULL CHECK (calls >= 0),
  error TEXT NOT NULL,
  cached_from TEXT,
  at TEXT NOT NULL,
  program_version TEXT NOT NULL,
  question_id TEXT NOT NULL,
  chain_id TEXT NOT NULL,
  part TEXT NOT NULL,
  state TEXT NOT NULL,
  modality TEXT NOT NULL,
  item_id TEXT NOT NULL
) STRICT""",
    "CREATE INDEX judgment_by_item ON judgment (item_id) WHERE item_id <> ''",
    "CREATE INDEX judgment_by_question ON judgment (question_id, task)",
    "CREATE INDEX judgment_by_segment ON judgment (segment_id, task)",
    "CREATE INDEX judgment_by_recording ON judgment (recording_id)",
    "CREATE INDEX judgment_by_request ON judgment (request_key, status)",
)

REVEALS = (
    """CREATE TABLE reveal (
  segment_id TEXT NOT NULL CHECK (segment_id <> ''),
  annotator_id TEXT NOT NULL CHECK (annotator_id <> ''),
  own TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (segment_id, annotator_id)
) STRICT, WITHOUT ROWID""",
)
