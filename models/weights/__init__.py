"""The weights on this machine: whether they are there, whether they are the right ones, how they go."""
