"""Role-played episodes: characters, scenarios, who plays whom."""

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
  secret TEXT NOT NULL
) STRICT""",
    """CREATE TABLE scenario (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL CHECK (name <> ''),
  context TEXT NOT NULL,
  relationship TEXT NOT NULL
    CHECK (relationship IN ('family', 'friend', 'romantic', 'acquaintance', 'stranger')),
  goals TEXT NOT NULL
) STRICT""",
    # What an episode goes on from may be gone: it is no reference.
    """CREATE TABLE episode (
  recording_id TEXT PRIMARY KEY NOT NULL REFERENCES recording (id),
  context TEXT NOT NULL,
  relationship TEXT NOT NULL
    CHECK (relationship IN ('family', 'friend', 'romantic', 'acquaintance', 'stranger', 'unknown')),
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
