"""How the names of recordings end."""

VIDEO = (".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v", ".mpg", ".mpeg", ".mts", ".m2ts", ".ts", ".wmv")
SOUND = (".wav", ".mp3", ".m4a", ".flac", ".ogg")
RECORDINGS = VIDEO + SOUND
IN_FOLDERS = frozenset(RECORDINGS) - {".ts"}
"""What is taken from a folder that somebody names: much else than video ends in `.ts`."""
