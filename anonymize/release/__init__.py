"""A data set that may leave the lab: what is in it, what stands in its way, and writing it so that nothing else is."""
