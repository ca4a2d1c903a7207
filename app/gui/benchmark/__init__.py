"""The mode Benchmark: item sets, runs, human answers, results and items."""
