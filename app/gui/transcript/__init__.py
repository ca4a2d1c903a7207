"""The mode Transcript: correcting the transcript while listening to it."""
