"""Nonverbal cues: faces, gestures and tone, at their places inside utterances."""
