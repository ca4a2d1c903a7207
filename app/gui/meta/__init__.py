"""The window of what is gathered about a recording to make questions from."""
