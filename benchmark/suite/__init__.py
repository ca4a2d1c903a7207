"""Tasks of the benchmark: which items they take, what is asked about each, and how answers become figures."""
