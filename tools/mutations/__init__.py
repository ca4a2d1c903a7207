"""How many faults the tests notice: `python -m tools.mutations`."""
