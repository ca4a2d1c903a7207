"""The mode Benchmark: sets, runs, people as judges, results and items."""
