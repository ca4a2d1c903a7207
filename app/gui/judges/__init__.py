"""The mode Judges: which judges are asked, what is sent, and what they answer."""
