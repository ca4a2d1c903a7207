"""Judges on segments: what they see, how they are asked, what they said, and who may see that when."""
