"""Whether something of a study may leave this machine."""
