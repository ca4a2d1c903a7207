"""The graph view of a causal chain."""
