"""What runs of the benchmark came to, read from a study."""
