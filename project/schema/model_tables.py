"""Tables of judges, judgments, item sets, questions, runs, face tracks, face corrections and meta information."""

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


QUESTIONS = (
    """CREATE TABLE question (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL REFERENCES recording (id),
  chain_id TEXT REFERENCES chain (id),
  kind TEXT NOT NULL CHECK (kind <> ''),
  aspect TEXT NOT NULL,
  covers TEXT NOT NULL,
  made_from TEXT NOT NULL,
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us),
  text TEXT NOT NULL CHECK (text <> ''),
  answer TEXT NOT NULL CHECK (answer <> ''),
  wrong TEXT NOT NULL,
  explanation TEXT NOT NULL,
  seed INTEGER NOT NULL,
  place INTEGER NOT NULL CHECK (place >= 0),
  maker TEXT NOT NULL CHECK (maker IN ('rules', 'judge', 'person')),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  judgment_id TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT""",
    "CREATE INDEX question_by_recording ON question (recording_id)",
    "CREATE INDEX question_by_chain ON question (chain_id)",
    "CREATE INDEX question_by_annotator ON question (annotator_id)",
    """CREATE TABLE verification (
  question_id TEXT NOT NULL REFERENCES question (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  decision TEXT NOT NULL CHECK (decision IN ('keep', 'correct', 'drop')),
  checklist TEXT NOT NULL CHECK (checklist <> ''),
  checks TEXT NOT NULL,
  difficulty TEXT NOT NULL CHECK (difficulty IN ('', 'easy', 'intermediate', 'hard')),
  note TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state <> ''),
  at TEXT NOT NULL,
  PRIMARY KEY (question_id, annotator_id)
) STRICT""",
    "CREATE INDEX verification_by_annotator ON verification (annotator_id)",
)


FACES = (
    """CREATE TABLE run (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind <> ''),
  backend TEXT NOT NULL,
  parameters TEXT NOT NULL,
  result TEXT NOT NULL,
  finished_at TEXT NOT NULL,
  program_version TEXT NOT NULL
) STRICT""",
    "CREATE INDEX run_by_recording ON run (recording_id, kind, finished_at)",
    """CREATE TABLE face_track (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  run_id TEXT NOT NULL REFERENCES run (id),
  medium_id TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  count INTEGER NOT NULL CHECK (count > 0),
  frames BLOB NOT NULL CHECK (length(frames) = 4 * count),
  times_us BLOB NOT NULL CHECK (length(times_us) = 8 * count),
  boxes BLOB NOT NULL CHECK (length(boxes) = 16 * count),
  scores BLOB NOT NULL CHECK (length(scores) = 4 * count),
  origins BLOB NOT NULL CHECK (length(origins) = count)
) STRICT""",
    "CREATE INDEX face_track_by_run ON face_track (run_id, position)",
    """CREATE TABLE heard (
  run_id TEXT NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL CHECK (position >= 0),
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us),
  text TEXT NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE track_correction (
  track_id TEXT PRIMARY KEY NOT NULL REFERENCES face_track (id),
  participant_id TEXT REFERENCES participant (id),
  dismissed INTEGER NOT NULL CHECK (dismissed IN (0, 1))
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX track_correction_by_participant ON track_correction (participant_id)",
    """CREATE TABLE track_box (
  track_id TEXT NOT NULL REFERENCES face_track (id),
  time_us INTEGER NOT NULL CHECK (time_us >= 0),
  x INTEGER NOT NULL,
  y INTEGER NOT NULL,
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  PRIMARY KEY (track_id, time_us)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE region (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL REFERENCES recording (id),
  kind TEXT NOT NULL CHECK (kind IN ('face', 'area', 'nothing')),
  label TEXT NOT NULL,
  participant_id TEXT REFERENCES participant (id),
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us)
) STRICT""",
    "CREATE INDEX region_by_recording ON region (recording_id)",
    "CREATE INDEX region_by_participant ON region (participant_id)",
    """CREATE TABLE region_box (
  region_id TEXT NOT NULL REFERENCES region (id),
  time_us INTEGER NOT NULL CHECK (time_us >= 0),
  x INTEGER NOT NULL,
  y INTEGER NOT NULL,
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  PRIMARY KEY (region_id, time_us)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE face_review (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  state TEXT NOT NULL CHECK (state <> ''),
  at TEXT NOT NULL,
  PRIMARY KEY (recording_id, annotator_id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX face_review_by_annotator ON face_review (annotator_id)",
    """CREATE TABLE seen_span (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us),
  at TEXT NOT NULL,
  PRIMARY KEY (recording_id, annotator_id, start_us, end_us)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX seen_span_by_annotator ON seen_span (annotator_id)",
)


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
