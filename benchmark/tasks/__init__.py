"""The tasks of the benchmark: how their items are sampled and their answers scored."""
