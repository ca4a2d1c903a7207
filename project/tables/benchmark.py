"""Sets of items, runs over them, and their answers."""

BENCHMARK = (
    # What everybody is asked alike is frozen: a set is made once, and another one takes its place.
    """CREATE TABLE item_set (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL CHECK (name <> ''),
  task TEXT NOT NULL CHECK (task <> ''),
  seed INTEGER NOT NULL,
  draws INTEGER NOT NULL CHECK (draws > 0),
  rule TEXT NOT NULL,
  left_out TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (sha256 <> ''),
  at TEXT NOT NULL,
  program_version TEXT NOT NULL
) STRICT""",
    """CREATE TABLE item (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  set_id TEXT NOT NULL CHECK (set_id <> ''),
  draw INTEGER NOT NULL CHECK (draw >= 0),
  position INTEGER NOT NULL CHECK (position >= 0),
  about TEXT NOT NULL,
  recording_id TEXT NOT NULL CHECK (recording_id <> ''),
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us),
  content TEXT NOT NULL,
  made_from TEXT NOT NULL
) STRICT""",
    "CREATE INDEX item_by_set ON item (set_id, draw, position)",
    "CREATE INDEX item_by_recording ON item (recording_id)",
    """CREATE TABLE benchmark_run (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  set_id TEXT NOT NULL CHECK (set_id <> ''),
  judge_id TEXT NOT NULL CHECK (judge_id <> ''),
  judge TEXT NOT NULL,
  annotator_id TEXT,
  variant TEXT NOT NULL CHECK (variant <> ''),
  modality TEXT NOT NULL CHECK (modality IN ('L', 'L+V', 'V')),
  condition TEXT NOT NULL CHECK (condition <> ''),
  seed INTEGER NOT NULL,
  at TEXT NOT NULL,
  program_version TEXT NOT NULL
) STRICT""",
    "CREATE INDEX benchmark_run_by_set ON benchmark_run (set_id)",
    """CREATE TABLE benchmark_answer (
  run_id TEXT NOT NULL CHECK (run_id <> ''),
  item_id TEXT NOT NULL CHECK (item_id <> ''),
  part TEXT NOT NULL,
  judgment_id TEXT NOT NULL CHECK (judgment_id <> ''),
  PRIMARY KEY (run_id, item_id, part)
) STRICT, WITHOUT ROWID""",
    # That somebody saw what judges say cannot be undone, so it is no edit.
)
