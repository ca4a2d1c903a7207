"""The tables of a study file, as literal SQL: one entry a version of the file format, never changed once released.

No CHECK asks whether JSON is valid: SQLite before 3.41 refuses the function in a schema that is not trusted.
"""

import sqlite3
from dataclasses import dataclass

APPLICATION_ID = 0x4752_4E52
"""`GRNR` in the file's header tells a study from any other SQLite file."""

_VERSION_1 = (
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
    """CREATE TABLE chain (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  recording_id TEXT NOT NULL REFERENCES recording (id),
  annotator_id TEXT NOT NULL REFERENCES annotator (id),
  name TEXT NOT NULL,
  based_on TEXT NOT NULL
) STRICT""",
    "CREATE INDEX chain_by_recording ON chain (recording_id)",
    "CREATE INDEX chain_by_annotator ON chain (annotator_id)",
    """CREATE TABLE chain_node (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  chain_id TEXT NOT NULL REFERENCES chain (id),
  kind TEXT NOT NULL CHECK (kind IN ('event', 'belief', 'intent', 'desire', 'emotion')),
  text TEXT NOT NULL,
  start_us INTEGER NOT NULL CHECK (start_us >= 0),
  end_us INTEGER NOT NULL CHECK (end_us > start_us),
  source TEXT NOT NULL
) STRICT""",
    "CREATE INDEX chain_node_by_chain ON chain_node (chain_id)",
    """CREATE TABLE chain_person (
  node_id TEXT NOT NULL REFERENCES chain_node (id),
  participant_id TEXT NOT NULL REFERENCES participant (id),
  PRIMARY KEY (node_id, participant_id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX chain_person_by_participant ON chain_person (participant_id)",
    """CREATE TABLE chain_edge (
  result_id TEXT NOT NULL REFERENCES chain_node (id),
  reason_id TEXT NOT NULL REFERENCES chain_node (id) CHECK (reason_id <> result_id),
  PRIMARY KEY (result_id, reason_id)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX chain_edge_by_reason ON chain_edge (reason_id)",
    """CREATE TABLE chain_review (
  chain_id TEXT NOT NULL REFERENCES chain (id),
  reviewer_id TEXT NOT NULL REFERENCES annotator (id),
  decision TEXT NOT NULL CHECK (decision IN ('agree', 'change', 'discuss')),
  note TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state <> ''),
  at TEXT NOT NULL,
  PRIMARY KEY (chain_id, reviewer_id)
) STRICT""",
    "CREATE INDEX chain_review_by_reviewer ON chain_review (reviewer_id)",
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
  modality TEXT NOT NULL
) STRICT""",
    "CREATE INDEX judgment_by_question ON judgment (question_id, task)",
    "CREATE INDEX judgment_by_segment ON judgment (segment_id, task)",
    "CREATE INDEX judgment_by_recording ON judgment (recording_id)",
    "CREATE INDEX judgment_by_request ON judgment (request_key, status)",
    # That somebody saw what judges say cannot be undone, so it is no edit.
    """CREATE TABLE reveal (
  segment_id TEXT NOT NULL CHECK (segment_id <> ''),
  annotator_id TEXT NOT NULL CHECK (annotator_id <> ''),
  own TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (segment_id, annotator_id)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE egress (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  at TEXT NOT NULL,
  request TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level <> ''),
  permission TEXT NOT NULL,
  rule TEXT NOT NULL CHECK ((permission = '') <> (rule = ''))
) STRICT""",
    """CREATE TABLE journal_step (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE CHECK (uid <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('edit', 'undo', 'redo', 'fixed')),
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


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the file format: what to run on a file of the version before."""

    name: str
    statements: tuple[str, ...]


VERSIONS: tuple[Version, ...] = (Version("first", _VERSION_1),)


def expected_schema(number: int) -> dict[tuple[str, str], str]:
    """Return (type, name) -> SQL of everything that a file of version `number` holds."""
    memory = sqlite3.connect(":memory:")
    try:
        for version in VERSIONS[:number]:
            for statement in version.statements:
                memory.execute(statement)
        return schema_of(memory)
    finally:
        memory.close()


def schema_of(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return (type, name) -> SQL of what a file holds, without SQLite's and the migrations' own tables."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_schema").fetchall()
    return {
        (kind, name): sql
        for kind, name, table, sql in found
        if not name.startswith("sqlite_") and table != "_sqlite_migrations"
    }
