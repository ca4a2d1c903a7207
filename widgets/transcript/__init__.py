"""The transcript: utterances with their speakers and times, to be read, heard and corrected."""
