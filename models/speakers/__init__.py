"""Speaker diarization: clusters voices, matches mouth movement with the sound, and combines both."""
