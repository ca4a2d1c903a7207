"""The page of the mode Benchmark: item sets, runs, results, items, and the room in which people answer blind."""
