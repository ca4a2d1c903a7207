"""The file name suffixes of recordings."""

VIDEO_SUFFIXES = (".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v", ".mpg", ".mpeg", ".mts", ".m2ts", ".ts", ".wmv")
SOUND_SUFFIXES = (".wav", ".mp3", ".m4a", ".flac", ".ogg")
RECORDING_SUFFIXES = VIDEO_SUFFIXES + SOUND_SUFFIXES
FOLDER_SCAN_SUFFIXES = frozenset(RECORDING_SUFFIXES) - {".ts"}
"""What is taken from a folder that somebody names: much else than video ends in `.ts`."""
