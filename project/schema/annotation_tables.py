"""Tables of annotation: segments, values, schemes, assignments, reviews, words, merges, chains and episodes."""

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


CHAINS = (
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
)


EPISODES = (
    """CREATE TABLE character (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL CHECK (name <> ''),
  age TEXT NOT NULL,
  occupation TEXT NOT NULL,
  pronouns TEXT NOT NULL,
  personality TEXT NOT NULL,
  personal_values TEXT NOT NULL,
  decision_style TEXT NOT NULL,
  public_info TEXT NOT NULL,
  secret TEXT NOT NULL,
  reference TEXT NOT NULL DEFAULT '',
  bonds TEXT NOT NULL DEFAULT '[]'
) STRICT""",
    """CREATE TABLE scenario (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL CHECK (name <> ''),
  context TEXT NOT NULL,
  relationship TEXT NOT NULL
    CHECK (relationship IN ('family', 'friend', 'romantic', 'acquaintance', 'known-by-name', 'stranger')),
  goals TEXT NOT NULL,
  reference TEXT NOT NULL DEFAULT '',
  casts TEXT NOT NULL DEFAULT '[]'
) STRICT""",
    # What an episode goes on from may be gone: it is no reference.
    """CREATE TABLE episode (
  recording_id TEXT PRIMARY KEY NOT NULL REFERENCES recording (id),
  context TEXT NOT NULL,
  relationship TEXT NOT NULL
    CHECK (relationship IN (
      'family', 'friend', 'romantic', 'acquaintance', 'known-by-name', 'stranger', 'unknown')),
  source TEXT NOT NULL CHECK (source IN ('played', 'imported', 'segment')),
  turn_limit INTEGER NOT NULL CHECK (turn_limit > 0),
  ended TEXT NOT NULL CHECK (ended IN ('', 'left', 'limit', 'stopped', 'cut')),
  history INTEGER NOT NULL CHECK (history >= 0),
  from_recording_id TEXT NOT NULL,
  from_segment_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  seed INTEGER NOT NULL
) STRICT""",
    """CREATE TABLE episode_agent (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  position INTEGER NOT NULL CHECK (position >= 0),
  participant_id TEXT REFERENCES participant (id),
  name TEXT NOT NULL CHECK (name <> ''),
  age TEXT NOT NULL,
  occupation TEXT NOT NULL,
  pronouns TEXT NOT NULL,
  personality TEXT NOT NULL,
  personal_values TEXT NOT NULL,
  decision_style TEXT NOT NULL,
  public_info TEXT NOT NULL,
  secret TEXT NOT NULL,
  goal TEXT NOT NULL,
  player TEXT NOT NULL CHECK (player IN ('judge', 'person', 'script')),
  judge_id TEXT NOT NULL,
  PRIMARY KEY (recording_id, position)
) STRICT""",
    "CREATE INDEX episode_agent_by_participant ON episode_agent (participant_id)",
)
