"""Item sets of a study: what they are drawn from, made, frozen, and held against the study as it is now."""
