"""Runs with what they found, and what people made of faces: corrections, regions, what they reviewed."""

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
