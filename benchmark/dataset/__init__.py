"""Questions as a data set that may leave: scrubbed, under codes, in splits, with a card and a loader."""
