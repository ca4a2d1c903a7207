"""How many mutations the tests notice: `python -m tools.mutations`."""
