"""Causal chains: nodes, who has a part in them, edges, reviews."""

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
