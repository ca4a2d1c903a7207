"""The mode Chains: draws causal chains of events and mental states, and reviews chains that others drew."""
