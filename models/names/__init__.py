"""Models that find names in texts."""
