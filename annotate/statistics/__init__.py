"""Statistics of what annotators marked: counts, time budgets, transitions of labels."""
