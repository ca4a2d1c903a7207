"""Meta information of a recording: people and their appearance, speech, scenes, summaries."""
