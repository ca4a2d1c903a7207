"""The Team window: the plan, copies for annotators, their merge, and conflicts."""
