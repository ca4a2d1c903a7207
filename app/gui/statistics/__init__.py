"""The views of time budgets and transitions."""
