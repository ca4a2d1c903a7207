"""Models that recognise names in texts."""
