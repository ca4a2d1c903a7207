"""Makes item sets of a study: reads their sources, draws and freezes items, and finds items whose source changed."""
