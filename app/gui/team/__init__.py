"""The Team window: the plan, copies for annotators, their work brought home, conflicts."""
