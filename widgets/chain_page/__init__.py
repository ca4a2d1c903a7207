"""The page of the mode Chains, but for the graph itself: chains to choose, the form of a node, checks and reviews."""
