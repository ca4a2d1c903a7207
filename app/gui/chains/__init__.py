"""The mode Chains: drawing how events and states of mind cause one another, and reviewing what others drew."""
