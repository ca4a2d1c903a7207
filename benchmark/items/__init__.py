"""From what a study holds to the items of a set: rules of sampling, balance and wrong options."""
