"""Reviews personal information in the texts of a study: hits, decisions, replacements, and the key."""
