"""Transcripts of recordings: utterances, their speakers and word times, edited, imported and exported."""
