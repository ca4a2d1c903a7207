"""Questions about chains and recordings, and what their verifiers said."""

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
