"""The agreement window: inter-annotator agreement and statistics, computed in the background, shown and exported."""
