"""The benchmark of judges: prompts, tasks, item sets, runs, metrics and reports, and the questions it asks."""
