"""What is known about a recording beside its annotations: people and their looks, speech, scenes, summaries."""
