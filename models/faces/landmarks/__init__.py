"""Facial landmarks: finding them, and measuring expression, gaze and head pose from them."""
