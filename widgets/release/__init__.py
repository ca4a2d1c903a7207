"""The views of the Release window."""
